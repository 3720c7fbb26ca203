r"""Reliability on the latent scale of a cumulative link mixed model, and the test of a variance component at zero.

The latent value behind a rating is :math:`\mu + u_{target} + v_{rater} + \epsilon` with the variance of
:math:`\epsilon` fixed by the link (:math:`\pi^2/3` or 1), so the mean of k raters has

.. math::
    \mathrm{Rel} = \frac{\sigma_t^2}{\sigma_t^2 + (\sigma_r^2 + \sigma_\epsilon^2) / k} = \frac{k c}{1 + k c}, \qquad
    c = \frac{\sigma_t^2}{\sigma_r^2 + \sigma_\epsilon^2}

and the relative form leaves :math:`\sigma_r^2` out (Brennan 2001, ch. 3; Nakagawa, Johnson and Schielzeth 2017 for the
latent residual). It speaks of latent values: the mean of k ratings on the declared points is less reliable where
points are few.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, norm

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats, one_thread
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate, Flag
from dialgauge.stats.ordinal.clmm import FACETS, ClmmFit, Facet, fit_data, objective_of
from dialgauge.stats.ordinal.minimise import Minimum, Plane, minimise
from dialgauge.stats.reml.odds import Form, step_up

Interval = Literal["profile", "wald"]

ROOT_TOLERANCE = 1e-6
SECOND_MAXIMUM = 1e-4
LEAST_ODDS, MOST_ODDS = 1e-9, 1e9
STRIDE = 0.7
LONGEST = 600.0
"""Next to zero a Wald interval reaches over all odds; its exponential must stay finite."""


@dataclass(frozen=True, slots=True)
class LatentOdds:
    """Latent odds of true to error variance of one rater, with the ends of their interval.

    ``low`` may be 0 and ``high`` infinite: then no variance of targets, or no error variance, lies within the interval.
    ``level`` is the confidence level, ``form`` and ``interval`` say how the odds and their ends were made.
    """

    value: float
    low: float
    high: float
    level: float
    form: Form
    interval: Interval

    def reliability(self, k: float) -> tuple[float, float, float]:
        """Return value, low and high of the reliability of the mean of ``k`` raters."""
        return step_up(self.value, k), step_up(self.low, k), step_up(self.high, k)


@dataclass(frozen=True, slots=True)
class ComponentTest:
    """Likelihood ratio test of the hypothesis that the variance of ``facet`` is zero.

    ``statistic`` is twice the gain in log likelihood; under the hypothesis it is 0 with probability 1/2 and
    chi-squared with one degree of freedom otherwise, and ``p`` is computed from that mixture.
    """

    facet: Facet
    statistic: float
    p: float
    log_likelihood: float
    log_likelihood_without: float


def likelihood_ratio_test(fit: ClmmFit, facet: Facet) -> ComponentTest:
    """Test whether the variance of ``facet`` is zero, by refitting without it.

    The mixture of half a point mass and half a chi-squared holds when no other variance is zero (Self and Liang 1987,
    case 5; Stram and Lee 1994); next to another one at zero it is an approximation. In small studies the test is
    conservative. Raises ``CannotEstimateError`` when the model has no such facet.
    """
    if facet not in fit.facets:
        raise CannotEstimateError(f"the model has no variance of {facet}s", remedy=f"fit it with {facet}s first")
    others = [FACETS.index(name) for name in fit.facets if name != facet]
    without = fit_data(fit.data, others, categories=fit.categories, empty=fit.empty)
    gain = 2.0 * (fit.log_likelihood - without.log_likelihood)
    statistic = 0.0 if facet in fit.boundary else max(gain, 0.0)
    return ComponentTest(
        facet=facet,
        statistic=statistic,
        p=0.5 * float(chi2.sf(statistic, 1)) if statistic > 0.0 else 1.0,
        log_likelihood=fit.log_likelihood,
        log_likelihood_without=without.log_likelihood,
    )


def latent_odds(
    fit: ClmmFit, *, form: Form = "absolute", interval: Interval = "profile", level: float = 0.95
) -> LatentOdds:
    """Return the latent odds of true to error variance of one rater with the ends of their interval.

    ``"profile"`` inverts the likelihood ratio test of the Laplace likelihood; ``"wald"`` is symmetric in the log of
    the odds, that is in the logit of every reliability, by the delta method, and takes a rater variance of zero as
    known. ``level`` lies in (0, 1). Raises ``CannotEstimateError`` when the model has no targets, and for ``"wald"``
    when their variance is zero.
    """
    if fit.target is None:
        raise CannotEstimateError("the model has no variance of targets", remedy="fit it with targets")
    if interval == "wald":
        return _wald(fit, form, level)
    with one_thread():
        curve = _Curve(fit, form, math.sqrt(float(chi2.ppf(level, 1))))
        return LatentOdds(curve.best, curve.low_end(), curve.high_end(), level=level, form=form, interval=interval)


def latent_reliability(fit: ClmmFit, odds: LatentOdds, *, k: float = 1.0) -> Estimate:
    """Return the latent reliability of the mean of ``k`` > 0 raters, from a fit and its ``latent_odds``."""
    flags: list[Flag] = []
    if fit.rater is not None and fit.data.crossing.n_raters < FEW_RATERS:
        flags.append("few_raters")
    if fit.boundary:
        flags.append("boundary")
    if odds.interval == "wald":
        flags.append("approximate")
    ways = {"profile": "profile likelihood", "wald": "Wald on the logit"}
    value, low, high = odds.reliability(k)
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=odds.level,
        method=f"cumulative {fit.link} mixed model, Laplace, latent scale, {odds.form}, {ways[odds.interval]}",
        covers=" and ".join(f"{facet}s" for facet in fit.facets),
        n=fit.n,
        flags=tuple(flags),
    )


def _rater_weight(fit: ClmmFit, form: Form) -> float:
    return 1.0 if form == "absolute" and fit.rater is not None else 0.0


def _odds(fit: ClmmFit, weight: float) -> float:
    return (fit.target or 0.0) / (weight * (fit.rater or 0.0) + fit.residual)


def _wald(fit: ClmmFit, form: Form, level: float) -> LatentOdds:
    if not fit.target:
        raise CannotEstimateError(
            "the variance of targets is zero, where a Wald interval does not exist", remedy="use the profile interval"
        )
    weight = _rater_weight(fit, form)
    rater = fit.rater or 0.0
    by_sd = [2.0 / math.sqrt(fit.target)]
    if rater > 0.0:
        by_sd.append(-2.0 * weight * math.sqrt(rater) / (weight * rater + fit.residual))
    slopes = np.array(by_sd)
    m = len(slopes)
    half = float(norm.ppf(0.5 + level / 2.0)) * math.sqrt(float(slopes @ fit.covariance[-m:, -m:] @ slopes))
    value = _odds(fit, weight)
    wide = math.exp(min(half, LONGEST))
    return LatentOdds(value, value / wide, value * wide, level=level, form=form, interval="wald")


class _Curve:
    """The profiled criterion as a function of the odds."""

    def __init__(self, fit: ClmmFit, form: Form, reach: float) -> None:
        self.fit, self.reach = fit, reach
        self.weight = _rater_weight(fit, form)
        self.best = _odds(fit, self.weight)
        self.objective = objective_of(fit.data)
        self.criterion = -2.0 * fit.log_likelihood
        self.has_rater = fit.rater is not None
        self._restart()

    def _restart(self) -> None:
        """Start the next search at the fit itself, with the curvature that its Hessian has along the plane."""
        fit = self.fit
        self.free = fit.minimum.free
        self.x = np.array([max(fit.rater or 0.0, 1e-3)] if self.has_rater else [])
        self.curvature = self._curvature_at_fit()

    def _curvature_at_fit(self) -> Floats | None:
        fit = self.fit
        if fit.boundary:
            return None
        lift = np.delete(np.eye(len(fit.minimum.hessian)), len(self.free), axis=1)
        if self.has_rater:
            lift[len(self.free), -1] = self.weight * self.x[0] / (self.weight * self.x[0] + fit.residual)
        return np.asarray(lift.T @ fit.minimum.hessian @ lift)

    def above(self, odds: float) -> float:
        """Return how far the profiled criterion lies above its minimum."""
        matrix = np.array([[odds * self.weight], [1.0]]) if self.has_rater else np.zeros((2, 0))
        plane = Plane(base=np.array([odds * self.fit.residual, 0.0]), matrix=matrix)
        least: Minimum = minimise(
            self.objective, plane, free=self.free, x=self.x, curvature=self.curvature, certify=False
        )
        self.free, self.curvature = least.free, least.hessian
        if (least.x == 0.0).any():
            self.curvature = None
        self.x = np.maximum(least.x, 1e-3)
        above = least.at.criterion - self.criterion
        if above < -SECOND_MAXIMUM:
            raise CannotEstimateError(
                "the Laplace likelihood has a second, higher maximum", remedy="collect ratings of more targets"
            )
        return max(above, 0.0)

    def low_end(self) -> float:
        if self.best <= 0.0 or self.above(0.0) <= self.reach**2:
            return 0.0
        return self._solve(-1.0, self.best)

    def high_end(self) -> float:
        return self._solve(1.0, max(self.best, 1e-3))

    def _solve(self, side: float, inner: float) -> float:
        """Bracket the end in log odds, walking outwards from ``inner``, and close in on it."""
        self._restart()

        def short(x: float) -> float:
            return self.reach - math.sqrt(self.above(math.exp(x)))

        near, far = math.log(inner), math.log(inner) + side * STRIDE
        while short(far) > 0.0:
            near, far = far, far + side * STRIDE
            if not math.log(LEAST_ODDS) < far < math.log(MOST_ODDS):
                return 0.0 if side < 0.0 else math.inf
        return math.exp(float(brentq(short, *sorted((near, far)), xtol=ROOT_TOLERANCE)))
