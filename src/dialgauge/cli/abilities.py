"""``dialgauge abilities``: simulated dialogues in, the CONCEPT measures and abilities of each system out."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.output import OUTPUT, AsJson, HtmlFile, LatexFile, print_result, write_files
from dialgauge.cli.reading import is_study, study_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dialgauge.analyse.abilities import Abilities
    from dialgauge.io.catalogues import TitleMatch
    from dialgauge.model.item import Catalogue

_ANALYSIS = "Analysis"


def report_abilities(
    logs: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|LOGS",
            help="The folder of a study with simulated dialogues; or a folder of CONCEPT logs named "
            "DATASET_SYSTEM.jsonl, or one of them.",
        ),
    ],
    catalogue: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The catalogue, or a folder that has one for each data set; by default films for a study, and the "
            "folder of the data set's name beside logs.",
        ),
    ] = None,
    title_match: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="How titles are found in what is said: whole, or substring as in the published work.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = "whole",
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.", rich_help_panel=_ANALYSIS)
    ] = 0.95,
    json: AsJson = False,
    csv: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a row per system, group and measure as CSV.", rich_help_panel=OUTPUT),
    ] = None,
    latex: LatexFile = None,
    html: HtmlFile = None,
) -> None:
    """Tell what recommenders can do by their dialogues with simulated users, systems side by side with intervals.

    Recall, success, acceptance and sincerity are computed from the dialogues; the abilities of CONCEPT from these and
    from rated measures. Each data set is analysed by itself.
    """
    from dialgauge.report.abilities.latex import abilities_to_latex
    from dialgauge.report.abilities.record import abilities_to_csv, abilities_to_json
    from dialgauge.report.abilities.terminal import render_abilities
    from dialgauge.report.files import check_outputs

    check_outputs(
        [path for path in (csv, latex, html) if path is not None], source=None if Path(logs).is_dir() else logs
    )
    analyse = analyse_study if is_study(logs) else _analyse
    found = analyse(logs, catalogue, title_match=cast("TitleMatch", title_match), level=level)  # it checks the rule
    page = partial(render_page, title=study_name(logs))
    write_files(found, [(csv, abilities_to_csv), (latex, abilities_to_latex), (html, page)])
    print_result(found, json=json, to_json=abilities_to_json, render=render_abilities)


def analyse_study(
    study: str, catalogue: str | None, *, title_match: "TitleMatch", level: float
) -> "tuple[Abilities, ...]":
    """Return the analysis of the dialogues that were simulated for a study, with the ratings that it has of them."""
    from dataclasses import replace

    from dialgauge.analyse.abilities import analyse_abilities
    from dialgauge.analyse.users import check_users
    from dialgauge.errors import StudyError
    from dialgauge.io.catalogues import SHIPPED, read_catalogue
    from dialgauge.io.simulated import read_simulations
    from dialgauge.io.store import open_store
    from dialgauge.io.study import read_study

    folder = read_study(study)
    items = read_catalogue(catalogue or SHIPPED[0])
    with open_store(folder.store_url) as store:
        simulations = read_simulations(store)
        known = store.simulated.catalogues
        ratings = store.ratings(purpose="study")
        made_up = [rater.name for rater in store.raters() if rater.made_up]
    if not simulations:
        msg = f"{study} has no simulated dialogues yet; make some with dialgauge simulate {study} --system ..."
        raise StudyError(msg)
    dialogues = [simulation.dialogue for simulation in simulations]
    check_catalogue(study, items, known)
    result = analyse_abilities(
        dialogues,
        items,
        pairs=[pair for simulation in simulations for pair in simulation.reply_pairs],
        ratings=ratings if ratings.frame.height else None,
        made_up=made_up,
        title_match=title_match,
        level=level,
    )
    users = check_users(simulations, level=level)
    finding = () if users is None or users.finding is None else (users.finding,)
    notes, findings = (*items.notes, *result.notes), (*finding, *result.findings)
    return (replace(result, data_set=items.name, source=study, notes=notes, findings=findings),)


def check_catalogue(study: str, items: "Catalogue", known: "Collection[str]") -> None:
    """Raise StudyError where the dialogues of a study were simulated with another catalogue than ``items``.

    ``known`` are the hashes of those that they were simulated with.
    """
    from dialgauge.errors import StudyError

    if set(known) - {items.digest}:
        msg = (
            f"the dialogues of {study} were simulated with another catalogue than {items.name}, or it has changed "
            "since; give the --catalogue of the simulation, as it was, or simulate in a study of its own"
        )
        raise StudyError(msg)


def _analyse(logs: str, catalogue: str | None, *, title_match: "TitleMatch", level: float) -> "tuple[Abilities, ...]":
    """Return the analysis of each data set of the logs."""
    from dataclasses import replace

    from dialgauge.analyse.abilities import analyse_abilities
    from dialgauge.io.catalogues import read_catalogue
    from dialgauge.io.concept_logs import find_logs, read_concept_logs

    found = []
    for data_set, files in find_logs(logs).items():
        items = read_catalogue(find_catalogue(logs, catalogue, data_set))
        read = read_concept_logs(files, items)
        result = analyse_abilities(read.dialogues, items, title_match=title_match, level=level)
        notes = (*read.notes, *items.notes, *result.notes)
        found.append(replace(result, data_set=data_set, source=logs, notes=notes))
    return tuple(found)


def find_catalogue(logs: str, catalogue: str | None, data_set: str) -> Path:
    """Return the catalogue that was given, the one for this data set in the folder given, or one beside the logs."""
    from dialgauge.errors import InputError

    if catalogue is not None:
        inner = Path(catalogue) / data_set
        return inner if inner.exists() else Path(catalogue)
    root = Path(logs).resolve()
    beside = [
        folder / data_set for folder in ((root, root.parent) if root.is_dir() else (root.parent, root.parent.parent))
    ]
    for folder in beside:
        if folder.is_dir():
            return folder
    raise InputError(
        f"there is no catalogue of {data_set} beside {logs}; "
        "give --catalogue, the folder with id2info.json and entity2id.json"
    )


def render_page(found: "Sequence[Abilities]", *, title: str) -> str:
    """Return the page, headed by ``title`` or its source; what draws figures is loaded only here."""
    from dialgauge.report.abilities.page import render_abilities_page

    return render_abilities_page(found, title=title)
