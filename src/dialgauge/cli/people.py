"""``dialgauge people``: how far the people of a study are."""

from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.collecting import StudyPath
from dialgauge.cli.output import AsJson, complain, print_result

if TYPE_CHECKING:
    from dialgauge.collect.people import People


def show_people(
    study: StudyPath,
    give_back: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Free the dialogues that this rater (its name or code) holds."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show who rates, how much they completed, and how far the dialogues are.

    A dialogue that somebody holds and leaves is free again by itself when its time is over; --give-back frees it now.
    """
    from dialgauge.collect.people import open_people
    from dialgauge.io.study import read_study
    from dialgauge.report.people.record import people_to_json
    from dialgauge.report.people.terminal import render_people

    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        if give_back is not None:
            name, freed = _free(people, give_back)
            complain(f"{freed} freed of {name}" if freed else f"{name} holds no dialogue")
        found = (people.progress(), people.people())
    print_result(found, json=as_json, to_json=people_to_json, render=render_people)


def _free(people: "People", who: str) -> tuple[str, str]:
    """Give back what a rater holds; return its name, and how much that was ("" for nothing)."""
    from dialgauge.errors import InputError
    from dialgauge.io.words import clip, count

    known = people.people()
    found = next((one for one in known if who in {one.rater, one.code}), None)
    if found is None:
        raise InputError(f"nobody has entered as {clip(who)!r}; dialgauge people STUDY lists names and codes")
    held = people.held(found.rater)
    for target in held:
        people.give_back(found.rater, target)
    return found.rater, count(len(held), "dialogue") if held else ""
