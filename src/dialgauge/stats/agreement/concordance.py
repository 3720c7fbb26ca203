"""Kendall's W: how far several raters rank the targets alike."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc
from scipy.stats import rankdata

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.correction import symmetric
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate

BLOCK = 1 << 20
"""Most comparisons of two targets that exist at a time (8 MB)."""


@dataclass(frozen=True, slots=True)
class Concordance:
    """Kendall's W (0 to 1) with its test of no concordance: chi2 with ``df`` = targets - 1 (for 8 targets or more)."""

    estimate: Estimate
    chi2: float
    df: int
    p: float


def kendall_w(scores: Floats, *, level: float = 0.95) -> Concordance:
    """Return Kendall's W of a complete table, shape (targets, raters), corrected for ties.

    The interval is a jackknife over targets, in which the others are ranked anew, t with targets - 1 df, cut at 1.
    Time is O(targets^2 x raters). Raises ``InputError`` for a table with missing values, ``CannotEstimateError`` for
    fewer than three targets or two raters and where no rater tells any targets apart. Source: Kendall and Babington
    Smith (1939); Kendall (1970) for ties.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or not np.all(np.isfinite(scores)):
        raise InputError("Kendall's W needs a complete table (targets, raters); choose the targets that all have rated")
    n, m = scores.shape
    if n < 3 or m < 2:
        raise CannotEstimateError(
            f"the table has {n} targets and {m} raters", remedy="give at least 3 targets and 2 raters"
        )
    ranks = rankdata(scores, axis=0)
    alike = np.column_stack([np.bincount((2 * r).astype(np.intp))[(2 * r).astype(np.intp)] for r in ranks.T])
    ties = np.sum(alike**2 - 1)  # a group of t equal ranks counts t times, so this is the sum of t^3 - t
    if ties == m * (n**3 - n):
        raise CannotEstimateError(
            f"each of the {m} raters scores all {n} targets alike, so there are no ranks to compare",
            remedy="report the marginals, or rate targets that differ",
        )
    rank_sums = ranks.sum(axis=1)
    W = float(_concordance(np.sum((rank_sums - m * (n + 1) / 2) ** 2), n, m, ties))
    ties_left = ties - 3 * np.sum(alike * (alike - 1), axis=1)
    if np.any(ties_left == m * ((n - 1) ** 3 - (n - 1))):
        se = 0.0
    else:
        left = _concordance(_spread_without(ranks, rank_sums), n - 1, m, ties_left)
        se = float(np.sqrt((n - 1) * left.var()))
    name = f"Kendall's W, corrected for ties; jackknife over targets, t with {n - 1} df"
    estimate = symmetric(W, se, df=n - 1, n=n * m, name=name, level=level)
    chi2 = m * (n - 1) * W
    return Concordance(estimate, chi2, n - 1, float(chdtrc(n - 1, chi2)))


def _concordance(spread: Floats, n: int, m: int, ties: Floats) -> Floats:
    return 12.0 * spread / (m**2 * (n**3 - n) - m * ties)


def _spread_without(ranks: Floats, rank_sums: Floats) -> Floats:
    """Return the spread of the rank sums (squares about their mean) with each target left out, the others moved up."""
    n, m = ranks.shape
    spread = np.empty(n)
    rows = max(1, BLOCK // n)
    for start in range(0, n, rows):
        block = ranks[start : start + rows]
        below = np.zeros((len(block), n))
        for g in range(m):
            below += np.sign(ranks[:, g] - block[:, g, None])
        deviation = (rank_sums - (below + m) / 2 - m * n / 2) ** 2
        out = np.arange(len(block))
        deviation[out, start + out] = 0.0
        spread[start : start + rows] = deviation.sum(axis=1)
    return spread
