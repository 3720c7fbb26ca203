"""One case by its route, beside the other route, and all differences of a table held together."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import stdtrit

from dialgauge.analyse.compare.cases import Case, Kind, Layout, leave_out_sparse, take_pair
from dialgauge.analyse.compare.planning import plan_by_proportion, plan_mixed, tells_raters
from dialgauge.analyse.compare.records import ComparedMeasure, Difference, SecondRoute, SystemMean, Verdict
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import one_thread
from dialgauge.stats.compare import Comparison, Contrast, NeededDesign, RankInterval, compare_linear, fit_pairs
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.monitor.sequence import adjust_holm
from dialgauge.stats.ranges import require_above, require_level, require_open

APART = 1.5
"""Standard errors of the two routes that differ by more than this factor are worth a sentence."""

ROUNDING = 1e-9

ENOUGH = 6
"""Personas and preferences that the clustered route takes at least to contradict the mixed model."""

NOTICEABLE = 0.1
"""Standard errors by which the difference of the printed means may miss that of the model without a word."""

NO_MODEL = "No mixed model could be fitted"
MEANS_APART = "The difference is not that of the means"


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

    One value per dialogue or rating has the mixed model of each pair of systems; where that has no answer, and for
    everything else, the clustered route. Raises CannotEstimateError where neither has an answer, and where fewer than
    two systems have five dialogues.
    """
    findings: tuple[str, ...] = ()
    other: Comparison | Refusal | None = None
    case = leave_out_sparse(case)
    try:
        found, mixed = _fit_mixed(case, terms), True
        other = _try_clustered(case, terms)
    except CannotEstimateError as error:
        if case.panel is not None:
            rated = "; the raters are then taken as given" if case.n_raters else ""
            findings = (f"{NO_MODEL} ({error.reason}): this is the clustered route{rated}.",)
        found, mixed = _fall_back(case, terms, error), False
    kind = case.kind
    unknown = {"persona", "preference"} - layout.known
    theirs = _contrasts_of(other, found)
    means = tuple(_cut(mean, kind.bounds) for mean in _take_means(case, found))
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
            SystemMean(system=name, mean=mean, rank=rank, n=n)
            for name, mean, rank, n in zip(case.systems, means, _rank(means, kind), _count(case), strict=True)
        ),
        differences=tuple(
            _name(contrast, other, case, paired=bool(layout.known))
            for contrast, other in zip(found.contrasts, theirs, strict=True)
        ),
        left_out=case.left_out,
        variance=dict(found.variance),
        boundary=found.boundary,
        cannot_tell={name: why for name, why in found.left_out.items() if not unknown & set(name.split())},
        second_route=_compare_routes(found, other, case),
        needed=_plan(found, case, layout, terms, share=n_measures, mixed=mixed),
        findings=(*findings, *_say_apart(found, means, case)),
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
        held.append(replace(measure, differences=tuple(differences), means=_rank_by_verdicts(measure, differences)))
    return tuple(held)


def _rank_by_verdicts(measure: ComparedMeasure, differences: Sequence[Difference]) -> tuple[SystemMean, ...]:
    """Return the means with ranks as far as the verdicts decide them: no better than all that are shown better."""
    found = []
    for mean in measure.means:
        own = [(d, "first" if d.first == mean.system else "second") for d in differences]
        own = [(d, side) for d, side in own if mean.system in {d.first, d.second} and d.verdict != "not shown"]
        worse = sum(d.verdict == side for d, side in own)
        low, high = 1 + len(own) - worse, len(measure.means) - worse
        rank = RankInterval(min(max(mean.rank.rank, low), high), low, high)
        found.append(replace(mean, rank=rank))
    return tuple(found)


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
        return fit_pairs(
            case.panel,
            higher_is_better=case.kind.direction != "lower_is_better",
            level=terms.level,
            fewest_raters=FEW_RATERS,
            rng=child_rng(terms.seed, "compare", case.kind.name),
            otherwise=partial(_fit_one_pair, case, terms),
        )


def _fit_one_pair(case: Case, terms: Terms, first: int, second: int, m: int) -> Contrast:
    """Return the contrast of one pair by the clustered route, held to ``m`` pairs together by Bonferroni."""
    pair = take_pair(case, first, second)
    joint = replace(terms, level=1.0 - (1.0 - terms.level) / m)
    own, wide = (_fit_clustered(pair, each).contrasts[0] for each in (terms, joint))
    method = f"{wide.difference.method}, Bonferroni over {m} pairs"
    simultaneous = replace(wide.difference, level=terms.level, method=method)
    p = min(m * own.p, 1.0)
    return replace(own, first=first, second=second, simultaneous=simultaneous, p_adjusted=p)


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


def _fall_back(case: Case, terms: Terms, error: CannotEstimateError) -> Comparison:
    """Return the answer of the clustered route; where it has none, say why neither route has."""
    try:
        return _fit_clustered(case, terms)
    except CannotEstimateError as other:
        if case.panel is None:
            raise
        reason = f"{error.reason}; and for the clustered route {other.reason}"
        raise CannotEstimateError(reason, remedy=other.remedy) from None


