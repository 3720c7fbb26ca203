"""The plain correlation of the target means of two kinds, and how high it could be, noise being what it is."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.kinds.fit import KindsFit

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ObservedCorrelation:
    """Pearson's correlation of the observed target means of two kinds over ``n`` targets that both rated.

    The interval is Fisher's; ``None`` with fewer than four targets or a perfect correlation.
    """

    value: float
    low: float | None
    high: float | None
    n: int


def observed_correlation(
    target: Codes, kind: Codes, values: Floats, kinds: tuple[int, int], *, level: float = 0.95
) -> ObservedCorrelation:
    """Correlate the target means of two ``kinds`` as they stand, noise and all.

    ``target``, ``kind`` (of the rater) and ``values`` have shape (n,). Raises ``CannotEstimateError`` where fewer than
    three targets are shared or either kind's means are constant over them.
    """
    n_targets = int(target.max()) + 1
    counts, sums = np.zeros((2, n_targets)), np.zeros((2, n_targets))
    for i, g in enumerate(kinds):
        here = kind == g
        counts[i] = np.bincount(target[here], minlength=n_targets)
        sums[i] = np.bincount(target[here], values[here], minlength=n_targets)
    both = (counts > 0).all(axis=0)
    n = int(both.sum())
    means = sums[:, both] / counts[:, both]
    if n < 3 or not (np.ptp(means, axis=1) > 0.0).all():
        raise CannotEstimateError(
            f"the {n} targets that both kinds rated do not differ in both kinds' means, so nothing correlates",
            remedy="let both kinds rate more of the same targets",
        )
    deviation = means - means.mean(axis=1, keepdims=True)
    spread = math.prod(math.sqrt(float(row @ row)) for row in deviation)
    value = min(max(float(deviation[0] @ deviation[1]) / spread, -1.0), 1.0)
    if n < 4 or abs(value) == 1.0:
        return ObservedCorrelation(value, None, None, n)
    reach = float(ndtri(0.5 + level / 2.0)) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(value) + side * reach) for side in (-1.0, 1.0))
    return ObservedCorrelation(value, low, high, n)


def ceiling_of_observed(fit: KindsFit, first: int, second: int) -> float | None:
    """Return about what the observed correlation would be if the target effects on two kinds correlated perfectly.

    It is the root of the product of the reliabilities of their means (Spearman 1904), over the targets that both rated
    and as they were rated: severity lowers it only as far as targets have different raters. ``None`` where the noise
    of a kind is not known, or without three shared targets.
    """
    panel = fit.panel
    rated = np.asarray(panel.to_group @ panel.count).reshape(-1, fit.n_kinds)
    both = (rated[:, first] > 0.0) & (rated[:, second] > 0.0)
    if both.sum() < 3 or any(fit.layouts[g].basis == "single" for g in (first, second)):
        return None
    one, other = (_reliability_of_means(fit, g, both, rated[:, g]) for g in (first, second))
    return math.sqrt(one * other)


def _reliability_of_means(fit: KindsFit, g: int, both: Bools, rated: Floats) -> float:
    """Return the share of the variance of kind g's means over the targets in ``both`` that is due to the targets."""
    panel = fit.panel
    cells = np.flatnonzero((panel.kind == g) & both[panel.target])
    share = panel.count[cells] / rated[panel.target[cells]]
    n = int(both.sum())
    noise = float(share**2 @ ((fit.cell[g] or 0.0) + (fit.residual[g] or 0.0) / panel.count[cells])) / n
    sums, squares = (sum_by(panel.rater[cells], x, panel.n_raters) for x in (share, share**2))
    severity = float((squares - sums**2 / n).sum()) / (n - 1)
    true = float(fit.sigma[g, g])
    return true / (true + noise + (fit.rater[g] or 0.0) * severity)
