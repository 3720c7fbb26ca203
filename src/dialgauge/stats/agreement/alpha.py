r"""Krippendorff's alpha: one minus the disagreement within targets over the disagreement among all values.

With m_u values in target u (at least two, else its value is left out everywhere), n of them in all, and the squared
difference :math:`\delta^2` of two values,

.. math::
    D_u = \frac{1}{m_u - 1} \sum_{i, j \in u} \delta^2_{ij}, \quad
    E_u = \sum_{i \in u} \frac{1}{n} \sum_j \delta^2_{ij}, \quad
    \alpha = 1 - \frac{n - 1}{n} \frac{\sum_u D_u}{\sum_u E_u}

(Krippendorff 2019, Content Analysis, 4th edition, ch. 12). The interval metric needs sums of squares only:
D_u = 2 m_u SS_u / (m_u - 1). Krippendorff's ordinal metric is the interval metric of the mid-ranks of the values, since
:math:`\sum_{g=c}^{k} n_g - (n_c + n_k) / 2` is the difference of the mid-ranks of c and k.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.correction import TINY, check_paired, linearised
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.estimate import Estimate

Metric = Literal["nominal", "ordinal", "interval", "ratio"]

BLOCK = 1 << 20
"""Most numbers of a block of distinct values x distinct values that exists at a time (8 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Disagreement:
    """Number ``m`` of values, D_u ``within`` and E_u ``among``, for each target with two values or more: (targets,)."""

    m: Floats
    within: Floats
    among: Floats

    @property
    def alpha(self) -> float:
        n = self.m.sum()
        return float(1.0 - (n - 1) / n * self.within.sum() / self.among.sum())


def alpha_value(values: Floats, target: Codes, *, metric: Metric) -> float:
    """Return Krippendorff's alpha of values in long form, without an interval; arguments as ``krippendorff_alpha``."""
    keep, code = keep_pairable(values, target)
    return _disagree(values[keep], code, metric).alpha


def krippendorff_alpha(values: Floats, target: Codes, *, metric: Metric, level: float = 0.95) -> Estimate:
    """Return Krippendorff's alpha of values in long form, with an interval for these raters.

    ``values`` and ``target`` have shape (n,), one entry a rating; ``metric`` is the level of measurement of the
    declared scale. Values that are alone in their target are left out; ``Estimate.n`` counts the others. Time is O(n
    log n), for ``ratio`` the square of the number of distinct values, in bounded memory. The interval has the
    linearised standard error of Gwet (2014) over targets; for new raters see ``two_way_jackknife``. Raises
    ``InputError`` for values that are not finite or, for ``ratio``, negative; ``CannotEstimateError`` for constant
    values and unless two targets have two values.
    """
    keep, code = keep_pairable(values, target)
    return _estimate(_disagree(values[keep], code, metric), f"Krippendorff's alpha, {metric}", level)


def weighted_alpha(counts: Counts, weights: Floats | None = None, *, level: float = 0.95) -> Estimate:
    """Return alpha with agreement weights (q, q) in the place of a metric: the squared difference is 1 - weight.

    Quadratic weights on the scale points give interval alpha, exact matches nominal alpha; Gwet's ordinal weights give
    another number than ordinal alpha. Raises ``CannotEstimateError`` as ``krippendorff_alpha``. Source: Gwet (2014).
    """
    distance = 1.0 - check_weights(weights, counts.n_categories)
    table = counts.table[counts.per_target >= 2].astype(np.float64)
    check_paired(len(table))
    m = table.sum(axis=1)
    n_c = table.sum(axis=0)
    within = np.sum(table * (table @ distance), axis=1) / (m - 1)
    among = table @ (distance @ n_c) / m.sum()
    if among.sum() <= TINY:
        raise _constant(int(m.sum()))
    return _estimate(_Disagreement(m, within, among), "Krippendorff's alpha, weighted", level)


def keep_pairable(values: Floats, target: Codes) -> tuple[NDArray[np.bool_], Codes]:
    """Return which values (n,) have another value in their target, and for those the codes 0, 1, ... of their targets.

    Raises as ``krippendorff_alpha``.
    """
    if np.ndim(values) != 1 or np.shape(values) != np.shape(target):
        raise InputError(
            f"values of shape {np.shape(values)} and targets of shape {np.shape(target)}; give one of each"
        )
    if not np.all(np.isfinite(values)):
        where = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"value {where} is {values[where]}; leave missing ratings out before")
    code = np.unique(target, return_inverse=True)[1]
    paired = np.bincount(code) >= 2
    check_paired(int(paired.sum()))
    keep = paired[code]
    kept = values[keep]
    if kept.min() == kept.max():
        raise _constant(len(kept))
    return keep, (np.cumsum(paired) - 1)[code[keep]]


