"""Halo: how much a rater's values of different dimensions move together beyond what the targets deserve.

From each value the mean of the other raters of that target is taken off; halo is the mean correlation between the
dimensions of what is left, over the rater's targets. Some of it is shared by all raters (what the means do not catch),
so it says something only beside the panel's. The interval is a jackknife over targets on Fisher's scale (Tukey 1958).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats

LEAST_TARGETS, LEAST_DIMENSIONS = 5, 3
FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Halo:
    """The mean correlation between ``n_dimensions`` dimensions over ``n_targets`` targets, with its interval."""

    value: float
    low: float
    high: float
    n_targets: int
    n_dimensions: int


def rate_halo(deviations: Floats, *, level: float) -> Halo:
    """Return the halo of one rater from ``deviations`` of the others' means, shape (n_targets, n_dimensions).

    They are in units in which a dimension has a spread of about 1. Targets with a missing deviation (NaN) and
    dimensions that do not vary are left out; ``level`` in (0, 1) is that of the interval. Raises
    ``CannotEstimateError`` where fewer than 5 targets or 3 dimensions are left.
    """
    whole = deviations[~np.isnan(deviations).any(axis=1)]
    n = len(whole)
    if n < LEAST_TARGETS:
        raise CannotEstimateError(
            f"this rater and another one rated {n} target{'' if n == 1 else 's'} in common on every dimension",
            remedy=f"halo needs {LEAST_TARGETS} such targets",
        )
    x = whole - whole.mean(axis=0)
    squares = (x**2).sum(axis=0)
    x = x[:, squares > FLAT]
    if x.shape[1] < LEAST_DIMENSIONS:
        raise CannotEstimateError(
            f"this rater's values depart from the others' in {x.shape[1]} dimensions only",
            remedy=f"halo needs {LEAST_DIMENSIONS} dimensions that vary",
        )
    value = _mean_correlation(x.T @ x)
    z, left_out = float(_fisher(value)), _fisher(_left_out(x))
    se = math.sqrt((n - 1.0) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    reach = float(stdtrit(n - 1.0, 0.5 + level / 2.0)) * se
    low, high = math.tanh(z - reach), math.tanh(z + reach)
    return Halo(value, low, high, n_targets=n, n_dimensions=x.shape[1])


def _mean_correlation(cross: Floats) -> float:
    root = np.sqrt(np.diag(cross))
    m = len(root)
    return float(((cross / np.outer(root, root)).sum() - m) / (m * (m - 1)))


def _left_out(x: Floats) -> Floats:
    """Return the mean correlation without each target in turn, shape (n,)."""
    n, cross = len(x), x.T @ x
    down = n / (n - 1.0)
    squares = np.diag(cross) - down * x**2
    varies = squares > FLAT
    inverse = np.where(varies, 1.0 / np.sqrt(np.where(varies, squares, 1.0)), 0.0)
    total = np.einsum("nd,nd->n", inverse @ cross, inverse) - down * np.einsum("nd,nd->n", inverse, x) ** 2
    m = varies.sum(axis=1)
    return np.asarray((total - m) / np.maximum(m * (m - 1.0), 1.0))


def _fisher(r: Floats | float) -> Floats:
    return np.asarray(np.arctanh(np.clip(r, -1.0 + 1e-9, 1.0 - 1e-9)))
