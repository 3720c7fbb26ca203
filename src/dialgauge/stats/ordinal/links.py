r"""The probability of one ordered category under a cumulative link, in logs, with the derivatives that Laplace needs.

A rating falls into category c when a latent value :math:`\mu + \epsilon` lies between two thresholds, so

.. math::
    P = F(a) - F(b), \qquad a = \theta_c - \mu, \quad b = \theta_{c-1} - \mu

with F the distribution of :math:`\epsilon`: logistic (variance :math:`\pi^2/3`) or standard normal (variance 1). The
lowest category has b = -inf, the highest a = +inf. See McCullagh (1980); Agresti (2010), ch. 3 and 5.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, log_ndtr

from dialgauge.stats.arrays import Floats

Link = Literal["logit", "probit"]

LINK_VARIANCE: dict[Link, float] = {"logit": math.pi**2 / 3.0, "probit": 1.0}
"""Variance of the latent residual under each link."""

LARGEST_EXPONENT = 700.0
LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    r"""Log probabilities of ratings and their derivatives, each of shape (n,).

    ``by_upper`` and ``by_lower`` are the derivatives of the log probability by a and by b; ``score`` is the one by
    :math:`\mu`, which is minus their sum. ``score_by_upper`` and ``score_by_lower`` are the derivatives of ``score``,
    and their sum ``weight`` is minus the second derivative by :math:`\mu` (positive: both links are log-concave).
    ``weight_by_upper`` and ``weight_by_lower`` are the derivatives of ``weight``.
    """

    log_probability: Floats
    by_upper: Floats
    by_lower: Floats
    score_by_upper: Floats
    score_by_lower: Floats
    weight_by_upper: Floats
    weight_by_lower: Floats

    @property
    def score(self) -> Floats:
        """First derivative of the log probability by the linear predictor."""
        return -(self.by_upper + self.by_lower)

    @property
    def weight(self) -> Floats:
        """Minus the second derivative of the log probability by the linear predictor."""
        return self.score_by_upper + self.score_by_lower


def evaluate_link(upper: Floats, lower: Floats, *, link: Link) -> Curve:
    """Evaluate the log probability of the interval from ``lower`` to ``upper``, both of shape (n,), ``lower < upper``.

    Entries of ``upper`` may be +inf and of ``lower`` -inf. Exact far out in the tails, where the plain difference of
    two distribution values would be 0.
    """
    return _logit(upper, lower) if link == "logit" else _probit(upper, lower)


def _logit(a: Floats, b: Floats) -> Curve:
    # P = F(a) (1 - F(b)) (1 - exp(b - a)): the last factor does not depend on the linear predictor
    gap = a - b
    pull = 1.0 / np.expm1(np.minimum(gap, LARGEST_EXPONENT))
    below, above, rest_below, rest_above = expit(a), expit(b), expit(-a), expit(-b)
    density_a, density_b = below * rest_below, above * rest_above
    return Curve(
        log_probability=np.log(-np.expm1(-gap)) - np.logaddexp(0.0, -a) - np.logaddexp(0.0, b),
        by_upper=rest_below + pull,
        by_lower=-above - pull,
        score_by_upper=density_a,
        score_by_lower=density_b,
        weight_by_upper=density_a * (rest_below - below),
        weight_by_lower=density_b * (rest_above - above),
    )


def _probit(a: Floats, b: Floats) -> Curve:
    mirrored = b > 0.0
    right, left = np.where(mirrored, -b, a), np.where(mirrored, -a, b)
    log_right = log_ndtr(right)
    log_p = log_right + np.log(-np.expm1(np.minimum(log_ndtr(left) - log_right, -1e-300)))
    alpha, at = _density_ratio(a, log_p)
    beta, bt = _density_ratio(b, log_p)
    slope_a, slope_b = -at * alpha, -bt * beta
    gamma, slope = alpha - beta, slope_a - slope_b
    by_a, by_b = alpha * gamma - slope_a, slope_b - beta * gamma
    return Curve(
        log_probability=log_p,
        by_upper=alpha,
        by_lower=-beta,
        score_by_upper=by_a,
        score_by_lower=by_b,
        weight_by_upper=alpha * slope - 2.0 * gamma * by_a - (at * at - 1.0) * alpha,
        weight_by_lower=(bt * bt - 1.0) * beta - beta * slope - 2.0 * gamma * by_b,
    )


def _density_ratio(end: Floats, log_p: Floats) -> tuple[Floats, Floats]:
    """Return the normal density at ``end`` over the probability, and the ends with 0 in place of infinity.

    The zeros keep products of the two finite: at an infinite threshold they vanish.
    """
    infinite = np.isinf(end)
    finite = np.where(infinite, 0.0, end)
    return np.exp(np.where(infinite, -np.inf, -0.5 * finite * finite - LOG_SQRT_2_PI - log_p)), finite