def midranks(values: Floats) -> Floats:
    """Return the rank of each value, equal values sharing the mean of their ranks."""
    _, code, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[code]


def _disagree(values: Floats, code: Codes, metric: Metric) -> _Disagreement:
    if metric == "interval":
        return _interval(values, code)
    if metric == "ordinal":
        return _interval(midranks(values), code)
    if metric == "nominal":
        return _nominal(values, code)
    if metric == "ratio":
        return _ratio(values, code)
    raise InputError(f"there is no metric {metric!r}; choose nominal, ordinal, interval or ratio")


def _interval(x: Floats, code: Codes) -> _Disagreement:
    x = x - x[0]  # exact, and keeps a large offset out of the squares
    x = x - x.mean()
    m = np.bincount(code).astype(np.float64)
    mean = sum_by(code, x) / m
    squares = sum_by(code, (x - mean[code]) ** 2)
    around = squares + m * mean**2
    return _Disagreement(m, 2 * m * squares / (m - 1), around + m * np.mean(x**2))


def _nominal(values: Floats, code: Codes) -> _Disagreement:
    _, category, total = np.unique(values, return_inverse=True, return_counts=True)
    m = np.bincount(code).astype(np.float64)
    cell, count = np.unique(code * len(total) + category, return_counts=True)
    alike = sum_by(cell // len(total), count.astype(np.float64) ** 2)
    others: Floats = 1.0 - total / len(values)
    return _Disagreement(m, (m**2 - alike) / (m - 1), sum_by(code, others[category]))


def _ratio(values: Floats, code: Codes) -> _Disagreement:
    if values.min() < 0:
        raise InputError(f"a ratio scale has no negative value like {values.min()}; declare the scale as interval")
    distinct, place, total = np.unique(values, return_inverse=True, return_counts=True)
    rows = max(1, BLOCK // len(distinct))
    blocks = [
        _ratio_metric(distinct[i : i + rows, None], distinct) @ total / len(values)
        for i in range(0, len(distinct), rows)
    ]
    m = np.bincount(code).astype(np.float64)
    return _Disagreement(m, _ratio_within(values, code) / (m - 1), sum_by(code, np.concatenate(blocks)[place]))


def _ratio_within(values: Floats, code: Codes) -> Floats:
    """Return the sum over ordered pairs of each target, comparing every value with the one 1, 2, ... places further."""
    order = np.argsort(code, kind="stable")
    values, code = values[order], code[order]
    total = np.zeros(code[-1] + 1)
    at, lag = np.arange(len(values)), 1
    while True:
        at = at[at + lag < len(values)]
        at = at[code[at] == code[at + lag]]
        if at.size == 0:
            return 2 * total
        total += sum_by(code[at], _ratio_metric(values[at], values[at + lag]), len(total))
        lag += 1


def _ratio_metric(a: Floats, b: Floats) -> Floats:
    both = a + b
    return ((a - b) / np.where(both > 0, both, 1.0)) ** 2


def _estimate(d: _Disagreement, name: str, level: float) -> Estimate:
    """Linearise alpha as irrCAC does, with n for n - 1 but in the share of observed disagreement that m_u shifts."""
    n, mean_m = d.m.sum(), d.m.mean()
    observed, expected = d.within.sum() / n, d.among.sum() / n
    plain = 1.0 - observed / expected
    excess = d.m / mean_m - 1.0
    terms = 1.0 + ((n - 1) / n * observed * excess - d.within / mean_m) / expected
    terms -= 2 * (1.0 - plain) * (1.0 + excess - d.among / mean_m / expected)
    return linearised(d.alpha, terms, n=int(n), name=name, level=level, around=plain)


def _constant(n: int) -> CannotEstimateError:
    return CannotEstimateError(
        f"all {n} values of targets with two ratings are the same, so alpha is undefined",
        remedy="report percent agreement and the marginals, or rate targets that differ",
    )
