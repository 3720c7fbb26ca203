"""Large-sample standard errors of what is computed from the variances, by the delta method."""

import math

import numpy as np

from dialgauge.stats.arrays import Floats
from dialgauge.stats.kinds.criterion import lower_triangle
from dialgauge.stats.kinds.fit import KindsFit

FLAT = 1e-9
"""A second derivative below this, relatively, belongs to a direction of which the ratings say nothing."""


def coordinate_covariance(fit: KindsFit) -> Floats:
    """Return the covariance of the coordinates of the minimum; zero where they are held or the ratings say nothing."""
    is_open = fit.minimum.open
    rows = np.flatnonzero(is_open)
    values, vectors = np.linalg.eigh(fit.hessian[np.ix_(rows, rows)])
    sound = values > FLAT * max(float(np.abs(values).max(initial=0.0)), 1.0)
    found = np.zeros_like(fit.hessian)
    # the criterion is minus twice the log likelihood: its second derivative is twice the information
    found[np.ix_(rows, rows)] = (2.0 * vectors[:, sound] / values[sound]) @ vectors[:, sound].T
    return found


def variance_covariance(fit: KindsFit) -> Floats:
    """Return the covariance of the standardised variances, in the order of the gradient of evaluate, shape (p, p)."""
    jacobian = fit.minimum.chart.jacobian(fit.minimum.x)
    return np.asarray(jacobian @ coordinate_covariance(fit) @ jacobian.T)


def log_odds_slope(fit: KindsFit, kind: int, weights: Floats) -> Floats:
    """Return the derivative of the log odds of true to error variance in the variances, for error ``weights`` (3, G).

    The target variance of ``kind`` is above zero.
    """
    at = fit.minimum.variances
    rows, columns = lower_triangle(fit.n_kinds)
    own = np.equal(rows, kind) & np.equal(columns, kind)
    error = float((weights * np.stack([at.rater, at.cell, at.residual])).sum())
    return np.concatenate([own / at.sigma[kind, kind], -weights.ravel() / error])


def correlation_slope(fit: KindsFit, first: int, second: int) -> Floats:
    """Return the derivative of the correlation of the target effects on two kinds in the variances."""
    sigma = fit.minimum.variances.sigma
    rows, columns = (np.array(index) for index in lower_triangle(fit.n_kinds))
    spread = np.sqrt(sigma[first, first] * sigma[second, second])
    rho = sigma[first, second] / spread
    found = np.zeros(len(rows) + 3 * fit.n_kinds)
    across = (rows == max(first, second)) & (columns == min(first, second))
    found[: len(rows)] = across / spread
    for kind in (first, second):
        found[: len(rows)] -= 0.5 * rho / sigma[kind, kind] * ((rows == kind) & (columns == kind))
    return found


def standard_error(fit: KindsFit, slope: Floats) -> float:
    """Return the standard error of a function of the variances with this ``slope`` (p,)."""
    return math.sqrt(max(float(slope @ variance_covariance(fit) @ slope), 0.0))
