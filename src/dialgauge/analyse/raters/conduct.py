"""How each rater answers: straight-lining, halo, use of the scale, speed."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dialgauge.analyse.raters.fitting import comparable
from dialgauge.analyse.raters.parts import RaterSpeed, StraightLining, UseOfScale
from dialgauge.analyse.raters.table import AnswerTable, merge_replicates, parts_of
from dialgauge.analyse.results import Coefficient
from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.raters.agreement import others_means
from dialgauge.stats.raters.halo import rate_halo
from dialgauge.stats.raters.speed import Speed, time_raters
from dialgauge.stats.raters.straight import (
    LEAST_DIMENSIONS,
    constant_tails,
    each_rater,
    find_straight_lines,
    longest_runs,
)
from dialgauge.stats.raters.usage import tabulate_use

FAST_FRACTION = 1.0 / 3.0
"""Share of the panel's median seconds below which an answer is too fast."""

UNTIMED = Refusal("no column of seconds was given", "name it with --seconds")
NEVER_TIMED = Refusal("this rater's answers have no seconds", "fill the column of seconds")


@dataclass(frozen=True, slots=True, eq=False)
class Conduct:
    """Lists run over the raters of the table, and so do the one-sided p-values: NaN where a rater cannot be tested.

    ``straight_share`` is that of all raters together, ``timing`` what the seconds say; both ``None`` where not known.
    """

    straight: list[StraightLining | Refusal]
    halo: list[Coefficient]
    use: list[tuple[UseOfScale, ...]]
    speed: list[RaterSpeed | Refusal]
    straight_p: Floats
    one_value_p: Floats
    straight_share: float | None
    timing: Speed | None


def observe(ratings: Ratings, table: AnswerTable, *, level: float) -> Conduct:
    """Measure how every rater of ``table`` answers; ``level`` in (0, 1) is that of the intervals."""
    alike = _alike(ratings)
    straight, straight_p, share = _straight(table, alike)
    timing = None
    if table.seconds is not None and not np.isnan(table.seconds).all():
        known = ~np.isnan(table.seconds)
        timing = time_raters(table.rater[known], table.seconds[known], fraction=FAST_FRACTION, n_raters=table.n_raters)
    return Conduct(
        straight=straight,
        halo=_halo(ratings, table, level),
        use=_use(ratings, table),
        speed=[_speed(timing, table, j) for j in range(table.n_raters)],
        straight_p=straight_p,
        one_value_p=constant_tails(table.rater, table.columns(alike), n_raters=table.n_raters),
        straight_share=share,
        timing=timing,
    )


def _alike(ratings: Ratings) -> tuple[str, ...]:
    """Return the dimensions of the scale that most dimensions have."""
    ((scale, _),) = Counter(ratings.scales.values()).most_common(1)
    return tuple(name for name, other in ratings.scales.items() if other == scale)


def _straight(
    table: AnswerTable, alike: tuple[str, ...]
) -> tuple[list[StraightLining | Refusal], Floats, float | None]:
    n = table.n_raters
    if len(alike) < LEAST_DIMENSIONS:
        few = Refusal(
            f"only {len(alike)} dimension{'s' if len(alike) > 1 else ''} on one scale: one value for all says nothing",
            f"rate {LEAST_DIMENSIONS} or more dimensions on one scale",
        )
        return [few] * n, np.full(n, np.nan), None
    values = table.columns(alike)
    lines = find_straight_lines(table.rater, values, n_raters=n)
    runs = None
    if table.order is not None and not np.isnan(table.order).all():
        known = ~np.isnan(table.order)
        runs = longest_runs(table.rater[known], values[known], table.order[known], n_raters=n)
    short = Refusal(
        f"this rater rated no target on {LEAST_DIMENSIONS} dimensions of one scale", "fill the missing ratings"
    )
    found = [
        StraightLining(
            n_targets=int(lines.targets[j]),
            n_straight=int(lines.straight[j]),
            by_chance=float(lines.by_chance[j]),
            by_others=float(lines.by_others[j]) if np.isfinite(lines.by_others[j]) else None,
            longest_run=int(runs[j]) if runs is not None and runs[j] else None,
        )
        if lines.targets[j]
        else short
        for j in range(n)
    ]
    share = float(lines.straight.sum() / lines.targets.sum()) if lines.targets.any() else None
    return found, lines.p, share


def _halo(ratings: Ratings, table: AnswerTable, level: float) -> list[Coefficient]:
    names = tuple(
        name
        for name, column in zip(table.dimensions, table.values.T, strict=True)
        if ratings.scale_for(name).level != "nominal" and len(np.unique(column[~np.isnan(column)])) > 1
    )
    if len(names) < LEAST_DIMENSIONS:
        few = Refusal(
            f"fewer than {LEAST_DIMENSIONS} dimensions vary, so there is no mean correlation between them",
            f"rate {LEAST_DIMENSIONS} or more dimensions",
        )
        return [few] * table.n_raters
    target, rater, values = merge_replicates(table)
    used = comparable(
        ratings, names, values[:, [table.dimensions.index(name) for name in names]], "standard deviations"
    )
    deviations = used - others_means(target, used)
    found: list[Coefficient] = []
    rows = dict(each_rater(rater, table.n_raters))
    for j in range(table.n_raters):
        try:
            halo = rate_halo(deviations[rows[j]], level=level)
        except CannotEstimateError as error:
            found.append(Refusal(error.reason, error.remedy))
            continue
        estimate = Estimate(
            value=halo.value,
            low=halo.low,
            high=halo.high,
            level=level,
            method="mean correlation of deviations from the others' means, jackknife on Fisher's z",
            covers="targets",
            n=halo.n_targets,
            flags=("approximate",),
        )
        found.append(estimate)
    return found


def _use(ratings: Ratings, table: AnswerTable) -> list[tuple[UseOfScale, ...]]:
    """Return each rater's use of each scale that dimensions have."""
    found: list[list[UseOfScale]] = [[] for _ in table.raters]
    for scale in dict.fromkeys(ratings.scales.values()):
        names = tuple(name for name, other in ratings.scales.items() if other == scale)
        row, column = np.nonzero(~np.isnan(table.columns(names)))
        if not len(row):
            continue
        values = table.columns(names)[row, column]
        edges, labels = parts_of(scale, values)
        use = tabulate_use(table.rater[row], values, edges=edges, ends=scale.bounds, n_raters=table.n_raters)
        for j in np.flatnonzero(use.counts.any(axis=1)):
            numbers = (use.entropy, use.extremes, use.low, use.high, use.mean, use.spread)
            entropy, extremes, low, high, mean, spread = (float(array[j]) for array in numbers)
            counts = tuple(zip(labels, map(int, use.counts[j]), strict=True))
            found[j].append(UseOfScale(str(scale), names, counts, entropy, extremes, low, high, mean, spread))
    return [tuple(uses) for uses in found]


def _speed(timing: Speed | None, table: AnswerTable, j: int) -> RaterSpeed | Refusal:
    if timing is None:
        return UNTIMED if table.seconds is None else NEVER_TIMED
    if not timing.n[j]:
        return NEVER_TIMED
    return RaterSpeed(n=int(timing.n[j]), median=float(timing.median[j]), fast=float(timing.fast[j]))
