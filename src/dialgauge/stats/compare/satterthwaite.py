r"""Degrees of freedom of a contrast of systems, from how well its own variance is known.

.. math:: df = \frac{2 v^2}{g' C g}

with v the variance of the contrast, g its derivative in the variance parameters and C their asymptotic covariance,
twice the inverse of the second derivative of the criterion (Satterthwaite 1946; Giesbrecht and Burns 1985). Components
at zero stay there. The parameters are the free ratios and the logarithm of the residual variance.
"""

import numpy as np

from dialgauge.stats.arrays import Floats
from dialgauge.stats.compare.layout import Layout
from dialgauge.stats.compare.minimise import Minimum

LEAST = 1.0
"""A sum of mean squares never has fewer degrees of freedom than one of them."""


class Satterthwaite:
    """Variances of contrasts and their degrees of freedom at a minimum of the criterion."""

    def __init__(self, layout: Layout, minimum: Minimum) -> None:
        self.residual = minimum.at.squares / (layout.n - layout.n_systems)
        self.covariance = self.residual * minimum.at.spread
        self.slopes = np.concatenate([self.residual * minimum.curvature.spread, self.covariance[None]])
        self.parameters = _parameter_covariance(layout, minimum)

    def df(self, weights: Floats) -> float:
        """Return the degrees of freedom of the contrast with ``weights`` (S,) of the systems' means, at least 1."""
        v = float(weights @ self.covariance @ weights)
        g = np.einsum("i,kij,j->k", weights, self.slopes, weights)
        spread = float(g @ self.parameters @ g)
        return max(2.0 * v**2 / spread, LEAST)


def _parameter_covariance(layout: Layout, minimum: Minimum) -> Floats:
    """Return C from the profiled second derivatives: those of the full criterion, inverted, in f + 1 parameters."""
    free = float(layout.n - layout.n_systems)
    pull = free * minimum.curvature.squares / minimum.at.squares
    profiled = minimum.curvature.hessian
    full = np.block([[profiled + np.outer(pull, pull) / free, -pull[:, None]], [-pull[None], np.array([[free]])]])
    return np.asarray(2.0 * np.linalg.inv(full))
