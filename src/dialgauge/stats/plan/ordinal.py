r"""What cutting normal ratings to a few points does to variance components.

A rating is 1 plus the number of cuts below its latent value. Two ratings whose latent values correlate by
:math:`\rho` then have

.. math:: C(\rho) = \sum_{a, b} \int_0^\rho \varphi_2(\tau_a, \tau_b; s) \, ds

as covariance (Plackett 1954), over all pairs of cuts. With :math:`s = \sin\theta` the integrand is smooth.
"""

import math

import numpy as np
from scipy.special import ndtr

from dialgauge.stats.arrays import Floats
from dialgauge.stats.components import Components
from dialgauge.stats.ranges import require_count

REACH = 2.0
"""The points divide the latent range of so many standard deviations to either side of the mean into equal parts."""

NODES = 64


def place_cuts(points: int) -> Floats:
    """Return the ``points`` - 1 cuts, in standard deviations from the mean of the latent ratings.

    For 5 points they are -1.2, -.4, .4 and 1.2. Raises ``InputError`` for fewer than two points.
    """
    require_count("the number of points of the scale", points, 2)
    return np.linspace(-REACH, REACH, points + 1)[1:-1]


def cut_components(components: Components, points: int) -> Components:
    """Return the variance components of the ratings after they were cut to ``points`` points.

    These are the covariances of two ratings that share a target, a rater or a cell, in points squared: what the
    ratings of a study on that scale estimate. Cutting makes some interaction of target and rater out of their main
    effects; it is part of the residual where ``components`` has it there. Raises ``InputError`` for fewer than two
    points.
    """
    cuts = place_cuts(points)
    total = components.total
    target = _covariance(cuts, components.target / total)
    rater = None if components.rater is None else _covariance(cuts, components.rater / total)
    variance = _variance(cuts)
    main = target + (rater or 0.0)
    if components.target_x_rater is None:
        return Components(target=target, rater=rater, residual=max(variance - main, 0.0))
    same_cell = (components.total - components.residual) / total
    within = _covariance(cuts, same_cell) if same_cell < 1.0 else variance
    return Components(
        target=target, rater=rater, target_x_rater=max(within - main, 0.0), residual=max(variance - within, 0.0)
    )


def _covariance(cuts: Floats, rho: float) -> float:
    if rho >= 1.0:
        return _variance(cuts)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = math.asin(rho) / 2.0
    theta = half * (nodes + 1.0)
    x, y = cuts[:, None, None], cuts[None, :, None]
    density = np.exp(-(x**2 - 2.0 * np.sin(theta) * x * y + y**2) / (2.0 * np.cos(theta) ** 2)) / (2.0 * math.pi)
    return float(half * (density.sum(axis=(0, 1)) @ weights))


def _variance(cuts: Floats) -> float:
    above = ndtr(-cuts)
    return float(np.sum(np.minimum.outer(above, above) - np.outer(above, above)))
