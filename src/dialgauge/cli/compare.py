"""``dialgauge compare``: dialogues or ratings of several systems in, which is better and by how much out."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.abilities import check_catalogue, find_catalogue
from dialgauge.cli.output import (
    NOTHING_ESTIMATED,
    OUTPUT,
    AsJson,
    HtmlFile,
    LatexFile,
    complain,
    print_result,
    write_files,
)
from dialgauge.cli.reading import (
    Dimension,
    Dimensions,
    Duplicates,
    InstrumentName,
    Labels,
    Rater,
    Replicate,
    ScaleText,
    Target,
    Value,
    Where,
    is_study,
    refuse_options,
    study_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dialgauge.analyse.compare import SystemsComparison, Terms
    from dialgauge.io import DuplicatePolicy
    from dialgauge.io.catalogues import CatalogueFile, TitleMatch
    from dialgauge.io.request import ReadOptions
    from dialgauge.io.store import Store
    from dialgauge.io.study import StudyFolder
    from dialgauge.model import Ratings
    from dialgauge.model.simulation import Simulation

_WHAT = "What is compared"
_DIALOGUES = "Simulated dialogues"
_TABLE = "A table of ratings"
_ANALYSIS = "Analysis"


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the data are, and how titles are found in dialogues."""

    path: str
    catalogue: str | None
    title_match: "TitleMatch"


def compare_systems_in(  # noqa: PLR0917 (Typer calls it by name)
    source: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|LOGS|RATINGS",
            help="The folder of a study; CONCEPT logs named DATASET_SYSTEM.jsonl, or their folder; or a table of "
            "ratings with a column that names the system.",
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Compare this measure, ability or dimension alone; may be given several times. Name them before you "
            "look: fewer comparisons need less of a difference.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    system_names: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Compare these systems alone.", rich_help_panel=_WHAT),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="How far two systems may be apart and still be within it, in the unit of the measure.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Tell how many dialogues and raters it takes to show this difference, in the unit of the measure.",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    power: Annotated[
        float,
        typer.Option(metavar="SHARE", help="The probability with which it shall be shown.", rich_help_panel=_WHAT),
    ] = 0.8,
    catalogue: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The catalogue, or a folder that has one for each data set; by default films for a study, and the "
            "folder of the data set's name beside logs.",
            rich_help_panel=_DIALOGUES,
        ),
    ] = None,
    title_match: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="How titles are found in what is said: whole, or substring as in the published work.",
            rich_help_panel=_DIALOGUES,
        ),
    ] = "whole",
    system: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Which system a dialogue is with.", rich_help_panel=_TABLE),
    ] = None,
    persona: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Who talked to it, the same for all systems; may be the column of --rater.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    preference: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="What the user wanted, or the task, the same for all systems.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    target: Target = None,
    rater: Rater = None,
    value: Value = None,
    dimension: Dimension = None,
    dimensions: Dimensions = None,
    replicate: Replicate = None,
    instrument: InstrumentName = None,
    scale: ScaleText = None,
    labels: Labels = None,
    where: Where = None,
    duplicates: Duplicates = "error",
    level: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="Confidence level; 1 less it is the level of the tests.", rich_help_panel=_ANALYSIS
        ),
    ] = 0.95,
    seed: Annotated[
        int, typer.Option(help="Seed of what is drawn for intervals of all pairs.", rich_help_panel=_ANALYSIS)
    ] = 0,
    json: AsJson = False,
    csv: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a row per measure and pair of systems as CSV.", rich_help_panel=OUTPUT
        ),
    ] = None,
    latex: LatexFile = None,
    html: HtmlFile = None,
) -> None:
    """Tell whether one system is better than another, by how much, and what the data cannot tell.

    Systems that met the same personas and preferences are paired. Every difference has an interval, verdicts are held
    to all measures and pairs together, and "not shown" comes with what can be ruled out.
    """
    from dialgauge.analyse.compare import Terms
    from dialgauge.report.compare.latex import comparison_to_latex
    from dialgauge.report.compare.record import comparison_to_csv, comparison_to_json
    from dialgauge.report.compare.terminal import render_comparison
    from dialgauge.report.files import check_outputs

    check_outputs(
        [path for path in (csv, latex, html) if path is not None], source=None if Path(source).is_dir() else source
    )
    names = tuple(name.strip() for name in (system_names or "").split(",") if name.strip())
    terms = Terms(
        measures=tuple(measure or ()),
        systems=names,
        margin=margin,
        difference=difference,
        power=power,
        level=level,
        seed=seed,
    )
    options: ReadOptions = {
        "target": target,
        "rater": rater,
        "value": value,
        "dimension": dimension,
        "dimensions": dimensions,
        "replicate": replicate,
        "instrument": instrument,
        "scale": scale,
        "labels": labels,
        "where": where,
        "duplicates": cast("DuplicatePolicy", duplicates),  # checked by the reader
    }
    columns = {"--system": system, "--persona": persona, "--preference": preference}
    given = _Source(source, catalogue, cast("TitleMatch", title_match))  # the analysis checks the rule
    found = _compare(given, columns, options, terms)
    page = partial(_render_page, title=study_name(source))
    write_files(found, [(csv, comparison_to_csv), (latex, comparison_to_latex), (html, page)])
    print_result(found, json=json, to_json=comparison_to_json, render=render_comparison)
    if not any(each.measures for each in found):
        complain("systems could not be compared on any measure; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _compare(
    source: _Source, columns: "Mapping[str, str | None]", options: "ReadOptions", terms: "Terms"
) -> "tuple[SystemsComparison, ...]":
    """Return the comparison of a study, of logs (an entry per data set), or of a table."""
    from dialgauge.errors import InputError

    if not Path(source.path).exists():
        msg = f"there is no file or study {source.path!r}; give the folder of a study, logs, or a table of ratings"
        raise InputError(msg)
    named = {option.removeprefix("--"): column for option, column in columns.items()}
    if is_study(source.path):
        refuse_options({**named, **options})
        return (_compare_study(source, terms),)
    if columns["--system"] is not None:
        return (_compare_table(source.path, columns, options, terms),)
    if Path(source.path).is_dir() or source.path.endswith(".jsonl"):
        refuse_options({**named, **options})
        return _compare_logs(source, terms)
    msg = "a table needs --system: the column that says which system a dialogue is with"
    raise InputError(msg)


