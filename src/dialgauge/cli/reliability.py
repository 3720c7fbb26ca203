"""``dialgauge reliability``: a file of ratings in, the reliability table out."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.output import (
    NOTHING_ESTIMATED,
    AsJson,
    CsvFile,
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
    RaterKindName,
    RatingsSource,
    Replicate,
    ScaleText,
    Target,
    Value,
    Where,
    read_kind,
    source_file,
    study_name,
)

if TYPE_CHECKING:
    from dialgauge.analyse.results import Reliability
    from dialgauge.io import DuplicatePolicy
    from dialgauge.stats.reml.intervals import IntervalMethod

_ANALYSIS = "Analysis"


def report_reliability(  # noqa: PLR0917 (Typer calls it by name)
    file: RatingsSource,
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
    kind: RaterKindName = None,
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
    json: AsJson = False,
    csv: CsvFile = None,
    latex: LatexFile = None,
    html: HtmlFile = None,
) -> None:
    """Tell how reliable the ratings of each dimension are, for one rater and for the mean of several.

    One row per rating (long, with --value and --dimension) or per rater and target (wide, a column per dimension).
    Columns with well-known names, such as dialogue_id and rater_id, need not be named.
    """
    from dialgauge.analyse.reliability import analyse_reliability
    from dialgauge.report.files import check_outputs
    from dialgauge.report.latex import to_latex
    from dialgauge.report.record import to_csv, to_json
    from dialgauge.report.terminal import render

    check_outputs([path for path in (csv, latex, html) if path is not None], source=source_file(file))
    ratings = read_kind(
        file,
        kind,
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
    write_files(analysis, [(csv, to_csv), (latex, to_latex), (html, partial(_render_page, title=study_name(file)))])
    print_result(analysis, json=json, to_json=to_json, render=render)
    if not analysis.dimensions:
        complain("no dimension could be estimated; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _render_page(analysis: "Reliability", *, title: str) -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.page import render_page

    return render_page(analysis, title=title)
