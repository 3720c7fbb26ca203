"""One case by its route, beside the other route, and all differences of a table held together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from dialgauge.analyse.compare.cases import Case, Kind, Layout, leave_out_sparse
from dialgauge.analyse.compare.records import ComparedMeasure, Difference, SecondRoute, SystemMean, Verdict
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import one_thread
from dialgauge.stats.compare import Comparison, Contrast, NeededDesign, RankInterval, compare_linear, fit_mixed, needed
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.monitor.sequence import adjust_holm
from dialgauge.stats.ranges import require_above, require_level, require_open

APART = 1.5
"""Standard errors of the two routes that differ by more than this factor are worth a sentence."""

ROUNDING = 1e-9

RATERS = (1, 2, 3, 5, 10)
"""The numbers of raters for which the dialogues are worked out that a wanted difference takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is asked of a comparison.

    ``measures`` are named beforehand (the usual ones where there are none), ``systems`` those that are compared (all
    where there are none). ``margin`` is how far means may be apart and still count as within it, ``difference`` is
    what a study shall be able to show with ``power``, both in the unit of the measures. ``seed`` is that of what is
    drawn. Raises InputError for numbers out of range.
    """

    measures: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    margin: float | None = None
    difference: float | None = None
    power: float = 0.8
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        require_level(self.level)
        require_open("the power", self.power, 0.0, 1.0)
        if self.margin is not None:
            require_above("the margin", self.margin, 0.0)
        if self.difference is not None:
            require_above("the wanted difference", self.difference, 0.0)
        if len(self.systems) == 1:
            raise InputError(f"a comparison takes two systems or more, got {self.systems[0]!r} alone; name another")


def measure_case(case: Case, layout: Layout, terms: Terms, *, n_measures: int = 1) -> ComparedMeasure:
    """Return the differences of one measure, not yet held to the ``n_measures`` of the table.

    One value per dialogue or rating has the mixed model; where that has no answer, and for everything else, the
    clustered route. Raises CannotEstimateError where neither has an answer.
    """
    findings: tuple[str, ...] = ()
    other: Comparison | Refusal | None = None
    try:
        found, mixed = _fit_mixed(case, terms), True
        other = _try_clustered(case, terms)
    except CannotEstimateError as error:
        if case.panel is not None:
            rated = "; the raters are then taken as given" if case.n_raters else ""
            findings = (f"No mixed model could be fitted ({error.reason}): this is the clustered route{rated}.",)
        case, found = _fall_back(case, terms, error)
        mixed = False
    kind = case.kind
    unknown = {"persona", "preference"} - layout.known
    return ComparedMeasure(
        name=kind.name,
        family=kind.family,
        unit=kind.unit,
        scale=kind.scale,
        direction=kind.direction,
        bounds=kind.bounds,
        route="mixed" if mixed else "clustered",
        method=found.method,
        n=found.n,
        n_raters=case.n_raters,
        means=tuple(
            SystemMean(system=name, mean=_cut(mean, kind.bounds), rank=rank, n=n)
            for name, mean, rank, n in zip(case.systems, found.means, _tie(found, kind), _count(case), strict=True)
        ),
        differences=tuple(
            _name(contrast, theirs, case, paired=bool(layout.known))
            for contrast, theirs in zip(found.contrasts, _contrasts_of(other, found), strict=True)
        ),
        left_out=case.left_out,
        variance=dict(found.variance),
        boundary=found.boundary,
        cannot_tell={name: why for name, why in found.left_out.items() if not unknown & set(name.split())},
        second_route=_compare_routes(found, other, case),
        needed=None
        if terms.difference is None
        else _work_out(found, case, terms, share=n_measures)
        if mixed
        else _NO_PLAN,
        findings=findings,
    )


def hold_together(measures: Sequence[ComparedMeasure], terms: Terms) -> tuple[ComparedMeasure, ...]:
    """Return the measures with verdicts that are held to all pairs of systems on all of them together.

    With one measure its own adjustment over pairs is that of the table. With several, the p-values of all pairs and
    measures are adjusted together (Holm 1979), and none falls below that within its measure.
    """
    adjusted = iter(adjust_holm([d.p for measure in measures for d in measure.differences]))
    held = []
    for measure in measures:
        differences = []
        for difference in measure.differences:
            p = max(next(adjusted), difference.p_pairs) if len(measures) > 1 else difference.p_pairs
            shown = p < 1.0 - terms.level
            differences.append(
                replace(
                    difference,
                    p_table=p,
                    verdict=_judge(difference, measure) if shown else "not shown",
                    within_margin=None if terms.margin is None else _is_within(difference, terms.margin),
                )
            )
        held.append(replace(measure, differences=tuple(differences)))
    return tuple(held)


def standard_error(contrast: Contrast) -> float | None:
    """Return the standard error behind the interval of a difference; None where it has none.

    Of an interval that was cut at an end of what is possible, the whole side counts.
    """
    found = contrast.difference
    if found.low is None or found.high is None:
        return None
    margin = max(found.high - found.value, found.value - found.low)
    return margin / float(stdtrit(contrast.df, (1.0 + found.level) / 2.0))


def _fit_mixed(case: Case, terms: Terms) -> Comparison:
    if case.panel is None:  # a value belongs to no dialogue
        raise CannotEstimateError("there is no value for each dialogue", remedy="choose a measure that has one")
    with one_thread():
        return fit_mixed(
            case.panel,
            higher_is_better=case.kind.direction != "lower_is_better",
            level=terms.level,
            rng=child_rng(terms.seed, "compare", case.kind.name),
        )


def _fit_clustered(case: Case, terms: Terms) -> Comparison:
    with one_thread():
        return compare_linear(
            case.estimates,
            case.crossings,
            bounds=case.kind.bounds,
            higher_is_better=case.kind.direction != "lower_is_better",
            level=terms.level,
            rng=child_rng(terms.seed, "compare", case.kind.name),
        )


def _fall_back(case: Case, terms: Terms, error: CannotEstimateError) -> tuple[Case, Comparison]:
    """Return the case that the clustered route takes, and its answer; where it has none, say why neither route has."""
    try:
        case = leave_out_sparse(case)
        return case, _fit_clustered(case, terms)
    except CannotEstimateError as other:
        if case.panel is None:
            raise
        reason = f"{error.reason}; and for the clustered route {other.reason}"
        raise CannotEstimateError(reason, remedy=other.remedy) from None


def _try_clustered(case: Case, terms: Terms) -> Comparison | Refusal:
    try:
        if sparse := leave_out_sparse(case).left_out[len(case.left_out) :]:
            return Refusal(f"of {sparse[0].system} {sparse[0].reason}", sparse[0].remedy)
        return _fit_clustered(case, terms)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _contrasts_of(other: Comparison | Refusal | None, found: Comparison) -> Sequence[Contrast | None]:
    """Return the contrasts of the second route; None for each where there is none."""
    return other.contrasts if isinstance(other, Comparison) else [None] * len(found.contrasts)


def _compare_routes(found: Comparison, other: Comparison | Refusal | None, case: Case) -> SecondRoute | Refusal | None:
    """Set the standard errors of the mixed model beside those of the clustered route, over all pairs.

    The clustered route knows no raters: where several rated, larger errors of the mixed model mean nothing.
    """
    if not isinstance(other, Comparison):
        return other
    ours, theirs = ([standard_error(c) or 0.0 for c in route.contrasts] for route in (found, other))
    if not any(theirs):
        return Refusal("the clustered route gives no standard error", "collect more dialogues")
    ratio = math.sqrt(sum(e * e for e in ours) / sum(e * e for e in theirs))
    several = case.n_raters is not None and case.n_raters > 1
    return SecondRoute(ratio=ratio, disagrees=ratio < 1.0 / APART or (ratio > APART and not several))


def _cut(found: Estimate, bounds: tuple[float, float]) -> Estimate:
    """Return an estimate that, with its interval, ends where values do."""
    ends = (None if end is None else min(max(end, bounds[0]), bounds[1]) for end in (found.low, found.high))
    low, high = ends
    return replace(found, value=min(max(found.value, bounds[0]), bounds[1]), low=low, high=high)


_NO_PLAN = Refusal(
    "the clustered route has no variance components to plan from",
    "plan with a measure that has one value per dialogue, such as acceptance",
)


def _work_out(found: Comparison, case: Case, terms: Terms, *, share: int) -> tuple[NeededDesign, ...] | Refusal:
    """Return what the wanted difference takes at the level of a verdict, which all comparisons divide (Bonferroni)."""
    try:
        return needed(
            found,
            difference=terms.difference or math.nan,
            power=terms.power,
            alpha=(1.0 - terms.level) / (len(found.contrasts) * share),
            n_raters=RATERS if case.n_raters else None,
        )
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _count(case: Case) -> list[int]:
    """Return how many values each system has."""
    if case.panel is None:
        return [estimate.n for estimate in case.estimates]
    return [int(n) for n in np.bincount(case.panel.system, minlength=len(case.systems))]


def _tie(found: Comparison, kind: Kind) -> list[RankInterval]:
    """Return the ranks, with means that differ by rounding alone tied."""
    side = -1.0 if kind.direction == "lower_is_better" else 1.0
    values = np.array([side * mean.value for mean in found.means])
    room = ROUNDING * max(1.0, float(np.abs(values).max()))
    above = [int((values > value + room).sum()) for value in values]
    beside = [int((np.abs(values - value) <= room).sum()) - 1 for value in values]
    return [replace(rank, rank=1.0 + a + b / 2.0) for rank, a, b in zip(found.ranks, above, beside, strict=True)]


def _name(contrast: Contrast, other: Contrast | None, case: Case, *, paired: bool) -> Difference:
    reach = case.kind.bounds[1] - case.kind.bounds[0]
    ours, theirs = standard_error(contrast), None if other is None else standard_error(other)
    return Difference(
        first=case.systems[contrast.first],
        second=case.systems[contrast.second],
        difference=_cut(contrast.difference, (-reach, reach)),
        simultaneous=_cut(contrast.simultaneous, (-reach, reach)),
        p=contrast.p,
        p_pairs=contrast.p_adjusted,
        p_table=contrast.p_adjusted,
        df=contrast.df,
        n_paired=contrast.n_paired if paired else 0,
        verdict="not shown",
        route_ratio=ours / theirs if ours and theirs else None,
        p_route=None if other is None else other.p_adjusted,
    )


def _judge(difference: Difference, measure: ComparedMeasure) -> Verdict:
    """Return the better system of a difference that is shown; without a better end, the higher one."""
    gain = difference.difference.value if measure.direction != "lower_is_better" else -difference.difference.value
    if gain == 0.0:
        return "not shown"
    return "first" if gain > 0.0 else "second"


def _is_within(difference: Difference, margin: float) -> bool:
    ends = difference.simultaneous
    return ends.low is not None and ends.high is not None and -margin < ends.low and ends.high < margin
