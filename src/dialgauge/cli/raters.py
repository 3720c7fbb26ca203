"""``dialgauge raters``: a file of ratings in, the raters out, those most worth a look first."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.output import ascii_only, complain, put, report_written, styled, width
from dialgauge.cli.reading import (
    Dimension,
    Dimensions,
    Duplicates,
    InstrumentName,
    Labels,
    Rater,
    RatingsFile,
    Replicate,
    ScaleText,
    Target,
    Value,
    Where,
)

if TYPE_CHECKING:
    from dialgauge.analyse.raters import RaterReport
    from dialgauge.io import DuplicatePolicy

NOTHING_ESTIMATED = 2

_CARE = "How the answers came about"
_ANALYSIS = "Analysis"
_OUTPUT = "Output"


def report_raters(  # noqa: PLR0917 (Typer calls it by name)
    file: RatingsFile,
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
    seconds: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="How many seconds an answer took.", rich_help_panel=_CARE)
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="When an answer was given: numbers, or dates and times.", rich_help_panel=_CARE
        ),
    ] = None,
    k: Annotated[
        float | None,
        typer.Option(
            "--k",
            metavar="NUMBER",
            help="Raters that Rel(k) averages over, where it is shown what leaving raters out would change.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.", rich_help_panel=_ANALYSIS)
    ] = 0.95,
    json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON instead of the table.", rich_help_panel=_OUTPUT)
    ] = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a row per rater as CSV.", rich_help_panel=_OUTPUT)
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the page, one file.", rich_help_panel=_OUTPUT)
    ] = None,
) -> None:
    """Tell which raters differ from the others, how, and what leaving them out would change.

    Severity, scatter, agreement with the others, halo, straight-lining, use of the scale and speed of every rater.
    Those most worth a look come first, with the reason.
    """
    from dialgauge.analyse.raters import analyse_raters
    from dialgauge.io.extras import read_with_extras
    from dialgauge.report.files import check_outputs

    check_outputs([path for path in (csv, html) if path is not None], source=file)
    ratings, extras = read_with_extras(
        file,
        seconds=seconds,
        order=order,
        target=target,
        rater=rater,
        value=value,
        dimension=dimension,
        replicate=replicate,
        instrument=instrument,
        scale=scale,
        where=where,
        duplicates=cast("DuplicatePolicy", duplicates),  # checked by the reader
        labels=labels,
        dimensions=dimensions,
    )
    report = analyse_raters(ratings, seconds=extras.seconds, order=extras.order, k=k, level=level)
    _write_files(report, csv=csv, html=html)
    _print(report, json=json)
    if not report.dimensions:
        complain("raters could not be compared on any dimension; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _write_files(report: "RaterReport", *, csv: str | None, html: str | None) -> None:
    """Write the files that were asked for; what draws figures is loaded for the page only."""
    from dialgauge.report.files import write_whole
    from dialgauge.report.raters.record import raters_to_csv

    contents = {csv: raters_to_csv}
    if html is not None:
        from dialgauge.report.raters.page import render_rater_page

        contents[html] = render_rater_page
    for path, render in contents.items():
        if path is not None:
            write_whole(Path(path), render(report))
            report_written(path)


def _print(report: "RaterReport", *, json: bool) -> None:
    if json:
        from dialgauge.report.raters.record import raters_to_json

        put(raters_to_json(report))
    else:
        from dialgauge.report.raters.terminal import render_raters

        put(render_raters(report, width=width(), styled=styled(), ascii_only=ascii_only()))
