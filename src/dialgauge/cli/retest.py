"""``dialgauge retest``: ratings that were repeated in, what repeats and what agrees out."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.check import print_checks, summarise
from dialgauge.cli.output import (
    NOTHING_ESTIMATED,
    OUTPUT,
    AsJson,
    CsvFile,
    HtmlFile,
    complain,
    print_result,
    report_written,
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
    saying_what_is_left_out,
    source_file,
    study_name,
)

if TYPE_CHECKING:
    from dialgauge.analyse.checking import RaterChecks
    from dialgauge.analyse.retest import Retest
    from dialgauge.analyse.retest.between import Scope, Weights
    from dialgauge.analyse.retest.records import Form
    from dialgauge.io import DuplicatePolicy, OffScalePolicy

_ANALYSIS = "Analysis"


def report_retest(  # noqa: PLR0917 (Typer calls it by name)
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
    form: Annotated[
        str,
        typer.Option(
            metavar="FORM",
            help="Error of ICC(3,1): printed (mean square within targets) or shrout-fleiss (residual mean square).",
            rich_help_panel=_ANALYSIS,
        ),
    ] = "printed",
    agreement_on: Annotated[
        str,
        typer.Option(
            metavar="SCOPE",
            help="Dimensions whose values are compared: excellent (by all raters) or all.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = "excellent",
    weights: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="Weights of kappa on ordinal scales: quadratic or linear.", rich_help_panel=_ANALYSIS
        ),
    ] = "quadratic",
    off_scale: Annotated[
        str,
        typer.Option(
            metavar="POLICY",
            help="Values that their scale does not have: missing (left out and counted) or error.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = "missing",
    dominant: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Exclude a dimension whose most frequent value takes this share of a rater's ratings.",
            rich_help_panel=_ANALYSIS,
        ),
    ] = 0.99,
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.", rich_help_panel=_ANALYSIS)
    ] = 0.95,
    json: AsJson = False,
    csv: CsvFile = None,
    latex: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="Write all tables for a paper, into one file or each into its own in a folder.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    html: HtmlFile = None,
) -> None:
    """Tell how well language models repeat themselves, and whether they agree in reliability and in values.

    Needs several ratings of a target by one rater, told apart by --replicate or --duplicates replicate. The rater is
    the model. Three studies: ICC(3,1) and ICC(3,k) within each rater, the classes across raters, the values across
    raters.
    """
    from dialgauge.analyse.retest import analyse_retest
    from dialgauge.report.files import check_outputs
    from dialgauge.report.retest.latex import retest_to_latex
    from dialgauge.report.retest.record import retest_to_csv, retest_to_json
    from dialgauge.report.retest.terminal import render_retest

    in_folder = latex is not None and (Path(latex).is_dir() or latex.endswith("/"))
    single = None if in_folder else latex
    check_outputs([path for path in (csv, single, html) if path is not None], source=source_file(file))
    ratings = read_source(
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
        off_scale=cast("OffScalePolicy", off_scale),
    )
    checked = _check_study(file, set(ratings.frame["rater"])) if is_study(file) else None
    with saying_what_is_left_out(ratings):
        analysis = analyse_retest(
            ratings,
            form=cast("Form", form),  # this and the next two are checked by the analysis
            agreement_on=cast("Scope", agreement_on),
            weights=cast("Weights", weights),
            dominant=dominant,
            level=level,
        )
    write_files(
        analysis,
        [
            (csv, retest_to_csv),
            (single, retest_to_latex),
            (html, partial(_render_page, checked=checked, title=study_name(file))),
        ],
    )
    if in_folder and latex is not None:
        _write_tables(analysis, Path(latex))
    print_result(analysis, json=json, to_json=retest_to_json, render=render_retest)
    print_checks(checked, json=json)
    if not any(repeat.status == "ok" for repeat in analysis.repeats):
        complain("no dimension could be estimated; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def _check_study(path: str, raters: set[str]) -> "RaterChecks":
    """Return the checks of those of ``raters`` of a study that are models."""
    from dialgauge.io.store import open_store
    from dialgauge.io.study import read_study
    from dialgauge.report.checks.loading import check_study

    folder = read_study(path)
    with open_store(folder.store_url) as store:
        return check_study(store, folder.study, only=raters)


def _write_tables(analysis: "Retest", folder: Path) -> None:
    """Write each table into a file of its own."""
    from dialgauge.errors import InputError
    from dialgauge.report.files import write_whole
    from dialgauge.report.retest.latex import retest_tables

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"the folder {folder} cannot be made ({error.strerror}); choose another with --latex"
        raise InputError(msg) from None
    for name, table in retest_tables(analysis).items():
        path = folder / f"{name}.tex"
        write_whole(path, table)
        report_written(str(path))


def _render_page(analysis: "Retest", *, checked: "RaterChecks | None", title: str) -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.retest.page import render_retest_page

    return render_retest_page(analysis, checks=summarise(checked), title=title)
