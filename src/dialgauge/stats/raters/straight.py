"""Straight-lining: one value for all dimensions of a target, again and again.

The share of such targets is held against two expectations, and the larger one counts: what the rater's own use of the
scale would give if dimensions were answered independently, and what the other raters do, whose dimensions agree for
good reasons too. The longest run of one value is the long-string index of Johnson (2005).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from dialgauge.stats.arrays import Codes, Floats, sum_by

LEAST_DIMENSIONS = 3
LEAST_CONSTANT = 5
"""Fewer equal ratings of a dimension say nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class StraightLines:
    """How often each rater gave all dimensions of a target the same value; arrays of shape (n_raters,).

    ``targets`` counts those with at least three ratings, ``straight`` those of them with one value throughout.
    ``by_chance`` is the share to expect from the rater's own use of the scale, ``by_others`` the share of all other
    raters (both 0 to 1; NaN without such targets). ``p`` is one-sided, against the larger of both.
    """

    targets: Codes
    straight: Codes
    by_chance: Floats
    by_others: Floats
    p: Floats


def find_straight_lines(rater: Codes, values: Floats, *, n_raters: int) -> StraightLines:
    """Find the rows of ``values`` (n, m; NaN where missing) that hold one value, per ``rater`` (n,).

    The m dimensions share one scale, and rows with fewer than three values do not count.
    """
    known = ~np.isnan(values)
    enough = known.sum(axis=1) >= LEAST_DIMENSIONS
    rater, values, known = rater[enough], values[enough], known[enough]
    straight = np.nanmax(values, axis=1) == np.nanmin(values, axis=1) if len(values) else np.zeros(0, dtype=np.bool_)
    targets = np.bincount(rater, minlength=n_raters)
    lines = sum_by(rater, straight.astype(np.float64), n_raters)
    by_chance = np.full(n_raters, np.nan)
    for j, rows in each_rater(rater, n_raters):
        by_chance[j] = _by_chance(values[rows], known[rows])
    others = targets.sum() - targets
    by_others = np.divide(lines.sum() - lines, others, out=np.full(n_raters, np.nan), where=others > 0)
    expected = np.fmax(by_chance, by_others)
    with np.errstate(invalid="ignore"):
        tail = betainc(lines, targets - lines + 1.0, np.minimum(expected, 1.0))
    p = np.where(targets > 0, np.where(lines > 0.0, tail, 1.0), np.nan)
    return StraightLines(targets, lines.astype(np.intp), by_chance, by_others, p)


def constant_tails(rater: Codes, values: Floats, *, n_raters: int) -> Floats:
    """Return how probable it is that a rater gives one value throughout, for those who do; NaN for the others.

    ``values`` (n, m; NaN where missing) are on one scale. The probability is that of the dimension where it is most
    likely, by the shares of the values among all raters; so it errs on the safe side. At least five ratings of a
    dimension are asked for.
    """
    found = np.full(n_raters, np.nan)
    shares = [np.unique(column[~np.isnan(column)], return_counts=True)[1] for column in values.T]
    shares = [counts / counts.sum() for counts in shares if counts.size > 1]
    for j, rows in each_rater(rater, n_raters):
        own = values[rows]
        counts = (~np.isnan(own)).sum(axis=0)
        if shares and counts.max() >= LEAST_CONSTANT and np.nanmax(own) == np.nanmin(own):
            found[j] = max(float(np.sum(share ** counts.max())) for share in shares)
    return found


def longest_runs(rater: Codes, values: Floats, order: Floats, *, n_raters: int) -> Codes:
    """Return the longest run of one value in the sequence of each rater, shape (n_raters,).

    The sequence goes through the rows by ``order`` (n,), and within a row through the dimensions as they stand.
    """
    found = np.zeros(n_raters, dtype=np.intp)
    for j, rows in each_rater(rater, n_raters):
        sequence = values[rows[np.argsort(order[rows], kind="stable")]].ravel()
        found[j] = longest_run(sequence[~np.isnan(sequence)])
    return found


def longest_run(sequence: Floats) -> int:
    """Return the length of the longest run of one value in ``sequence``."""
    if not sequence.size:
        return 0
    ends = np.flatnonzero(np.append(sequence[1:] != sequence[:-1], True))
    return int(np.diff(ends, prepend=-1).max())


def each_rater(rater: Codes, n_raters: int) -> Sequence[tuple[int, Codes]]:
    """Return each rater that occurs with the numbers of its rows, in their order."""
    order = np.argsort(rater, kind="stable")
    ends = np.cumsum(np.bincount(rater, minlength=n_raters))
    return [(j, rows) for j, rows in enumerate(np.split(order, ends[:-1])) if rows.size]


def _by_chance(values: Floats, known: NDArray[np.bool_]) -> float:
    """Return the share of straight rows that one rater's marginals give if dimensions are independent."""
    points, codes = np.unique(values[known], return_inverse=True)
    column = np.nonzero(known)[1]
    counts = np.bincount(column * len(points) + codes, minlength=values.shape[1] * len(points))
    shares = counts.reshape(values.shape[1], len(points)) / np.maximum(known.sum(axis=0), 1)[:, None]
    patterns, times = np.unique(known, axis=0, return_counts=True)
    each = [float(np.prod(shares[pattern], axis=0).sum()) for pattern in patterns]
    return float(np.dot(each, times) / times.sum())
