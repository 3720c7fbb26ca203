r"""How far each rater's values go along with what the other raters of the same targets gave.

The correlation of a rater's values with the means of the others, both as deviations from their means over the rater's
targets, summed over dimensions. Dimensions of one target are not independent: the correlation counts as one of
:math:`1 + \sum_d (n_d - 1) / (1 + (D - 1) \bar\rho)` pairs, with :math:`\bar\rho` the mean over pairs of dimensions of
the product of both sides' correlations, which is what the variance of a summed product under independence says. The
interval is Fisher's (1921) with that number of pairs.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from dialgauge.stats.arrays import Codes, Floats, sum_by

LEAST_PAIRS = 4.0
"""Fisher's standard error is 1 / sqrt(n - 3)."""

NEARLY_ONE = 1.0 - 1e-12

FLAT = 1e-12
"""Share of all variation below which a rater's values count as equal: what rounding leaves."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """The correlation of each rater with the others' means; arrays of shape (n_raters,).

    ``value`` has the interval ``low`` to ``high`` and rests on ``targets`` that count as ``pairs`` independent pairs;
    ``expected`` is the correlation of all other raters, and ``p`` is one-sided, against no less than that. Where fewer
    than four pairs are left, or one side does not vary, ``value``, ``low``, ``high`` and ``p`` are NaN.
    """

    value: Floats
    low: Floats
    high: Floats
    p: Floats
    targets: Codes
    pairs: Floats
    expected: Floats


def others_means(target: Codes, values: Floats) -> Floats:
    """Return the mean that the other raters gave to the same target, NaN where there is none.

    ``target`` (n,) and ``values`` (n, m) hold one row a target x rater pair; a missing value is NaN.
    """
    present = ~np.isnan(values)
    found = np.full(values.shape, np.nan)
    for d, here in enumerate(present.T):
        codes, column = target[here], values[here, d]
        total, count = sum_by(codes, column), sum_by(codes, np.ones(len(codes)))
        others = count[codes] - 1.0
        found[here, d] = np.divide(total[codes] - column, others, out=np.full(len(codes), np.nan), where=others > 0.0)
    return found


def correlate_with_others(target: Codes, rater: Codes, values: Floats, *, n_raters: int, level: float) -> Agreement:
    """Correlate each rater's values with the means of the other raters of the same targets.

    ``target`` and ``rater`` (n,) and ``values`` (n, m) hold one row a target x rater pair, in comparable units over the
    m dimensions; a missing value is NaN. ``level`` in (0, 1) is that of the intervals.
    """
    others = others_means(target, values)
    known = ~np.isnan(others)
    own, n = center_by(rater, np.where(known, values, np.nan), n_raters)
    other, _ = center_by(rater, others, n_raters)
    xy, xx, zz = (
        sum_by(rater, np.nansum(a * b, axis=1), n_raters) for a, b in ((own, other), (own, own), (other,) * 2)
    )
    pairs = _independent_pairs(n, _mean_product(own, other))
    tiny = FLAT * float(np.nansum((values - np.nanmean(values, axis=0)) ** 2))
    fine = (pairs >= LEAST_PAIRS) & (xx > tiny) & (zz > tiny)
    value = np.full(n_raters, np.nan)
    value[fine] = xy[fine] / np.sqrt(xx[fine] * zz[fine])
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = (xy.sum() - xy) / np.sqrt((xx.sum() - xx) * (zz.sum() - zz))
        se = 1.0 / np.sqrt(pairs - 3.0)
        z, z_expected = (np.arctanh(np.clip(r, -NEARLY_ONE, NEARLY_ONE)) for r in (value, expected))
        reach = float(ndtri(0.5 + level / 2.0)) * se
        low, high, p = np.tanh(z - reach), np.tanh(z + reach), ndtr((z - z_expected) / se)
    targets = n.max(axis=1).astype(np.intp)
    return Agreement(value, low, high, p, targets=targets, pairs=pairs, expected=expected)


def center_by(codes: Codes, values: Floats, n_levels: int) -> tuple[Floats, Floats]:
    """Subtract from each column of ``values`` (n, m) its mean per level, NaN left out; also return the counts.

    The counts have shape (n_levels, m).
    """
    known = ~np.isnan(values)
    count = np.stack([sum_by(codes, column.astype(np.float64), n_levels) for column in known.T], axis=1)
    total = np.stack([sum_by(codes, column, n_levels) for column in np.where(known, values, 0.0).T], axis=1)
    return values - (total / np.maximum(count, 1.0))[codes], count


def _independent_pairs(n: Floats, mean_product: float) -> Floats:
    used = (n >= 2.0).sum(axis=1)
    inflation = 1.0 + np.maximum(used - 1.0, 0.0) * mean_product
    return np.asarray(1.0 + np.maximum(n - 1.0, 0.0).sum(axis=1) / inflation)


def _mean_product(own: Floats, other: Floats) -> float:
    """Return the mean over pairs of dimensions of the product of the correlations on both sides (0 for one)."""
    m = own.shape[1]
    if m == 1:
        return 0.0
    product = _correlation(own) * _correlation(other)
    return float(np.clip((product.sum() - np.trace(product)) / (m * (m - 1)), 0.0, 1.0))


def _correlation(centred: Floats) -> Floats:
    """Correlate columns that are centred already; zero where one does not vary."""
    filled = np.nan_to_num(centred)
    cross = filled.T @ filled
    root = np.sqrt(np.diag(cross))
    return np.asarray(
        np.divide(cross, np.outer(root, root), out=np.zeros_like(cross), where=np.outer(root, root) > 0.0)
    )
