"""``dialgauge kinds``: a file of ratings by people and models in, what the kinds see in common out."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer

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
    RatingsSource,
    Replicate,
    ScaleText,
    Target,
    Value,
    Where,
    is_study,
    read_source,
    refuse_options,
    saying_what_is_left_out,
    source_file,
    study_name,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dialgauge.analyse.kinds import KindsComparison
    from dialgauge.io import DuplicatePolicy
    from dialgauge.io.request import ReadOptions
    from dialgauge.model import Ratings

_KINDS = "Kinds of rater"
MOST_ALONE = 3
"""Raters of a study that are each compared with people by themselves; of more, those of one kind together."""

_PEOPLE = "Ratings by people beside a study"
_ANALYSIS = "Analysis"


def report_kinds(  # noqa: PLR0917 (Typer calls it by name)
    file: RatingsSource,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The kind of the rater, such as human or llm; with the column of raters, each is a kind of its own. "
            "A study knows the kinds of its raters.",
            rich_help_panel=_KINDS,
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="The kind that the others are held against; by default that with most raters.",
            rich_help_panel=_KINDS,
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Ratings by people of the targets of a study, made elsewhere: a table, or that of AB-ReDial.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="PEOPLES=STUDYS",
            help="A dimension of people and that of the study which it is compared with (repeatable); those of one "
            "name go without saying.",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    people_scale: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="The scale on which people rated.", rich_help_panel=_PEOPLE),
    ] = None,
    people_instrument: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="The instrument with which people rated; by default the TOML file beside theirs.",
            rich_help_panel=_PEOPLE,
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
    k: Annotated[
        float | None,
        typer.Option(
            "--k",
            metavar="NUMBER",
            help="Raters of a kind that Rel(k) averages over; by default the harmonic mean of its raters per target.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.", rich_help_panel=_ANALYSIS)
    ] = 0.95,
    json: AsJson = False,
    csv: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a row per dimension and pair of kinds as CSV.", rich_help_panel=OUTPUT
        ),
    ] = None,
    latex: LatexFile = None,
    html: HtmlFile = None,
) -> None:
    """Tell how far kinds of rater, such as people and language models, see the same in the targets.

    One variance model for all kinds: the reliability of each by itself, and the correlation of what they see once the
    noise of single raters is taken out. With --people the raters of a study are held against people who rated
    elsewhere.
    """
    from dataclasses import replace

    from dialgauge.analyse.kinds import agree_with_people, compare_kinds, join_people, kinds_from_rows
    from dialgauge.analyse.kinds.people import PEOPLE
    from dialgauge.errors import InputError
    from dialgauge.io.extras import read_with_extras
    from dialgauge.io.people_ratings import read_people
    from dialgauge.report.files import check_outputs
    from dialgauge.report.kinds.latex import kinds_to_latex
    from dialgauge.report.kinds.record import kinds_to_csv, kinds_to_json
    from dialgauge.report.kinds.terminal import render_kinds

    check_outputs([path for path in (csv, latex, html) if path is not None], source=source_file(file))
    options: ReadOptions = {
        "target": target,
        "rater": rater,
        "value": value,
        "dimension": dimension,
        "replicate": replicate,
        "instrument": instrument,
        "scale": scale,
        "where": where,
        "duplicates": cast("DuplicatePolicy", duplicates),  # checked by the reader
        "labels": labels,
        "dimensions": dimensions,
    }
    theirs = {"map": mapped, "people-scale": people_scale, "people-instrument": people_instrument}
    if people is not None and not is_study(file):
        raise InputError("--people stands beside a study; put the ratings of both in one table, with --kind")
    if people is None and any(theirs.values()):
        raise InputError(
            f"--{next(name for name, given in theirs.items() if given)} is about a file; give it, --people"
        )
    apart: Collection[str] = ()
    joined = None
    if is_study(file):
        refuse_options({"kind": kind})
        ratings = read_source(file, **options)
        kinds = _kinds_of_study(file, ratings, alone=people is not None)
    else:
        if kind is None:
            msg = "a table needs --kind: the column that says of which kind a rater is, or that of raters"
            raise InputError(msg)
        ratings, extras = read_with_extras(file, kind=kind, **options)
        kinds = {} if extras.kind is None else kinds_from_rows(ratings, extras.kind)
    if people is not None:
        human = read_people(people, scale=people_scale, instrument=people_instrument)
        joined = join_people(ratings, human, kinds, names=_split_pairs(mapped or ()))
        ratings, kinds, apart, reference = joined.ratings, dict(joined.kinds), joined.apart, reference or PEOPLE
    with saying_what_is_left_out(ratings):
        comparison = compare_kinds(ratings, kinds, reference=reference, k=k, level=level, apart=apart)
    if joined is not None:
        comparison = replace(comparison, people=agree_with_people(joined, level=level))
    write_files(
        comparison,
        [(csv, kinds_to_csv), (latex, kinds_to_latex), (html, partial(_render_page, title=study_name(file)))],
    )
    print_result(comparison, json=json, to_json=kinds_to_json, render=render_kinds)
    if not any(pair.tells for d in comparison.dimensions for pair in d.pairs):
        complain("kinds could not be compared on any dimension; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _kinds_of_study(path: str, ratings: "Ratings", *, alone: bool) -> dict[str, str]:
    """Return the kind of each rater; each is a kind of its own where all are of one, or up to three are ``alone``."""
    from dialgauge.io.store import open_store
    from dialgauge.io.study import read_study

    with open_store(read_study(path).store_url) as store:
        there = set(ratings.frame["rater"])
        raters = [rater for rater in store.raters() if rater.name in there]
    several = len({rater.kind for rater in raters}) > 1
    each = len(raters) <= MOST_ALONE if alone else not several
    return {rater.name: rater.name if each else rater.kind for rater in raters}


def _split_pairs(given: "Iterable[str]") -> dict[str, str]:
    """Return the dimensions of the study by those of people."""
    from dialgauge.errors import InputError

    found: dict[str, str] = {}
    for text in given:
        theirs, equals, own = (part.strip() for part in text.partition("="))
        if not (theirs and equals and own):
            raise InputError(f"--map {text!r} names no pair; write the dimension of people = that of the study")
        if theirs in found or own in found.values():
            raise InputError(f"--map {text!r} names a dimension that has a partner; name each once")
        found[theirs] = own
    return found


def _render_page(comparison: "KindsComparison", *, title: str) -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.kinds.page import render_kinds_page

    return render_kinds_page(comparison, title=title)
