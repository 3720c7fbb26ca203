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
    """Return how probable it is that a rater gives one value throughout, for those who do, and 1 for the others.

    ``values`` (n, m; NaN where missing) are on one scale. Raters with fewer than five ratings of each dimension have
    NaN, and so do all where no dimension varies. Whoever gives one value throughout does so in each dimension, and
    gives every target one value: the smallest of these probabilities bounds that of all together. Raters have habits of
    their own, so each is Dirichlet-multinomial, with the spread of the other raters (Mosimann 1962).
    """
    found = np.full(n_raters, np.nan)
    tables = [_counts(rater, column, n_raters) for column in values.T]
    if not any((table.sum(axis=0) > 0.0).sum() > 1 for table in tables):
        return found
    lines = _straight_rows(rater, values, n_raters)
    varied = lines[(lines[:, 0] > 0.0) | (lines[:, 1] < LEAST_CONSTANT)]  # one straight-liner must not excuse another
    for j, rows in each_rater(rater, n_raters):
        own = values[rows]
        if (~np.isnan(own)).sum(axis=0).max() < LEAST_CONSTANT:
            continue
        found[j] = 1.0
        if np.nanmax(own) == np.nanmin(own):
            tails = [_tail(np.delete(table, j, axis=0), table[j]) for table in tables]
            found[j] = min(*tails, _tail(varied, lines[j], any_value=False))
    return found


def _straight_rows(rater: Codes, values: Floats, n_raters: int) -> Floats:
    """Count the rows of three or more values that are not straight, and those that are, shape (n_raters, 2)."""
    full = (~np.isnan(values)).sum(axis=1) >= LEAST_DIMENSIONS
    if not full.any():
        return np.zeros((n_raters, 2))
    straight = np.nanmax(values[full], axis=1) == np.nanmin(values[full], axis=1)
    return _counts(rater[full], straight.astype(np.float64), n_raters, points=np.array([0.0, 1.0]))


def _counts(rater: Codes, column: Floats, n_raters: int, *, points: Floats | None = None) -> Floats:
    """Count the values of a column, shape (n_raters, n_values)."""
    known = ~np.isnan(column)
    points = np.unique(column[known]) if points is None else points
    cells = rater[known] * len(points) + np.searchsorted(points, column[known])
    return np.bincount(cells, minlength=n_raters * len(points)).reshape(n_raters, len(points)).astype(np.float64)


def _tail(others: Floats, own: Floats, *, any_value: bool = True) -> float:
    """Return the probability that all ratings are of one value (or of that of ``own``) among raters like ``others``."""
    n, total = int(own.sum()), others.sum(axis=0) + 0.5  # what nobody did is not impossible
    shares = total / total.sum()
    by_chance = float(np.sum(shares**2))
    if not n or by_chance > 1.0 - 1e-9:
        return 1.0
    sizes = others.sum(axis=1)
    pairs = float(np.sum(sizes * (sizes - 1.0)))
    equal = float(np.sum(others * (others - 1.0))) / pairs if pairs else by_chance
    spread = float(np.clip((equal - by_chance) / (1.0 - by_chance), 1e-9, 1.0 - 1e-9))
    concentration = (1.0 - spread) / spread
    steps = np.arange(n)
    logs = np.log(concentration * shares[:, None] + steps) - np.log(concentration + steps)
    each = np.exp(logs.sum(axis=1))
    return float(each.sum() if any_value else each[own > 0.0].sum())


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
