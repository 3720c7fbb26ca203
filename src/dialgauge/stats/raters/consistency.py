r"""How far each rater's residuals scatter, beside those of the other raters.

For each rater :math:`s^2 = \sum e^2 / \sum (1 - h)` over ratings and dimensions, with e the conditional residuals and h
their leverages (`dialgauge.stats.raters.residuals`), over the same of all other raters. A sum of squares of correlated
residuals is a weighted sum of chi-squares; it is taken as a shifted multiple of one chi-square with the same mean,
variance and skewness (Buckley and Eagleson 1988), and that of the other raters as one with the same mean and variance
(Satterthwaite 1946). The variance of a square is corrected for the kurtosis of the residuals, as ratings on a few
points are not normal (Box and Andersen 1955; Layard 1973).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, fdtri

from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.raters.residuals import Residuals

LEAST_KURTOSIS_FACTOR = 0.25
"""Guards against samples whose squares seem not to vary at all; ratings on two points, equally frequent, have 0."""

CHUNK = 4_000_000
"""Most numbers of the raters' matrices at a time (32 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """The residuals of one dimension, summed per rater; arrays of shape (n_raters,), zero for raters without ratings.

    ``squares`` sums e^2 and ``free`` 1 - h. ``free_squares`` and ``free_cubes`` are the traces of the second and third
    power of P between the ratings of the rater, its entries off the diagonal taken as equal to each other. ``fourth``
    and ``paired`` are what kurtosis is made of.
    """

    squares: Floats
    free: Floats
    free_squares: Floats
    free_cubes: Floats
    fourth: Floats
    paired: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Consistency:
    """The residual variance of each rater over that of the other raters; arrays of shape (n_raters,).

    ``ratio`` has the interval ``low`` to ``high``; ``p`` is one-sided, against no more scatter than the others have.
    ``df`` and ``df_others`` are degrees of freedom by mean and variance. All are NaN where nothing can be compared.
    """

    ratio: Floats
    low: Floats
    high: Floats
    p: Floats
    df: Floats
    df_others: Floats


def sum_scatter(residuals: Residuals, rater: Codes, *, n_raters: int) -> Scatter:
    """Sum the residuals of one dimension per rater; ``rater`` of shape (n,) numbers raters 0 to ``n_raters`` - 1.

    The raters of the dimension stand in ``residuals`` in the order of their numbers.
    """
    value, free = residuals.value, residuals.free
    n = np.bincount(rater, minlength=n_raters).astype(np.float64)
    total, squared = sum_by(rater, free, n_raters), sum_by(rater, free**2, n_raters)
    whole = np.zeros(n_raters)
    whole[n > 0.0] = residuals.rater_free
    apart = _over(whole - total, n * (n - 1.0))
    mean = _over(total, n)
    scaled = _over(value**2, free)
    sums, fourth = sum_by(rater, scaled, n_raters), sum_by(rater, scaled**2, n_raters)
    return Scatter(
        squares=sum_by(rater, value**2, n_raters),
        free=total,
        free_squares=squared + n * (n - 1.0) * apart**2,
        free_cubes=np.maximum(n - 1.0, 0.0) * (mean - apart) ** 3 + _over(whole, n) ** 3,
        fourth=np.where(n > 1.0, fourth, 0.0),
        paired=_over(sums**2 - fourth, n - 1.0),
    )


def compare_scatter(scatters: Sequence[Scatter], correlation: Floats, *, level: float) -> Consistency:
    """Compare each rater's scatter, over all dimensions, with that of the other raters.

    ``scatters`` holds one entry a dimension, ``correlation`` (m, m) the correlations of the residuals between them;
    ``level`` in (0, 1) is that of the intervals.
    """
    squares, free = (np.sum([getattr(s, name) for s in scatters], axis=0) for name in ("squares", "free"))
    factor = _kurtosis_factor(scatters)
    second = factor * _weighted_traces(np.sqrt([s.free_squares for s in scatters]), correlation, power=2)
    third = factor**2 * _weighted_traces(np.cbrt([s.free_cubes for s in scatters]), correlation, power=3)
    others_squares, others_free, others_second = (x.sum() - x for x in (squares, free, second))
    ratio = _over(squares * others_free, free * others_squares)
    known = (ratio > 0.0) & (second > 0.0) & (others_second > 0.0)
    ratio[~known] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        df, df_others = free**2 / second, others_free**2 / others_second
        shape = second**3 / third**2  # degrees of freedom by skewness
        stretch = np.minimum(np.sqrt(shape * second) / free, 1.0)
        p = fdtrc(shape, df_others, 1.0 + (ratio - 1.0) / stretch)
        low, high = (
            ratio / (1.0 + (fdtri(shape, df_others, 0.5 + side * level / 2.0) - 1.0) * stretch) for side in (1.0, -1.0)
        )
    return Consistency(ratio=ratio, low=low, high=high, p=p, df=df, df_others=df_others)


def _weighted_traces(weights: Floats, correlation: Floats, *, power: int) -> Floats:
    """Return the trace of (diag(w) R)^power for the weights w of each rater, given as (m, n_raters)."""
    m, n_raters = weights.shape
    if power == 2:
        return np.asarray(np.einsum("dj,de,ej->j", weights, correlation**2, weights))
    found = np.empty(n_raters)
    step = max(1, CHUNK // m**2)
    for first in range(0, n_raters, step):
        here = slice(first, first + step)
        scaled = weights.T[here, :, None] * correlation
        found[here] = np.einsum("jde,jed->j", scaled @ scaled, scaled)
    return found


def _kurtosis_factor(scatters: Sequence[Scatter]) -> float:
    """Return the variance of a squared residual over that of a normal one, from scatter within raters."""
    fourth, paired = (float(sum(np.sum(getattr(s, name)) for s in scatters)) for name in ("fourth", "paired"))
    return max((fourth / paired - 1.0) / 2.0, LEAST_KURTOSIS_FACTOR) if paired > 0.0 else 1.0


def _over(above: Floats, below: Floats) -> Floats:
    """Divide; zero where ``below`` is not positive."""
    return np.asarray(np.divide(above, below, out=np.zeros_like(above), where=below > 0.0))
