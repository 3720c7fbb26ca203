r"""How well single targets and raters fit the Rasch model, and how well a facet's levels are told apart.

With residual r = y - E, variance V and fourth central moment C of each rating,

.. math::
    \mathrm{outfit} = \frac{1}{n} \sum \frac{r^2}{V}, \qquad \mathrm{infit} = \frac{\sum r^2}{\sum V}

both 1 where the model holds, below 1 for ratings more predictable than that, above for noise. Their standardised forms
are the Wilson-Hilferty cube roots :math:`(MS^{1/3} - 1) (3/s) + s/3` with s the model's standard deviation of the mean
square (Wright and Masters 1982, ch. 5).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.ordinal.rasch_model import Moments

LEAST_SPREAD = 1e-8
"""A mean square whose model standard deviation is below this cannot vary: its standardised form is 0."""


@dataclass(frozen=True, slots=True, eq=False)
class MeanSquares:
    """Fit of the levels of a facet that are not extreme, all of shape (len(level),).

    ``level`` holds their codes; ``infit_z`` and ``outfit_z`` are about standard normal where the model holds.
    """

    level: Codes
    infit: Floats
    infit_z: Floats
    outfit: Floats
    outfit_z: Floats


@dataclass(frozen=True, slots=True)
class Separation:
    """How well the measures of a facet's levels are told apart.

    ``observed_sd`` is the standard deviation of the measures (divisor n - 1), ``rmse`` the root mean squared standard
    error, ``true_sd`` what remains of the first when the second is taken out (0 where nothing does). ``separation`` =
    true_sd / rmse, ``strata`` = (4 separation + 1) / 3, ``reliability`` = true over observed variance (Wright and
    Masters 1982, ch. 5): for raters it says how surely they *differ*, so it is no inter-rater reliability. ``chi2``
    with ``df`` and ``p`` tests that all levels have one measure.
    """

    n: int
    observed_sd: float
    rmse: float
    true_sd: float
    separation: float
    strata: float
    reliability: float
    chi2: float
    df: int
    p: float


def mean_squares(codes: Codes, residual: Floats, moments: Moments) -> MeanSquares:
    """Return the fit statistics of each level that occurs in ``codes``, from n ratings and their ``moments``."""
    level, position, count = np.unique(codes, return_inverse=True, return_counts=True)
    points = np.arange(moments.probability.shape[1], dtype=np.float64)
    fourth = (moments.probability * (points - moments.expected[:, None]) ** 4).sum(axis=1)
    variance = moments.variance
    total = np.bincount(position, variance)
    infit = np.bincount(position, residual**2) / total
    outfit = np.bincount(position, residual**2 / variance) / count
    infit_sd = np.sqrt(np.maximum(np.bincount(position, fourth - variance**2), 0.0)) / total
    outfit_sd = np.sqrt(np.maximum(np.bincount(position, fourth / variance**2 - 1.0), 0.0)) / count
    return MeanSquares(
        level=level,
        infit=infit,
        infit_z=_standardise(infit, infit_sd),
        outfit=outfit,
        outfit_z=_standardise(outfit, outfit_sd),
    )


def _standardise(mean_square: Floats, sd: Floats) -> Floats:
    out = np.zeros(len(sd))
    able = sd > LEAST_SPREAD
    out[able] = (np.cbrt(mean_square[able]) - 1.0) * 3.0 / sd[able] + sd[able] / 3.0
    return out


def separate(measure: Floats, se: Floats) -> Separation:
    """Summarise measures and their standard errors, both of shape (n,); raises ``CannotEstimateError`` for n < 2."""
    n = len(measure)
    if n < 2:
        raise CannotEstimateError(
            f"separation needs two levels, got {n}", remedy="use a study with more targets and raters"
        )
    observed = float(measure.var(ddof=1))
    error = float(np.mean(se**2))
    true = max(observed - error, 0.0)
    weight = 1.0 / se**2
    statistic = float(weight @ measure**2 - (weight @ measure) ** 2 / weight.sum())
    ratio = math.sqrt(true / error)
    return Separation(
        n=n,
        observed_sd=math.sqrt(observed),
        rmse=math.sqrt(error),
        true_sd=math.sqrt(true),
        separation=ratio,
        strata=(4.0 * ratio + 1.0) / 3.0,
        reliability=true / observed if observed > 0.0 else 0.0,
        chi2=statistic,
        df=n - 1,
        p=float(chi2.sf(statistic, n - 1)),
    )
