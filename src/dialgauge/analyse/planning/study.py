"""The parts of a plan, put together."""

from collections.abc import Iterator
from dataclasses import replace

from dialgauge.analyse.dstudy import WANTED, DecisionStudy, decision_study, to_components
from dialgauge.analyse.fits import choose_model
from dialgauge.analyse.planning.curves import draw_curves
from dialgauge.analyse.planning.notes import write_notes
from dialgauge.analyse.planning.reckoner import GRID, LEAST_PAIRS, STEPS, find_on_grid, reckon_targets, step_targets
from dialgauge.analyse.planning.records import Answer, PlanOptions, PlanRow, StudyPlan
from dialgauge.analyse.results import DimensionReliability
from dialgauge.errors import InputError
from dialgauge.stats.components import Components, Score
from dialgauge.stats.design import detect
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan import (
    Goal,
    Layout,
    Limits,
    Simulation,
    assign,
    cheapest_layouts,
    expected_precision,
    simulate_design,
)
from dialgauge.stats.plan.precision import expected_power
from dialgauge.stats.plan.search import PricedLayout, price
from dialgauge.stats.plan.simulation import Simulated
from dialgauge.stats.power import (
    icc_power,
    icc_sample_size,
    icc_sample_size_for_width,
    icc_width,
    least_detectable_correlation,
    least_detectable_icc,
)

RATERS = (6, 10, 20, 50, 100)
MOST_REPLICATES = 3
LEAST_TARGETS, MOST_TARGETS = 10, 1000

WALTER = "Walter, Eliasziw and Donner (1998)"
DONNER = "Donner and Eliasziw (1987)"
FISHER = "Fisher (1921)"
ASSUMED = "assumption"
INFORMATION = "expected REML information"
FORMULA, CORRELATION, DESIGN = "formulas, one-way", "correlations of two dimensions", "planned design"


def plan_study(options: PlanOptions) -> StudyPlan:
    """Return all that can be said of the study that ``options`` describe.

    Nothing is guessed: without targets, raters or an assumption on the ratings the answers that need them are left
    out, and a note says so. Raises ``InputError`` for an impossible design and for assumptions without variance
    between targets or without residual, ``CannotEstimateError`` where replicates are planned and the assumptions do
    not tell what they gain.
    """
    components = _assume(options)
    layout = _layout(options)
    simulation = _simulate(options, layout, components)
    return StudyPlan(
        options=options,
        layout=layout,
        components=components,
        answers=(*_by_formula(options, components), *_by_information(options, layout, components)),
        by_targets=tuple(reckon_targets(options)),
        curves=draw_curves(options, None if components is None else components.reliability(Score())),
        table=() if components is None else tuple(_table(options, components)),
        for_width=_cheapest_for_width(options, components),
        for_wanted=_cheapest_for_wanted(options, components),
        simulation=simulation,
        simulated=_summarise(options, simulation),
        decision=None if options.pilot is None else _decide(options, options.pilot),
        notes=tuple(write_notes(options, layout, components)),
    )


def _assume(options: PlanOptions) -> Components | None:
    found = options.components
    if options.icc is not None:
        found = Components(target=options.icc, rater=0.0, residual=1.0 - options.icc)
    if options.pilot is not None:
        found = to_components(options.pilot)
    if found is None:
        return None
    if not (found.target > 0.0 and found.residual > 0.0):
        origin = f"the pilot dimension {options.pilot.name}" if options.pilot is not None else "the components"
        raise InputError(
            f"{origin} has a target variance of {found.target:g} and a residual of {found.residual:g}: "
            "both must be positive to plan from; state an icc instead"
        )
    found.error(Score(1.0, options.replicates))
    return found


def _decide(options: PlanOptions, pilot: DimensionReliability) -> DecisionStudy:
    return decision_study(pilot, wanted=sorted({*WANTED, options.wanted}))


def _layout(options: PlanOptions) -> Layout | None:
    if options.targets is None or options.raters is None:
        return None
    return Layout(options.targets, options.raters, options.per_target, options.replicates)


