"""``dialgauge reliability``: a file of ratings in, the reliability table out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.output import ascii_only, complain, put, report_written, styled, width

if TYPE_CHECKING:
    from dialgauge.analyse.results import Reliability
    from dialgauge.io import DuplicatePolicy
    from dialgauge.stats.reml.intervals import IntervalMethod

NOTHING_ESTIMATED = 2

_FILE = "Which column is what"
_SCALE = "The scale, declared and never guessed (one of these)"
_ROWS = "Rows"
_ANALYSIS = "Analysis"
_OUTPUT = "Output"


def report_reliability(  # noqa: PLR0917 (Typer calls it by name)
    file: Annotated[str, typer.Argument(metavar="FILE", help="Ratings as CSV, TSV, JSON lines or Parquet.")],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="What is rated, such as the dialogue.", rich_help_panel=_FILE)
    ] = None,
    rater: Annotated[str | None, typer.Option(metavar="COLUMN", help="Who rated.", rich_help_panel=_FILE)] = None,
    value: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The ratings of a long table.", rich_help_panel=_FILE)
    ] = None,
    dimension: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The dimensions of a long table.", rich_help_panel=_FILE)
    ] = None,
    dimensions: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="The columns of a wide table that hold ratings, or the dimensions of a long one to look at.",
            rich_help_panel=_FILE,
        ),
    ] = None,
    replicate: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Number of a repeated rating by the same rater.", rich_help_panel=_FILE),
    ] = None,
    instrument: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="A known instrument, or a TOML file.", rich_help_panel=_SCALE),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            metavar="LOW:HIGH", help="1:5 has the points 1 to 5; 0.0:1.0 is continuous.", rich_help_panel=_SCALE
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C", help="Words for the points, lowest first, such as bad,fair,good.", rich_help_panel=_SCALE
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="Keep the rows for which this is true, such as 'gold == 0'.",
            rich_help_panel=_ROWS,
        ),
    ] = None,
    duplicates: Annotated[
        str,
        typer.Option(
            metavar="POLICY",
            help="What repeated ratings of one target by one rater are: error, first, last, mean or replicate.",
            rich_help_panel=_ROWS,
        ),
    ] = "error",
    k: Annotated[
        float | None,
        typer.Option(
            "--k",
            metavar="NUMBER",
            help="Raters that a score averages over; by default the harmonic mean of raters per target.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.", rich_help_panel=_ANALYSIS)
    ] = 0.95,
    interval: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help="Intervals of the reliabilities: profile, wald or bootstrap.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = "profile",
    ordinal: Annotated[
        bool,
        typer.Option(
            "--ordinal",
            help="Set an ordinal model beside REML: does the verdict hold there?",
            rich_help_panel=_ANALYSIS,
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of whatever is random; kept in the result.", rich_help_panel=_ANALYSIS)
    ] = 0,
    json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON instead of the table.", rich_help_panel=_OUTPUT)
    ] = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a row per dimension as CSV.", rich_help_panel=_OUTPUT)
    ] = None,
    latex: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the table for a paper.", rich_help_panel=_OUTPUT)
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the page, one file.", rich_help_panel=_OUTPUT)
    ] = None,
) -> None:
    """Tell how reliable the ratings of each dimension are, for one rater and for the mean of several.

    One row per rating (long, with --value and --dimension) or per rater and target (wide, a column per dimension).
    Columns with well-known names, such as dialogue_id and rater_id, need not be named.
    """
    from dialgauge.analyse.reliability import analyse_reliability
    from dialgauge.io import read_ratings
    from dialgauge.report.files import check_outputs

    check_outputs([path for path in (csv, latex, html) if path is not None], source=file)
    ratings = read_ratings(
        file,
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
    analysis = analyse_reliability(
        ratings,
        k=k,
        level=level,
        interval=cast("IntervalMethod", interval),  # checked by the analysis
        ordinal=ordinal,
        seed=seed,
    )
    _write_files(analysis, csv=csv, latex=latex, html=html)
    _print(analysis, json=json)
    if not analysis.dimensions:
        complain("no dimension could be estimated; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _write_files(analysis: "Reliability", *, csv: str | None, latex: str | None, html: str | None) -> None:
    """Write the files that were asked for; what draws figures is loaded for the page only."""
    from dialgauge.report.files import write_whole
    from dialgauge.report.latex import to_latex
    from dialgauge.report.record import to_csv

    contents = {csv: to_csv, latex: to_latex}
    if html is not None:
        from dialgauge.report.page import render_page

        contents[html] = render_page
    for path, render in contents.items():
        if path is not None:
            write_whole(Path(path), render(analysis))
            report_written(path)


def _print(analysis: "Reliability", *, json: bool) -> None:
    if json:
        from dialgauge.report.record import to_json

        put(to_json(analysis))
    else:
        from dialgauge.report.terminal import render

        put(render(analysis, width=width(), styled=styled(), ascii_only=ascii_only()))
