"""Two kinds held against each other: their means, what their ratings are worth, and whether they see just the same."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, ndtri, stdtrit

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.kinds.fit import KindsFit
from dialgauge.stats.kinds.profile import LEAST_SHARED, error_weights, require_correlation, rise_at_correlation
from dialgauge.stats.kinds.wald import coordinate_covariance, log_odds_slope, standard_error
from dialgauge.stats.reml.odds import Form

DIFFERENCE = 1e-4
WIDEST = 20.0
"""Half an interval on the logarithm that is wider than this says nothing."""


@dataclass(frozen=True, slots=True)
class MeanContrast:
    """A mean, or a difference of means of kinds, in units of the ratings.

    ``se`` is the standard error for fresh targets, and fresh raters where the model has a variance of raters; the
    interval is Student's with ``df`` degrees of freedom (Satterthwaite).
    """

    value: float
    se: float
    df: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PerfectTest:
    """A test that the target effects on two kinds correlate perfectly.

    ``statistic`` is the rise of the REML criterion where the correlation is 1. ``p`` comes from the half-and-half
    mixture of chi-square with ``df`` and ``df - 1`` degrees of freedom.
    """

    statistic: float
    df: int
    p: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """How many raters of another kind are worth one rater.

    ``equal`` counts those whose mean has the same reliability, each measured against its own kind's view, with its
    interval (``low`` and ``high``, ``None`` where it reaches over everything). ``stand_in`` counts those whose mean
    correlates with the one rater's kind's view as highly as the rater does; ``None`` where no number does, or where
    the ``correlation`` of the target effects is not known.
    """

    equal: float
    low: float | None
    high: float | None
    stand_in: float | None
    correlation: float | None


def contrast_means(fit: KindsFit, contrast: Floats, *, level: float = 0.95) -> MeanContrast:
    """Return the sum of the kinds' means weighted by ``contrast`` (G,), with its standard error and interval.

    Degrees of freedom are 2 v^2 / Var(v) for the variance v of the sum, with Var(v) by the delta method (Giesbrecht and
    Burns 1985), and not below 1.
    """
    scaled, chart, at = contrast * fit.responses.scale, fit.minimum.chart, fit.minimum.x

    def variance(x: Floats) -> float:
        return float(scaled @ fit.evaluate(chart.variances(x)).mean_covariance @ scaled)

    slope = np.array([variance(at + u) - variance(at - u) for u in DIFFERENCE * np.eye(len(at))]) / (2.0 * DIFFERENCE)
    v = float(contrast @ fit.mean_covariance @ contrast)
    spread = float(slope @ coordinate_covariance(fit) @ slope) if len(at) else 0.0
    df = max(2.0 * v**2 / spread, 1.0) if spread > 0.0 else float(fit.panel.n - fit.n_kinds)
    value, se = float(contrast @ fit.mean), math.sqrt(v)
    reach = float(stdtrit(df, 0.5 + level / 2.0)) * se
    return MeanContrast(value, se, df, value - reach, value + reach)


def perfect_correlation_test(fit: KindsFit, first: int, second: int) -> PerfectTest:
    """Test that the target effects on two kinds correlate perfectly, by the likelihood ratio.

    The correlation of 1 lies on the edge: it says that what the two do not share has no variance, and so no covariance
    with the G - 2 other kinds either. The statistic then follows the half-and-half mixture of chi-square with G - 1 and
    G - 2 degrees of freedom (Self and Liang 1987; Stram and Lee 1994). Raises ``CannotEstimateError`` where there is
    no correlation, where noise is not told from targets, or where the restricted minimum could not be certified.
    """
    require_correlation(fit, first, second)
    for kind in (first, second):
        if fit.layouts[kind].basis == "single":
            raise CannotEstimateError(
                "each target has one rating of a kind, and its noise alone keeps the correlation from being perfect",
                remedy="let a second rater of the kind rate the targets, or the same one again",
            )
    rise = 0.0 if fit.correlation(first, second) == 1.0 else rise_at_correlation(fit, first, second, 1.0)
    df = fit.n_kinds - 1
    below = float(chdtrc(df - 1.0, rise)) if df > 1 else 0.0
    return PerfectTest(rise, df, 0.5 * (float(chdtrc(float(df), rise)) + below) if rise > 0.0 else 1.0)


def exchange_raters(fit: KindsFit, one: int, other: int, *, form: Form = "absolute", level: float = 0.95) -> Exchange:
    """Return how many raters of kind ``other`` are worth one rater of kind ``one``.

    With odds c of true to error variance, ``equal`` is c_one / c_other, since Rel(k) = k c / (1 + k c); its interval is
    a Wald interval on the logarithm. With the correlation rho of the target effects, the mean of k raters of
    ``other`` correlates with the view of ``one`` to the square of rho^2 Rel(k), and a single rater of ``one`` to that
    of Rel(1). Where a kind has one rater per target, its replicates count instead of raters. Raises
    ``CannotEstimateError`` where either kind's noise is not told from its targets, or has no target variance.
    """
    weights = [error_weights(fit, kind, form, 1.0) for kind in (one, other)]
    at = fit.minimum.variances
    own = np.stack([at.rater, at.cell, at.residual])
    true = np.array([at.sigma[kind, kind] for kind in (one, other)])
    if not (true > 0.0).all():
        raise CannotEstimateError(
            "the target variance of a kind is estimated as zero, so no number of its ratings is worth anything",
            remedy="collect more ratings per target of that kind, or targets that differ more",
        )
    odds = true / np.array([float((w * own).sum()) for w in weights])
    equal = float(odds[0] / odds[1])
    slope = log_odds_slope(fit, one, weights[0]) - log_odds_slope(fit, other, weights[1])
    reach = float(ndtri(0.5 + level / 2.0)) * standard_error(fit, slope)
    low, high = (None, None) if reach > WIDEST else (equal * math.exp(-reach), equal * math.exp(reach))
    rho = fit.correlation(one, other) if fit.shared[one, other] >= LEAST_SHARED else None
    return Exchange(equal, low, high, _stand_in(odds, rho), rho)


def _stand_in(odds: Floats, rho: float | None) -> float | None:
    """Solve rho^2 k c / (1 + k c) = Rel(1) of the one rater for k."""
    if rho is None or rho <= 0.0:
        return None
    wanted = float(odds[0] / (1.0 + odds[0])) / rho**2
    return wanted / (1.0 - wanted) / float(odds[1]) if wanted < 1.0 else None