def _by_formula(options: PlanOptions, components: Components | None) -> Iterator[Answer]:
    n, k, against = options.targets, options.per_target, options.ruled_out
    test = f"one-sided alpha {options.alpha:g}"
    aim = f"{test}, power {options.power:g}"
    icc = None if components is None else components.reliability(Score())
    if n is not None:
        yield _least_icc(options, n, f"least ICC(1) shown to exceed {against:g} ({aim})")
    if icc is not None:
        yield Answer("icc_assumed", FORMULA, "ICC(1) assumed", icc, "", ASSUMED)
    if icc is not None and n is not None:
        power = icc_power(icc, against, n=n, k=k, alpha=options.alpha)
        yield Answer("icc_power", FORMULA, f"power to show that it exceeds {against:g} ({test})", power, "", WALTER)
        width = icc_width(icc, n=n, k=k, level=options.level)
        yield Answer("icc_width", FORMULA, f"width of its {options.level_text} interval", width, "", DONNER)
    if icc is not None:
        needed = _targets_needed(options, icc, k)
        shown = f"targets to show that it exceeds {against:g} ({aim})"
        yield Answer("targets_for_power", FORMULA, shown, needed, "targets", WALTER)
    if icc is not None and options.width is not None:
        enough = icc_sample_size_for_width(icc, options.width, k=k, level=options.level)
        wide = f"targets for an interval at most {options.width:g} wide"
        yield Answer("targets_for_width", FORMULA, wide, enough, "targets", DONNER)
    if n is not None and n > LEAST_PAIRS:
        r = least_detectable_correlation(n, alpha=options.alpha, power=options.power)
        both = f"least correlation shown not to be zero (two-sided alpha {options.alpha:g}, power {options.power:g})"
        yield Answer("least_detectable_correlation", CORRELATION, both, r, "", FISHER)


def _least_icc(options: PlanOptions, n: int, label: str) -> Answer:
    k, against = options.per_target, options.ruled_out
    least = least_detectable_icc(n, k, rho0=against, alpha=options.alpha, power=options.power)
    found = find_on_grid(options, n)
    grid = f"a grid of {len(GRID)} values from {GRID[0]:g} to {GRID[-1]:g}"
    first = "none suffices" if found is None else f"it would be {found:.3f}"
    remark = f"searched on {grid}, as a published study did, {first}"
    return Answer("least_detectable_icc", FORMULA, label, least, "", WALTER, remark)


def _targets_needed(options: PlanOptions, icc: float, k: float) -> int | Refusal:
    if icc <= options.ruled_out:
        return Refusal(
            f"an ICC(1) of {icc:.3f} does not exceed {options.ruled_out:g}, so no number of targets shows that it does",
            "rule out a lower one",
        )
    return icc_sample_size(icc, options.ruled_out, k=k, alpha=options.alpha, power=options.power)


def _by_information(options: PlanOptions, layout: Layout | None, components: Components | None) -> Iterator[Answer]:
    if layout is None:
        return
    yield Answer("ratings", DESIGN, "ratings", layout.n_ratings, "ratings", "count")
    yield Answer("targets_per_rater", DESIGN, "targets per rater", layout.load, "targets", "count")
    yield Answer("cost", DESIGN, "cost", price(layout, options.costs), "cost units", "costs given")
    if components is None:
        return
    who, level = assign(layout, seed=options.seed), f"{options.level_text} interval"
    for key, (name, score) in zip(("rel_single", "rel_k"), _scores(options).items(), strict=True):
        p = expected_precision(layout, components, score=score, assignment=who, level=options.level)
        yield Answer(f"{key}_assumed", DESIGN, f"{name} assumed", p.value, "", ASSUMED)
        for end in ("low", "high", "width"):
            label = f"{name}, expected {level}, {end}"
            yield Answer(f"{key}_{end}", DESIGN, label, getattr(p, end), "", INFORMATION)
    mean = Score(options.per_target, options.replicates)
    shown = f"power to show that Rel({options.per_target}) is at least {options.wanted:g} (lower limit of the {level})"
    power = expected_power(layout, components, score=mean, wanted=options.wanted, assignment=who, level=options.level)
    yield Answer("rel_k_power", DESIGN, shown, power, "", INFORMATION)
    worse = _at_lower_limit(options, components)
    if worse is not None:
        power = expected_power(layout, worse, score=mean, wanted=options.wanted, assignment=who, level=options.level)
        same = "the same, were Rel(1) at the lower limit of the pilot"
        yield Answer("rel_k_power_at_pilot_limit", DESIGN, same, power, "", INFORMATION)


