r"""Target means with the severity of shared raters taken out by least squares.

Model: :math:`x_{ij} = t_i + s_j + e_{ij}`. With N the counts of ratings by target and rater, m and c their sums over
raters and targets, the severities solve

.. math:: (\mathrm{diag}(c) - N' \mathrm{diag}(1/m) N)\, s = \sum_i x_{ij} - N' \bar x, \qquad t = \bar x - N s / m

up to a constant (Searle 1987, ch. 4). Where all raters rate all targets, t are the plain means less a constant.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.stats.arrays import Codes, Floats

RANK = 1e-9
"""Singular values below this share of the largest count as none."""


@dataclass(frozen=True, slots=True, eq=False)
class Adjusted:
    """Means of the targets, shape (I,), free of severity; the variance of one rating, and its degrees of freedom."""

    means: Floats
    residual: float
    df: int


def shares_raters(target: Codes, rater: Codes) -> bool:
    """Whether some rater rated more than one target."""
    pairs = np.unique(np.stack([rater, target]), axis=1)
    return bool(np.bincount(pairs[0]).max(initial=0) > 1)


def take_severity_out(values: Floats, target: Codes, rater: Codes) -> Adjusted | None:
    """Return the adjusted means; None where raters are not linked through targets, or no noise is left to estimate.

    All arrays have shape (n,); codes run from 0 and each is used.
    """
    n_targets, n_raters = int(target.max()) + 1, int(rater.max()) + 1
    counts = np.zeros((n_targets, n_raters))
    np.add.at(counts, (target, rater), 1.0)
    m = counts.sum(axis=1)
    means = np.bincount(target, values, n_targets) / m
    normal = np.diag(counts.sum(axis=0)) - counts.T @ (counts / m[:, None])
    right = np.bincount(rater, values, n_raters) - counts.T @ means
    severity, _, rank, _ = np.linalg.lstsq(normal, right, rcond=RANK)
    df = values.size - n_targets - n_raters + 1
    if rank < n_raters - 1 or df < 1:
        return None
    adjusted = means - counts @ severity / m
    errors = values - adjusted[target] - severity[rater]
    return Adjusted(adjusted, float(errors @ errors) / df, df)
