"""``dialgauge people``: how far the people of a study are."""

from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.collecting import StudyPath
from dialgauge.cli.output import AsJson, complain, print_result

if TYPE_CHECKING:
    from dialgauge.collect.people import People


PATIENCE = 2.0
"""Seconds for which it is tried to bring new dialogues in, where another process holds the database."""


def show_people(
    study: StudyPath,
    give_back: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Free the dialogues that this rater (its name or code) holds."),
    ] = None,
    withdraw: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Take this rater (its name or code) out for good: no analysis, export or page has their answers.",
        ),
    ] = None,
    erase_codes: Annotated[
        bool,
        typer.Option("--erase-codes", help="Blank all stored codes for good; with --withdraw, that person's alone."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show who rates, how much they completed, and how far the dialogues are.

    A dialogue that somebody holds and leaves is free again by itself when its time is over; --give-back frees it now.
    Places of people who withdraw are free again. Whose code is erased cannot come back under their name.
    """
    from dialgauge.collect.people import open_people
    from dialgauge.io.study import read_study
    from dialgauge.report.people.record import people_to_json
    from dialgauge.report.people.terminal import render_people

    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store, patience=PATIENCE)
        if give_back is not None:
            name, freed = _free(people, give_back)
            complain(f"{freed} freed of {name}" if freed else f"{name} holds no dialogue")
        gone = None if withdraw is None else _withdraw(people, withdraw)
        if erase_codes:
            _erase(people, gone)
        found = (people.progress(), people.people())
    print_result(found, json=as_json, to_json=people_to_json, render=render_people)


def _free(people: "People", who: str) -> tuple[str, str]:
    """Give back what a rater holds; return its name, and how much that was ("" for nothing)."""
    from dialgauge.io.words import count

    rater = _find(people, who)
    held = people.held(rater)
    for target in held:
        people.give_back(rater, target)
    return rater, count(len(held), "dialogue") if held else ""


def _withdraw(people: "People", who: str) -> str:
    """Take a rater out, and return the name."""
    rater = _find(people, who)
    if people.withdraw(rater):
        complain(f"{rater} is withdrawn: their answers stay in the database, and are in no analysis, export or page")
    else:
        complain(f"{rater} had withdrawn before")
    return rater


def _erase(people: "People", rater: str | None) -> None:
    """Blank codes, and say what that does not reach."""
    from dialgauge.io.words import count

    n = people.erase_codes(rater)
    complain(f"{count(n, 'code')} erased; copies of the database, such as backups, still have what was in them")


def _find(people: "People", who: str) -> str:
    """Return the rater with this name or code."""
    from dialgauge.errors import InputError
    from dialgauge.io.words import clip

    named, entered = who if who in people.known_codes() else None, people.find(who)
    if named and entered and named != entered:
        raise InputError(
            f"{clip(who)!r} is the name of one rater and the code of another; give {entered!r} for the one who entered "
            f"with it, and for the other the code, which dialgauge people STUDY lists"
        )
    found = named or entered
    if found is None:
        raise InputError(f"nobody has entered as {clip(who)!r}; dialgauge people STUDY lists names and codes")
    return found
