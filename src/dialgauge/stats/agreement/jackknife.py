"""Interval for alpha that holds for new targets and for new raters: a two-way jackknife."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dialgauge.errors import InputError
from dialgauge.stats.agreement.alpha import keep_pairable, krippendorff_alpha, midranks
from dialgauge.stats.agreement.twoway import (
    LEAST,
    ONE_HOLDS_ALL,
    LeftOut,
    NothingLeftError,
    check_left,
    these_raters_only,
    two_way_interval,
)
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.estimate import Estimate

Metric = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Codes from 0 of the target and the cell of each value, and of the target and the rater of each cell."""

    target: Codes
    cell: Codes
    cell_target: Codes
    cell_rater: Codes


def alpha_jackknife(values: Floats, target: Codes, rater: Codes, *, metric: Metric) -> LeftOut:
    """Return alpha with each target, each rater and each cell left out; all arguments of shape (n,).

    A target that keeps a single value is left out of both parts of alpha, as the definition says. Ordinal alpha keeps
    the metric of the whole data: the mid-ranks are not ranked anew. Time is O(n log n), for ``nominal`` times the
    number of distinct values. Raises as ``krippendorff_alpha``, and ``CannotEstimateError`` where leaving one out
    leaves no two different values to compare.
    """
    if np.shape(rater) != np.shape(target):
        raise InputError(f"targets of shape {np.shape(target)} and raters of shape {np.shape(rater)}; give one of each")
    keep, code = keep_pairable(values, target)
    raters, rater_code = np.unique(rater[keep], return_inverse=True)
    cells, cell = np.unique(code * len(raters) + rater_code, return_inverse=True)
    return _leave_out(values[keep], metric, _Layout(code, cell, cells // len(raters), cells % len(raters)))


def two_way_jackknife(values: Floats, target: Codes, rater: Codes, *, metric: Metric, level: float = 0.95) -> Estimate:
    """Return alpha with an interval for new targets and new raters; arguments and errors as ``alpha_jackknife``.

    The interval is that of ``two_way_interval``. Where leaving one out leaves nothing that disagrees, it is that of
    ``krippendorff_alpha`` for these raters only, and says so.

    Measured coverage of 95 % intervals (normal crossed data, rater share .15, target shares .05 to .5, 2,000 draws
    each): 94 to 97 % on 30 x 5 complete, 100 targets x 5 of 30, 100 x 5 of 10 and 200 x 5 of 117 raters; 91 to 98 % on
    200 x 3 complete, where three raters are too few to tell. Intervals over targets only: 84 to 95 %, and 62 to 74 %.
    """
    try:
        left = alpha_jackknife(values, target, rater, metric=metric)
    except NothingLeftError as refusal:
        found, why = None, refusal.why
    else:
        name = f"Krippendorff's alpha, {metric}"
        found, why = two_way_interval(left, name=name, level=level, floor=LEAST), ONE_HOLDS_ALL
    return found or these_raters_only(krippendorff_alpha(values, target, metric=metric, level=level), why)


def _coordinates(values: Floats, metric: Metric) -> Iterator[Floats]:
    """Yield the coordinates in which the metric is the squared Euclidean distance, each with mean zero."""
    if metric == "nominal":
        for value in np.unique(values):
            hit = (values == value).astype(np.float64)
            yield hit - hit.mean()
    elif metric in {"interval", "ordinal"}:
        x = values if metric == "interval" else midranks(values)
        yield x - x.mean()
    else:
        raise InputError(f"there is no jackknife for metric {metric!r}; choose nominal, ordinal or interval")


def _leave_out(values: Floats, metric: Metric, at: _Layout) -> LeftOut:
    """Take each unit's part away from n, from the sum of m SS / (m - 1), and from the sum of squares about the mean."""
    m, n_cell = np.bincount(at.target).astype(np.float64), np.bincount(at.cell).astype(np.float64)
    stays = m[at.cell_target] - n_cell >= 2  # whether the target can still be compared without the cell

    def units(by_target: Floats, by_cell: Floats, remainder: Floats | None = None) -> list[Floats]:
        gone = by_target[at.cell_target]
        cell = np.where(stays, by_cell if remainder is None else gone - remainder, gone)
        return [np.zeros(1), by_target, sum_by(at.cell_rater, cell), cell]

    n = [len(values) - part for part in units(m, n_cell)]
    check_left(n, "values")
    m_left = np.where(stays, m[at.cell_target] - n_cell, 2.0)
    within, total = [np.zeros(len(part)) for part in n], [np.zeros(len(part)) for part in n]
    for x in _coordinates(values, metric):
        s, q, s_cell, q_cell = (sum_by(code, part) for code in (at.target, at.cell) for part in (x, x * x))
        s_left, q_left = s[at.cell_target] - s_cell, q[at.cell_target] - q_cell
        a = m * (q - s * s / m) / (m - 1)
        a_left = m_left * (q_left - s_left**2 / m_left) / (m_left - 1)
        sums = zip(units(a, a, a_left), units(s, s_cell), units(q, q_cell), strict=True)
        for u, (da, ds, dq) in enumerate(sums):
            within[u] += a.sum() - da
            total[u] += (q.sum() - dq) - (s.sum() - ds) ** 2 / n[u]
    check_left([part / total[0] for part in total], "two different values")
    whole, target, rater, cell = (1.0 - (n[u] - 1) / n[u] * np.maximum(within[u], 0.0) / total[u] for u in range(4))
    return LeftOut(float(whole[0]), target, rater, cell, len(values))