def _try_clustered(case: Case, terms: Terms) -> Comparison | Refusal:
    try:
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
    several = tells_raters(case)
    apart = ratio < 1.0 / APART or (ratio > APART and not several)
    identical = all(is_identical(case, c.first, c.second) for c in found.contrasts)
    return SecondRoute(ratio=ratio, disagrees=apart and not identical)


def _cut(found: Estimate, bounds: tuple[float, float]) -> Estimate:
    """Return an estimate that, with its interval, ends where values do."""
    ends = (None if end is None else min(max(end, bounds[0]), bounds[1]) for end in (found.low, found.high))
    low, high = ends
    return replace(found, value=min(max(found.value, bounds[0]), bounds[1]), low=low, high=high)


def _plan(
    found: Comparison, case: Case, layout: Layout, terms: Terms, *, share: int, mixed: bool
) -> tuple[NeededDesign, ...] | Refusal | None:
    """Return what the wanted difference takes at the level of a verdict, which all comparisons divide (Bonferroni)."""
    if terms.difference is None:
        return None
    alpha = (1.0 - terms.level) / (len(found.contrasts) * share)
    if mixed:
        return plan_mixed(found, case, layout, difference=terms.difference, power=terms.power, alpha=alpha)
    errors = [standard_error(c) or 0.0 for c in found.contrasts]
    df = min(c.df for c in found.contrasts)
    wanted = terms.difference
    return plan_by_proportion(case, layout, errors, df, difference=wanted, power=terms.power, alpha=alpha)


def _take_means(case: Case, found: Comparison) -> Sequence[Estimate]:
    """Return the means that are known from elsewhere, and those of the route for the others."""
    known = case.means or (None,) * len(found.means)
    return [mine if mine is not None else theirs for mine, theirs in zip(known, found.means, strict=True)]


def _say_apart(found: Comparison, means: Sequence[Estimate], case: Case) -> Iterator[str]:
    """Say for which pairs the difference is not that of the means, and why."""
    pairs = []
    for c in found.contrasts:
        error = standard_error(c)
        plain = means[c.first].value - means[c.second].value
        if error and abs(plain - c.difference.value) > NOTICEABLE * error:
            both = f"{case.systems[c.first]} and {case.systems[c.second]}"
            pairs.append(f"{both} ({plain:+.3g} and {c.difference.value:+.3g})")
    if pairs:
        yield (
            f"{MEANS_APART}: {', '.join(pairs[:4])}, by the means and by the model. Systems met partly other users, or "
            "some more often than others, and the model compares them as if all had been met alike."
        )


def _count(case: Case) -> list[int]:
    """Return how many values each system has."""
    if case.panel is None:
        return [estimate.n for estimate in case.estimates]
    return [int(n) for n in np.bincount(case.panel.system, minlength=len(case.systems))]


def _rank(means: Sequence[Estimate], kind: Kind) -> list[RankInterval]:
    """Return the ranks, those that differ by rounding alone tied; nothing is shown yet, so that all are possible."""
    side = -1.0 if kind.direction == "lower_is_better" else 1.0
    values = np.array([side * mean.value for mean in means])
    room = ROUNDING * max(1.0, float(np.abs(values).max()))
    above = [int((values > value + room).sum()) for value in values]
    beside = [int((np.abs(values - value) <= room).sum()) - 1 for value in values]
    return [RankInterval(1.0 + a + b / 2.0, 1, len(values)) for a, b in zip(above, beside, strict=True)]


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
        p_route=other.p_adjusted if other is not None and other.df >= ENOUGH - 1 else None,
        identical=is_identical(case, contrast.first, contrast.second),
    )


def is_identical(case: Case, first: int, second: int) -> bool:
    """Whether two systems have the same values in the same combinations of persona and preference."""
    one, other = ((case.estimates[s], case.crossings[s]) for s in (first, second))
    if abs(one[0].value - other[0].value) > ROUNDING or one[0].n != other[0].n:
        return False
    sums: dict[tuple[int, int], float] = {}
    for side, (estimate, crossing) in ((1.0, one), (-1.0, other)):
        for row in estimate.used.tolist():
            met = (int(crossing.persona[row]), int(crossing.preference[row]))
            sums[met] = sums.get(met, 0.0) + side * (float(estimate.influence[row]) + 1.0)
    return all(abs(total) < ROUNDING for total in sums.values())


def _judge(difference: Difference, measure: ComparedMeasure) -> Verdict:
    """Return the better system of a difference that is shown; without a better end, the higher one."""
    gain = difference.difference.value if measure.direction != "lower_is_better" else -difference.difference.value
    if gain == 0.0:
        return "not shown"
    return "first" if gain > 0.0 else "second"


def _is_within(difference: Difference, margin: float) -> bool:
    ends = difference.simultaneous
    return ends.low is not None and ends.high is not None and -margin < ends.low and ends.high < margin