def _scores(options: PlanOptions) -> dict[str, Score]:
    return {"Rel(1)": Score(), f"Rel({options.per_target})": Score(options.per_target, options.replicates)}


def _at_lower_limit(options: PlanOptions, components: Components) -> Components | None:
    """Return the components with the target variance that the lower limit of the pilot's Rel(1) stands for."""
    low = None if options.pilot is None else options.pilot.rel_single.low
    if low is None or not 0.0 < low < 1.0:
        return None
    return replace(components, target=low / (1.0 - low) * components.error(Score()))


def _table(options: PlanOptions, components: Components) -> Iterator[PlanRow]:
    many_raters = RATERS if options.raters is None else [round(options.raters * step) for step in STEPS]
    for n_targets in step_targets(options):
        for n_raters in sorted({max(options.per_target, n) for n in many_raters}):
            if n_raters <= n_targets * options.per_target:
                yield _row(options, components, Layout(n_targets, n_raters, options.per_target, options.replicates))


def _row(options: PlanOptions, components: Components, layout: Layout) -> PlanRow:
    who = assign(layout, seed=options.seed)
    single, mean = (
        expected_precision(layout, components, score=score, assignment=who, level=options.level)
        for score in _scores(options).values()
    )
    score = Score(options.per_target, options.replicates)
    return PlanRow(
        layout=layout,
        load=layout.load,
        width_single=single.width,
        rel_k=mean.value,
        width_k=mean.width,
        power=expected_power(
            layout, components, score=score, wanted=options.wanted, assignment=who, level=options.level
        ),
        cost=price(layout, options.costs),
        planned=(layout.n_targets, layout.n_raters) == (options.targets, options.raters),
    )


def _limits(options: PlanOptions, components: Components) -> Limits:
    """Return where to search: no fewer targets than planned, for they are to be scored."""
    if options.limits is not None:
        return options.limits
    least = LEAST_TARGETS if options.targets is None else options.targets
    replicates = 1 if components.target_x_rater is None else MOST_REPLICATES
    return Limits(targets=(least, max(MOST_TARGETS, 5 * least)), most_replicates=replicates)


def _cheapest_for_width(
    options: PlanOptions, components: Components | None
) -> tuple[PricedLayout, ...] | Refusal | None:
    if components is None or options.width is None:
        return None
    goal = Goal(width=options.width, level=options.level, k=1.0, replicates=1)
    return cheapest_layouts(components, goal, costs=options.costs, limits=_limits(options, components))


def _cheapest_for_wanted(
    options: PlanOptions, components: Components | None
) -> tuple[PricedLayout, ...] | Refusal | None:
    if components is None:
        return None
    goal = Goal(lower=options.wanted, power=options.power, level=options.level)
    return cheapest_layouts(components, goal, costs=options.costs, limits=_limits(options, components))


def _simulate(options: PlanOptions, layout: Layout | None, components: Components | None) -> Simulation | None:
    if not options.simulate or layout is None or components is None:
        return None
    return simulate_design(
        layout,
        components,
        runs=options.simulate,
        seed=options.seed,
        model=choose_model(detect(*assign(layout, seed=options.seed))),
        score=Score(options.per_target, options.replicates),
        level=options.level,
        points=options.points,
    )


def _summarise(options: PlanOptions, simulation: Simulation | None) -> dict[str, Simulated]:
    """Summaries of the simulation; of one rater only where that rater has one rating."""
    if simulation is None or not len(simulation.intervals):
        return {}
    found = {f"Rel({options.per_target})": simulation.summarise(wanted=options.wanted)}
    if options.replicates == 1:
        found["Rel(1)"] = simulation.summarise(k=1.0)
    return found
