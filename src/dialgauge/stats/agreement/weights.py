"""How much a near miss counts: agreement weights between the points of the declared scale."""

from typing import Literal

import numpy as np

from dialgauge.errors import InputError
from dialgauge.stats.arrays import Floats

Kind = Literal["identity", "linear", "quadratic", "ordinal"]


def rating_weights(kind: Kind, points: Floats) -> Floats:
    """Return the weights (q, q) between the q points of a scale: 1 on the diagonal, 0 for the farthest pair.

    ``points`` are the numbers that the scale declares, all different, used or not. ``identity`` counts exact matches
    only. With the range R, ``linear`` is 1 - abs(a - b) / R (Cicchetti and Allison 1971) and ``quadratic`` is
    1 - (a - b)^2 / R^2 (Fleiss and Cohen 1973). ``ordinal`` uses the order only: 1 - C(d + 1, 2) / C(q, 2), where d is
    the number of steps between a and b (Gwet 2014); it is not the ordinal metric of Krippendorff. Raises
    ``InputError`` for fewer than two points, equal points or points that are not finite.
    """
    points = np.asarray(points, dtype=np.float64)
    q = len(points)
    if q < 2 or not np.all(np.isfinite(points)) or len(np.unique(points)) < q:
        raise InputError(f"the points {points.tolist()} make no scale; declare at least two different finite numbers")
    if kind == "identity":
        return np.eye(q)
    if kind == "ordinal":
        rank = np.argsort(np.argsort(points)).astype(np.float64)
        steps = np.abs(rank[:, None] - rank)
        return np.asarray(1.0 - steps * (steps + 1) / (q * (q - 1)))
    distance: Floats = np.abs(points[:, None] - points) / np.ptp(points)
    if kind == "linear":
        return 1.0 - distance
    if kind == "quadratic":
        return 1.0 - distance**2
    raise InputError(f"there are no weights {kind!r}; choose identity, linear, quadratic or ordinal, or give a matrix")


def check_weights(weights: Floats | None, n_categories: int) -> Floats:
    """Return ``weights`` after checking them; ``None`` stands for exact matches only.

    Raises ``InputError`` unless they are symmetric, of shape (q, q), within 0 .. 1, with ones on the diagonal.
    """
    if weights is None:
        return np.eye(n_categories)
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (n_categories, n_categories):
        raise InputError(
            f"weights of shape {weights.shape} do not fit {n_categories} declared categories; give one row and one "
            "column for each category"
        )
    fits = np.all((weights >= 0) & (weights <= 1)) and np.all(np.diag(weights) == 1)
    if not fits or not np.array_equal(weights, weights.T):
        raise InputError(
            "agreement weights must be symmetric, within 0 .. 1, and 1 on the diagonal; turn disagreement weights d "
            "into 1 - d / max(d)"
        )
    return weights
