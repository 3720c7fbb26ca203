"""``dialgauge agreement``: a file of ratings in, how closely raters agree out."""

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
    from dialgauge.analyse.agreement import Agreement, RaterScope, WeightsChoice
    from dialgauge.analyse.agreement.records import Metric
    from dialgauge.io import DuplicatePolicy
    from dialgauge.model import Scale

_SCALE = "The scale, declared and never guessed (one of these)"
_ANALYSIS = "Analysis"


def report_agreement(  # noqa: PLR0917 (Typer calls it by name)
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
    nominal: Annotated[
        bool,
        typer.Option(
            "--nominal",
            help="The points of --scale or --labels are categories without an order.",
            rich_help_panel=_SCALE,
        ),
    ] = False,
    where: Where = None,
    duplicates: Duplicates = "error",
    kind: RaterKindName = None,
    raters: Annotated[
        str,
        typer.Option(
            metavar="SCOPE",
            help="random: the intervals cover new targets and new raters; these: new targets rated by these raters.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = "random",
    weights: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="How near misses count in the kappas and AC2: auto (by the scale), identity, linear, quadratic or "
            "ordinal.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = "auto",
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="Further alphas beside that of the scale: nominal, ordinal, interval, ratio.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.", rich_help_panel=_ANALYSIS)
    ] = 0.95,
    json: AsJson = False,
    csv: CsvFile = None,
    latex: LatexFile = None,
    html: HtmlFile = None,
) -> None:
    """Tell how closely raters agree on each dimension, by the coefficients of the field, and why these differ.

    Percent agreement, Krippendorff's alpha, the kappas of Fleiss, Conger, Brennan and Prediger, Gwet's AC1 and AC2; for
    up to ten raters also Cohen's or Light's kappa and Kendall's W. For ratings in categories this is the main command.
    """
    from dialgauge.analyse.agreement import analyse_agreement
    from dialgauge.report.agreement.latex import agreement_to_latex
    from dialgauge.report.agreement.record import agreement_to_csv, agreement_to_json
    from dialgauge.report.agreement.terminal import render_agreement
    from dialgauge.report.files import check_outputs

    check_outputs([path for path in (csv, latex, html) if path is not None], source=source_file(file))
    declared = _declare_nominal(instrument=instrument, scale=scale, labels=labels) if nominal else scale
    ratings = read_kind(
        file,
        kind,
        target=target,
        rater=rater,
        value=value,
        dimension=dimension,
        replicate=replicate,
        instrument=instrument,
        scale=declared,
        where=where,
        duplicates=cast("DuplicatePolicy", duplicates),  # checked by the reader
        labels=None if nominal else labels,
        dimensions=dimensions,
    )
    analysis = analyse_agreement(
        ratings,
        weights=cast("WeightsChoice", weights),  # this and the next two are checked by the analysis
        raters=cast("RaterScope", raters),
        metrics=[cast("Metric", name.strip()) for name in (metrics or "").split(",") if name.strip()],
        level=level,
    )
    write_files(
        analysis,
        [(csv, agreement_to_csv), (latex, agreement_to_latex), (html, partial(_render_page, title=study_name(file)))],
    )
    print_result(analysis, json=json, to_json=agreement_to_json, render=render_agreement)
    if not analysis.dimensions:
        complain("no dimension could be estimated; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _declare_nominal(*, instrument: str | None, scale: str | None, labels: str | None) -> "Scale":
    """Return the nominal scale that has the points of ``scale`` or ``labels``."""
    from dialgauge.errors import InputError
    from dialgauge.model import Scale

    if instrument is not None:
        msg = "--nominal goes with --scale or --labels; an instrument declares the level of its scales itself"
        raise InputError(msg)
    if labels is None and scale is None:
        msg = '--nominal needs the categories: give them with --labels "yes,no,unsure" or as numbers with --scale 1:3'
        raise InputError(msg)
    words = [word.strip() for word in (labels or "").split(",")]
    ordered = Scale.from_labels(words) if scale is None else Scale.parse(scale)
    if scale is not None and labels is not None:
        ordered = ordered.with_labels(words)
    if ordered.points is None:
        msg = f"--nominal needs points, and {scale} is a continuous scale; write it with whole numbers, such as 1:3"
        raise InputError(msg)
    return Scale(level="nominal", points=ordered.points, labels=ordered.labels)


def _render_page(analysis: "Agreement", *, title: str) -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.agreement.page import render_agreement_page

    return render_agreement_page(analysis, title=title)
