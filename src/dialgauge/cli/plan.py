"""``dialgauge plan``: what is known and wanted of a study in, what it would show and cost out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.output import OUTPUT, AsJson, HtmlFile, LatexFile, print_result, put, write_files
from dialgauge.cli.output import width as columns
from dialgauge.cli.reading import (
    Dimension,
    Duplicates,
    InstrumentName,
    Labels,
    Rater,
    Replicate,
    ScaleText,
    Target,
    Value,
    Where,
)

if TYPE_CHECKING:
    from dialgauge.analyse.planning import StudyPlan
    from dialgauge.analyse.results import DimensionReliability, Reliability
    from dialgauge.io.request import ReadOptions
    from dialgauge.stats.components import Components

_DESIGN = "The design"
_ASSUMED = "What is assumed of the ratings (one of these)"
_WANTED = "What is wanted"
_COSTS = "Costs, in any one unit"
_SIMULATION = "Simulation"

_LIKE_A_SIZE = ("target", "rater", "replicate")
"""Options of a pilot that are an s short of one of the design."""

LARGEST = 1e30
"""The largest variance, and the largest cost: their powers and sums stay numbers."""

EXAMPLE = "dialgauge plan --targets 200 --raters 40 --icc .35"


def plan_study_of(  # noqa: PLR0917 (Typer calls it by name)
    targets: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="What is rated: how many dialogues.", rich_help_panel=_DESIGN)
    ] = None,
    raters: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="The pool of raters.", rich_help_panel=_DESIGN)
    ] = None,
    per_target: Annotated[
        int, typer.Option(metavar="NUMBER", help="How many of them rate each target.", rich_help_panel=_DESIGN)
    ] = 5,
    replicates: Annotated[
        int, typer.Option(metavar="NUMBER", help="How often a rater rates one target.", rich_help_panel=_DESIGN)
    ] = 1,
    icc: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="The reliability of one rating.", rich_help_panel=_ASSUMED),
    ] = None,
    components: Annotated[
        str | None,
        typer.Option(
            metavar="T,R,[TR,]E",
            help="The variances of target, rater, target x rater (may be left out) and residual.",
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    pilot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Ratings of a pilot; it is read as below.", rich_help_panel=_ASSUMED),
    ] = None,
    dimension_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The dimension of the pilot to plan from.", rich_help_panel=_ASSUMED),
    ] = None,
    wanted: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="The reliability of the mean of a target's raters that the lower limit is to reach.",
            rich_help_panel=_WANTED,
        ),
    ] = 0.5,
    ruled_out: Annotated[
        float, typer.Option(metavar="SHARE", help="The ICC that the formulas test against.", rich_help_panel=_WANTED)
    ] = 0.0,
    width: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="The width of the interval of one rating's reliability.", rich_help_panel=_WANTED
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Level of the tests; intervals have 1 - alpha.", rich_help_panel=_WANTED),
    ] = 0.05,
    power: Annotated[
        float, typer.Option(metavar="SHARE", help="The probability of success.", rich_help_panel=_WANTED)
    ] = 0.8,
    cost_rating: Annotated[float, typer.Option(metavar="COST", help="Per rating.", rich_help_panel=_COSTS)] = 1.0,
    cost_rater: Annotated[
        float, typer.Option(metavar="COST", help="Per rater of the pool.", rich_help_panel=_COSTS)
    ] = 0.0,
    cost_target: Annotated[float, typer.Option(metavar="COST", help="Per target.", rich_help_panel=_COSTS)] = 0.0,
    simulate: Annotated[
        int, typer.Option(metavar="NUMBER", help="How many studies to simulate.", rich_help_panel=_SIMULATION)
    ] = 0,
    points: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="The points of the simulated scale.", rich_help_panel=_SIMULATION),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0, help="Seed of the assignment of raters and of the simulation.", rich_help_panel=_SIMULATION
        ),
    ] = 0,
    target: Target = None,
    rater: Rater = None,
    value: Value = None,
    dimension: Dimension = None,
    replicate: Replicate = None,
    instrument: InstrumentName = None,
    scale: ScaleText = None,
    labels: Labels = None,
    where: Where = None,
    duplicates: Duplicates = "error",
    json: AsJson = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the table of designs as CSV.", rich_help_panel=OUTPUT)
    ] = None,
    latex: LatexFile = None,
    html: HtmlFile = None,
) -> None:
    """Plan a study: what it would show, how many targets and raters that takes, and what it costs.

    Without options: what targets buy, whatever the ratings will be. With a design and one assumption on the ratings:
    expected intervals, power and cost, and the cheapest designs. With a pilot: how many raters it asks for, too.
    """
    from dialgauge.analyse.planning import PlanOptions, plan_study
    from dialgauge.errors import InputError
    from dialgauge.report.files import check_outputs
    from dialgauge.report.planning.latex import plan_to_latex
    from dialgauge.report.planning.record import plan_to_csv, plan_to_json
    from dialgauge.report.planning.terminal import render_plan
    from dialgauge.stats.dstudy import Costs

    check_outputs([path for path in (csv, latex, html) if path is not None], source=pilot)
    reading = {
        "target": target, "rater": rater, "value": value, "dimension": dimension, "replicate": replicate,
        "instrument": instrument, "scale": scale, "labels": labels, "where": where,
        "duplicates": None if duplicates == "error" else duplicates,
    }  # fmt: skip
    for option, cost in (("rating", cost_rating), ("rater", cost_rater), ("target", cost_target)):
        if cost > LARGEST:
            raise InputError(f"a cost is at most {LARGEST:g}, got {cost:g} (--cost-{option}); use a larger unit")
    found, notes = _read_pilot(pilot, dimension_name, {key: given for key, given in reading.items() if given}, alpha)
    options = PlanOptions(
        targets=targets, raters=raters, per_target=per_target, replicates=replicates,
        icc=icc, components=None if components is None else _read_components(components), pilot=found,
        ruled_out=ruled_out, wanted=wanted, width=width, alpha=alpha, power=power,
        costs=Costs(cost_rating, cost_rater, cost_target), simulate=simulate, points=points, seed=seed,
    )  # fmt: skip
    plan = plan_study(options)
    plan = replace(plan, notes=(*notes, *plan.notes))
    write_files(plan, [(csv, plan_to_csv), (latex, plan_to_latex), (html, _render_page)])
    print_result(plan, json=json, to_json=plan_to_json, render=render_plan)
    if not json and plan.components is None and plan.options.targets is None:
        put("\n" + fill(f"Say more, such as: {EXAMPLE}", columns()) + "\n")


def _read_components(text: str) -> "Components":
    """Read variances that are separated by commas."""
    from dialgauge.analyse.planning import state_components
    from dialgauge.errors import InputError

    try:
        variances = [float(part) for part in text.split(",")]
    except ValueError:
        msg = f"components are numbers separated by commas, such as .35,.15,.5, got {text!r} (--components)"
        raise InputError(msg) from None
    if any(abs(variance) > LARGEST for variance in variances):
        raise InputError(f"components are at most {LARGEST:g}, got {text!r} (--components); use a larger unit")
    return state_components(variances)


def _read_pilot(
    file: str | None, name: str | None, reading: Mapping[str, str], alpha: float
) -> tuple["DimensionReliability | None", Sequence[str]]:
    """Return the dimension of the pilot to plan from, and how its ratings were read; ``None`` without a pilot."""
    from dialgauge.errors import InputError

    if file is None:
        given = ["dimension_name", *reading] if name is not None else list(reading)
        if given:
            option = f"--{given[0].replace('_', '-')}"
            meant = f", or did you mean {option}s?" if given[0] in _LIKE_A_SIZE else ""
            msg = f"{option} says how a pilot is read, and there is none; give --pilot FILE{meant}"
            raise InputError(msg)
        return None, ()
    from dialgauge.analyse.reliability import analyse_reliability
    from dialgauge.errors import TableError
    from dialgauge.io import read_ratings
    from dialgauge.io.words import shorten

    options = cast("ReadOptions", dict(reading))  # checked by the reader
    if name is not None:
        options["dimensions"] = (name,)
    try:
        ratings = read_ratings(file, **options)
    except TableError as error:
        raise TableError(str(error).replace("--dimensions", "--dimension-name")) from None
    if len(ratings.dimensions) > 1:
        msg = f"{file} has {len(ratings.dimensions)} dimensions ({shorten(ratings.dimensions)}); "
        msg += "say with --dimension-name which one to plan from"
        raise InputError(msg)
    return _take_only(analyse_reliability(ratings, level=1.0 - alpha)), ratings.notes


def _take_only(analysis: "Reliability") -> "DimensionReliability":
    """Return the one dimension of ``analysis``."""
    from dialgauge.errors import CannotEstimateError

    if not analysis.dimensions:
        refused = analysis.refused[0]
        raise CannotEstimateError(f"{refused.name} is no pilot to plan from: {refused.reason}", remedy=refused.remedy)
    return analysis.dimensions[0]


def _render_page(plan: "StudyPlan") -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.planning.page import render_plan_page

    return render_plan_page(plan)