def _compare_table(
    path: str, columns: "Mapping[str, str | None]", options: "ReadOptions", terms: "Terms"
) -> "SystemsComparison":
    from dialgauge.analyse.compare import compare_ratings
    from dialgauge.io.labels import read_with_several_groups

    named = {option: column for option, column in columns.items() if column is not None}
    ratings, entries = read_with_several_groups(path, named, raters=("--persona",), **options)
    of = dict(zip(named, entries, strict=True))
    return compare_ratings(
        ratings, of["--system"], personas=of.get("--persona"), preferences=of.get("--preference"), terms=terms
    )


def _compare_logs(source: _Source, terms: "Terms") -> "tuple[SystemsComparison, ...]":
    from dataclasses import replace

    from dialgauge.analyse.compare import compare_dialogues
    from dialgauge.io.catalogues import read_catalogue
    from dialgauge.io.concept_logs import find_logs, read_concept_logs

    found = []
    for data_set, files in find_logs(source.path).items():
        items = read_catalogue(find_catalogue(source.path, source.catalogue, data_set))
        read = read_concept_logs(files, items)
        result = compare_dialogues(read.dialogues, items, title_match=source.title_match, terms=terms)
        notes = (*read.notes, *items.notes, *result.notes)
        found.append(replace(result, data_set=data_set, source=source.path, notes=notes))
    return tuple(found)


def _compare_study(source: _Source, terms: "Terms") -> "SystemsComparison":
    """Return the comparison of the dialogues that were simulated for a study, or else of its rated dialogues."""
    from dataclasses import replace

    from dialgauge.io.catalogues import SHIPPED, read_catalogue
    from dialgauge.io.simulated import read_simulations
    from dialgauge.io.study import read_study

    folder = read_study(source.path)
    with folder.open_store() as store:
        simulations = read_simulations(store)
        known = store.simulated.catalogues
        ratings = _own_ratings(store.ratings(purpose="study"), folder, terms)
        present = set(ratings.frame["rater"])
        made_up = [r.name for r in store.raters() if r.name in present and r.made_up]
        if not simulations:
            return replace(_compare_rated(store, ratings, made_up, source.path, terms), source=source.path)
    items = read_catalogue(source.catalogue or SHIPPED[0])
    check_catalogue(source.path, items, known)
    return replace(_compare_simulated(simulations, items, ratings, made_up, source, terms), source=source.path)


def _compare_simulated(
    simulations: "Sequence[Simulation]",
    items: "CatalogueFile",
    ratings: "Ratings",
    made_up: "Sequence[str]",
    source: _Source,
    terms: "Terms",
) -> "SystemsComparison":
    from dataclasses import replace

    from dialgauge.analyse.compare import compare_dialogues
    from dialgauge.analyse.users import check_users

    result = compare_dialogues(
        [simulation.dialogue for simulation in simulations],
        items,
        pairs=[pair for simulation in simulations for pair in simulation.reply_pairs],
        ratings=ratings if ratings.frame.height else None,
        made_up=made_up,
        title_match=source.title_match,
        terms=terms,
    )
    users = check_users(simulations, level=terms.level)
    odd = () if users is None or users.finding is None else (users.finding,)
    return replace(result, notes=(*items.notes, *result.notes), findings=(*result.findings, *odd))


def _compare_rated(
    store: "Store", ratings: "Ratings", made_up: "Sequence[str]", path: str, terms: "Terms"
) -> "SystemsComparison":
    """Return the comparison of rated dialogues that name their systems."""
    from dialgauge.analyse.compare import compare_ratings
    from dialgauge.errors import StudyError

    systems = {dialogue.id: dialogue.system for dialogue in store.targets() if dialogue.system is not None}
    if not systems or not ratings.frame.height:
        lacks = "ratings" if systems else "dialogues that name their system"
        msg = (
            f"{path} has no {lacks} and no simulated dialogues yet; rate some with dialgauge rate, or make some with "
            f"dialgauge simulate {path} --system ..."
        )
        raise StudyError(msg)
    return compare_ratings(ratings, systems, made_up=made_up, terms=terms)


def _own_ratings(ratings: "Ratings", folder: "StudyFolder", terms: "Terms") -> "Ratings":
    """Return the ratings on the dimensions of the study's instrument, and of code where they are named."""
    from dataclasses import replace

    import polars as pl

    own = {*folder.instrument.dimension_names, *terms.measures}
    scales = {name: scale for name, scale in ratings.scales.items() if name in own}
    return replace(ratings, frame=ratings.frame.filter(pl.col("dimension").is_in(list(scales))), scales=scales)


def _render_page(found: "Sequence[SystemsComparison]", *, title: str) -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.compare.page import render_comparison_page

    return render_comparison_page(found, title=title)
