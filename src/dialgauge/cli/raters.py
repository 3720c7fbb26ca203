"""``dialgauge raters``: ratings in, the raters out, those most worth a look first."""

from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.output import (
    NOTHING_ESTIMATED,
    OUTPUT,
    AsJson,
    HtmlFile,
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
    refuse_kind,
    refuse_options,
    source_file,
)

if TYPE_CHECKING:
    from dialgauge.analyse.raters import RaterReport
    from dialgauge.io import DuplicatePolicy
    from dialgauge.io.request import ReadOptions

_CARE = "How the answers came about"
_ANALYSIS = "Analysis"


def report_raters(  # noqa: PLR0917 (Typer calls it by name)
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
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="The raters of a study that are looked at: human, llm or code; by default all, beside each other.",
            rich_help_panel=_CARE,
        ),
    ] = None,
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
    rasch: Annotated[
        bool,
        typer.Option(
            "--rasch",
            help="Add the many-facet Rasch model of ordinal dimensions: severity in logits, infit, outfit.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = False,
    partial_credit: Annotated[
        bool,
        typer.Option(
            "--partial-credit",
            help="With --rasch: thresholds of its own for each rater, instead of shared ones.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = False,
    json: AsJson = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a row per rater as CSV.", rich_help_panel=OUTPUT)
    ] = None,
    html: HtmlFile = None,
) -> None:
    """Tell which raters differ from the others, how, and what leaving them out would change.

    Severity, scatter, agreement with the others, halo, straight-lining, use of the scale and speed of every rater.
    Those most worth a look come first, with the reason.
    """
    from dialgauge.analyse.raters import analyse_raters
    from dialgauge.errors import InputError
    from dialgauge.io.extras import read_study_with_extras, read_with_extras
    from dialgauge.report.files import check_outputs
    from dialgauge.report.raters.record import raters_to_csv, raters_to_json
    from dialgauge.report.raters.terminal import render_raters

    if partial_credit and not rasch:
        raise InputError("--partial-credit says which Rasch model, and none was asked for; add --rasch")
    check_outputs([path for path in (csv, html) if path is not None], source=source_file(file))
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
    }
    if is_study(file):
        refuse_options({**options, "seconds": seconds, "order": order})
        named = [name.strip() for name in (dimensions or "").split(",") if name.strip()]
        ratings, extras = read_study_with_extras(file, named, kind=kind)
    else:
        refuse_kind(kind)
        options["dimensions"] = dimensions
        ratings, extras = read_with_extras(file, seconds=seconds, order=order, **options)
    report = analyse_raters(
        ratings,
        seconds=extras.seconds,
        order=extras.order,
        k=k,
        level=level,
        rasch=("partial_credit" if partial_credit else "rating_scale") if rasch else None,
    )
    write_files(report, [(csv, raters_to_csv), (html, _render_page)])
    print_result(report, json=json, to_json=raters_to_json, render=render_raters)
    if not report.dimensions:
        complain("raters could not be compared on any dimension; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _render_page(report: "RaterReport") -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.raters.page import render_rater_page

    return render_rater_page(report)
