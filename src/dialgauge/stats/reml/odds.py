r"""Reliability as a monotone function of the odds of true to error variance.

For the absolute form with k raters of r ratings each

.. math::
    \mathrm{Rel} = \frac{\sigma_t^2}{\sigma_t^2 + (\sigma_r^2 + \sigma_{tr}^2 + \sigma_e^2 / r) / k}
    = \frac{k c}{1 + k c}, \qquad c = \frac{\sigma_t^2}{\sigma_r^2 + \sigma_{tr}^2 + \sigma_e^2 / r}

and the relative form leaves :math:`\sigma_r^2` out of c (Brennan 2001, ch. 3). So one interval for c gives the interval
for every k.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dialgauge.stats.arrays import Floats
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate, Flag
from dialgauge.stats.reml.fit import CELL, RATER, TARGET, RemlFit

Form = Literal["absolute", "relative"]


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds of true to error variance of one rater, with an interval.

    ``low`` is 0 where no target variance at all lies within the interval, ``high`` is infinite where no error variance
    at all does. Both are ``None`` where the interval could not be formed. ``method`` says how it was formed.
    """

    value: float
    low: float | None
    high: float | None
    method: str

    def reliability(self, k: float) -> tuple[float, float | None, float | None]:
        """Return value, low and high of the reliability of the mean of ``k`` raters."""
        low, high = (None if end is None else step_up(end, k) for end in (self.low, self.high))
        return step_up(self.value, k), low, high


@dataclass(frozen=True, slots=True, eq=False)
class ErrorWeights:
    """What counts as error of one rater: the weights of the ratios (target, rater, cell), and the residual's share."""

    ratios: Floats
    residual: float

    def of(self, ratios: Floats) -> Floats:
        """Return the error variance over the residual variance at ``ratios`` of shape (..., 3)."""
        return np.asarray(ratios @ self.ratios + self.residual)


def error_weights(active: tuple[int, ...], form: Form, replicates: float) -> ErrorWeights:
    """Return the error weights of a model with the ``active`` ratios.

    ``replicates`` is the number of ratings that each rater gives to a target.
    """
    weights = np.zeros(3)
    weights[RATER] = 1.0 if form == "absolute" and RATER in active else 0.0
    weights[CELL] = 1.0 if CELL in active else 0.0
    return ErrorWeights(ratios=weights, residual=1.0 / replicates)


def odds_of(ratios: Floats, weights: ErrorWeights) -> Floats:
    """Return the odds of true to error variance at ``ratios`` of shape (..., 3)."""
    return np.asarray(ratios[..., TARGET] / weights.of(ratios))


def step_up(odds: float, k: float) -> float:
    """Reliability of the mean of ``k`` raters from the odds of one (Spearman 1910, Brown 1910)."""
    if math.isinf(odds):
        return 1.0
    return k * odds / (1.0 + k * odds)


def reliability_estimate(
    fit: RemlFit,
    odds: Odds,
    *,
    k: float,
    level: float,
    form: Form = "absolute",
    covers: str = "targets and raters",
    flags: tuple[Flag, ...] = (),
) -> Estimate:
    """Put the reliability of the mean of ``k`` raters, from a fit and the odds of one rater, into an Estimate."""
    value, low, high = odds.reliability(k)
    found: list[Flag] = [*flags]
    if fit.boundary:
        found.append("boundary")
    if low is None:
        found.append("no_interval")
    doubtful = "Wald" in odds.method and (len(fit.rater_effect) < FEW_RATERS or bool(fit.boundary))
    if fit.approximation or doubtful:
        found.append("approximate")
    method = f"REML {fit.model.replace('_', ' ')}, {form}, {odds.method}"
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        method=f"{method} ({fit.approximation})" if fit.approximation else method,
        covers=covers,
        n=fit.panel.n,
        flags=tuple(dict.fromkeys(found)),
    )
