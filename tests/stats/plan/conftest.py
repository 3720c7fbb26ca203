"""Variance components that the tests of this folder plan with, and dense algebra to check against."""

import numpy as np
from numpy.typing import NDArray

from dialgauge.stats.components import Components, Score

TYPICAL = Components(target=0.35, rater=0.15, residual=0.5)
REPLICATED = Components(target=0.35, rater=0.15, target_x_rater=0.15, residual=0.35)

Codes = NDArray[np.intp]


def dense_variance(target: Codes, rater: Codes, components: Components, score: Score) -> float:
    """Return the variance of the log odds from the n x n covariance matrix: I_ij = tr(P V_i P V_j) / 2, delta rule."""
    n = len(target)
    cell = np.unique(target * (rater.max() + 1) + rater, return_inverse=True)[1]
    blocks = [np.equal.outer(codes, codes).astype(float) for codes in (target, rater, cell)]
    variances = [components.target, components.rater or 0.0, components.target_x_rater or 0.0]
    error = components.error(score)
    slopes = [1 / components.target, -1 / error if score.form == "absolute" else 0.0, -1 / error]
    if len(np.unique(cell)) == n:
        del blocks[2], variances[2], slopes[2]
    blocks, variances = [*blocks, np.eye(n)], [*variances, components.residual]
    inverse = np.linalg.inv(sum(v * block for v, block in zip(variances, blocks, strict=True)))
    ones = np.ones(n)
    p = inverse - np.outer(inverse @ ones, inverse @ ones) / (ones @ inverse @ ones)
    moved = [p @ block for block in blocks]
    information = np.array([[0.5 * np.sum(x * y.T) for y in moved] for x in moved])
    gradient = np.array([*slopes, -1 / error / score.replicates])
    return float(gradient @ np.linalg.solve(information, gradient))
