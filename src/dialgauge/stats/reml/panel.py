"""The sufficient counts of a design: built once, shared by every dimension and every evaluation of the criterion."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.reml.packed import diagonal_positions, pack

DENSE_STACK_LIMIT = 30_000_000
"""Most numbers that the stack of co-occurrence matrices may hold (240 MB)."""

PAIRED = 500
"""With more levels of the smaller factor the average information is close enough for Newton steps."""

LARGE = 5_000
"""From this number of levels of the smaller factor on its matrix is not formed (100 MB)."""

PROBES = 32
"""Probes of random signs for the traces and the determinant of a large panel."""

MEMORY = 4e9
"""Bytes that a fit may take; what needs more is refused."""

DENSE_TABLE_LIMIT = 50_000
"""A table of at most so many target x rater pairs is kept dense: its products are then quicker (0.4 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Who rated whom how often.

    A cell is a target x rater pair that occurs. The factor with fewer levels is ``small`` (its matrix is factored,
    dense), the other is ``big`` (diagonal); ``small_is_rater`` tells which is which. Cells are sorted by big, then
    small; ``big_start`` holds the first cell of each level of big, ``order`` sorts the ratings by cell and
    ``cell_start`` holds the first rating of each cell in that order. ``table`` holds the counts N, big x small, and
    ``turned`` its transpose; both are dense where that is small.

    ``stack`` holds, for each distinct number of ratings per level of big, the co-occurrence counts N'N of the small
    factor over those levels, packed, shape (n_distinct, n_small * (n_small + 1) / 2); ``None`` where it would not fit.
    ``class_first`` names a level of big of each of these classes, ``diagonal`` tells where a packed matrix has its
    diagonal. ``pairs`` (3, n_small * (n_small + 1) / 2) are the weights that sum a packed symmetric matrix as 1'X1,
    1'XE and E'XE, with E the ratings per level of small; ``None`` where small has many levels.
    """

    n: int
    small_is_rater: bool
    order: Codes
    cell_start: Codes
    cell_count: Floats
    big: Codes
    small: Codes
    big_start: Codes
    big_total: Floats
    small_total: Floats
    table: csr_array | Floats
    turned: csr_array | Floats
    uniform: bool
    class_first: Codes
    stack: Floats | None
    diagonal: Codes
    pairs: Floats | None

    @classmethod
    def build(cls, target: Codes, rater: Codes) -> Self:
        """Build the panel of ratings with dense codes ``target`` and ``rater``, both of shape (n,)."""
        n_target, n_rater = int(target.max()) + 1, int(rater.max()) + 1
        small_is_rater = n_rater <= n_target
        check_size(len(target), max(n_target, n_rater), min(n_target, n_rater))
        big_of, small_of = (target, rater) if small_is_rater else (rater, target)
        n_big, n_small = max(n_target, n_rater), min(n_target, n_rater)
        key = big_of.astype(np.int64) * n_small + small_of
        order = np.argsort(key, kind="stable")
        key = key[order]
        cell_start = np.flatnonzero(np.diff(key, prepend=-1))
        big, small = np.divmod(key[cell_start], n_small)
        count = np.diff(cell_start, append=len(key)).astype(np.float64)
        big_start = np.flatnonzero(np.diff(big, prepend=-1))
        table, turned = _tables(count, big, small, (n_big, n_small))
        big_total, small_total = sum_by(big, count), sum_by(small, count)
        class_first, big_class = _classes(big_total)
        fits = len(class_first) * n_small**2 <= DENSE_STACK_LIMIT
        return cls(
            n=len(target),
            small_is_rater=small_is_rater,
            order=order,
            cell_start=cell_start,
            cell_count=count,
            big=big,
            small=small,
            big_start=big_start,
            big_total=big_total,
            small_total=small_total,
            table=table,
            turned=turned,
            uniform=bool(count.min() == count.max()),
            class_first=class_first,
            stack=_co_occurrences(table, big_class, len(class_first)) if fits else None,
            diagonal=diagonal_positions(n_small),
            pairs=_pair_weights(small_total) if n_small <= PAIRED else None,
        )

    @property
    def large(self) -> bool:
        """Whether the matrix of the smaller factor is too large to be formed: solutions are then iterative."""
        return self.n_small > LARGE

    @property
    def n_cells(self) -> int:
        """Target x rater pairs that occur."""
        return len(self.big)

    @property
    def n_big(self) -> int:
        """Levels of the factor that is kept diagonal."""
        return len(self.big_total)

    @property
    def n_small(self) -> int:
        """Levels of the factor whose matrix is factored."""
        return len(self.small_total)

    def weighted(self, weight: Floats) -> csr_array:
        """Return the sparse big x small table with ``weight`` (one per cell) in its cells."""
        return csr_array(
            (weight, self.small, np.append(self.big_start, self.n_cells)), shape=(self.n_big, self.n_small)
        )


def check_size(n: int, n_big: int, n_small: int) -> None:
    """Raise ``CannotEstimateError`` where a fit of ``n`` ratings would not fit into memory."""
    matrices = 3.0 * n_small**2 if n_small <= LARGE else 6.0 * PROBES * (n_big + n_small)
    needed = 8.0 * (30.0 * n + 20.0 * (n_big + n_small) + matrices)
    if needed > MEMORY:
        raise CannotEstimateError(
            f"{n:,} ratings of {n_big:,} x {n_small:,} targets and raters need about {needed / 1e9:.1f} GB of memory, "
            f"more than the {MEMORY / 1e9:.1f} GB allowed",
            remedy="analyse a random part of the targets",
        )


def _tables(
    count: Floats, big: Codes, small: Codes, shape: tuple[int, int]
) -> tuple[csr_array | Floats, csr_array | Floats]:
    """Return the table of counts, big x small, and its transpose: dense where that is small."""
    if shape[0] * shape[1] <= DENSE_TABLE_LIMIT:
        dense = np.zeros(shape)
        dense[big, small] = count
        return dense, np.ascontiguousarray(dense.T)
    sparse = csr_array((count, (big, small)), shape=shape)
    return sparse, sparse.T.tocsr()


def _classes(totals: Floats) -> tuple[Codes, Codes]:
    """Return the first entry of each distinct total, and the number of the class of each entry."""
    if totals.min() == totals.max():
        return np.zeros(1, dtype=np.intp), np.zeros(len(totals), dtype=np.intp)
    _, first, classes = np.unique(totals, return_index=True, return_inverse=True)
    return first, classes


def _co_occurrences(table: csr_array | Floats, big_class: Codes, n_classes: int) -> Floats:
    parts = [table[big_class == i] for i in range(n_classes)] if n_classes > 1 else [table]
    products = [part.T @ part for part in parts]
    return np.stack([pack(p if isinstance(p, np.ndarray) else p.toarray()) for p in products])


def _pair_weights(e: Floats) -> Floats:
    """Return what sums a packed symmetric X as 1'X1, 1'XE and E'XE: an entry off the diagonal stands for two."""
    twice = np.full((len(e), len(e)), 2.0)
    np.fill_diagonal(twice, 1.0)
    weighted = twice * e
    return np.stack([pack(twice), pack(0.5 * (weighted + weighted.T)), pack(weighted * e[:, None])])


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """The ratings of m dimensions on one panel, each centred and scaled to unit variance.

    ``cell_mean`` has shape (n_cells, m), ``within`` (m,) is the sum of squares inside cells. ``big_mean`` (n_big, m)
    are the means per level of big; ``apart`` (m,) is the sum of squares of the cell means around them and
    ``small_apart`` (n_small, m) the sums of these deviations per level of small, both weighted by the counts. A rating
    is ``centre + scale * (standardised rating)``.
    """

    cell_mean: Floats
    within: Floats
    big_mean: Floats
    apart: Floats
    small_apart: Floats
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, panel: Panel, values: Floats) -> Self:
        """Summarise ``values`` of shape (n, m), in the order in which the panel was built; no column is constant."""
        near = values - values[0]  # exact, and keeps a large offset out of the sums
        centre, scale = near.mean(axis=0), near.std(axis=0)
        cell_mean = ((near - centre) / scale)[panel.order]
        within = np.zeros(len(centre))
        if panel.n > panel.n_cells:
            y = cell_mean
            cell_mean = np.add.reduceat(y, panel.cell_start, axis=0) / panel.cell_count[:, None]
            within = ((y - np.repeat(cell_mean, panel.cell_count.astype(np.intp), axis=0)) ** 2).sum(axis=0)
        big_mean, apart, small_apart = around_big(panel, panel.cell_count[:, None], panel.big_total[:, None], cell_mean)
        return cls(
            cell_mean=cell_mean,
            within=within,
            big_mean=big_mean,
            apart=apart,
            small_apart=small_apart,
            centre=centre + values[0],
            scale=scale,
        )

    def take(self, columns: Codes | slice) -> Self:
        """Return the dimensions numbered ``columns``, with repetition; a slice of them shares the memory."""
        return type(self)(*(getattr(self, name)[..., columns] for name in SUMMARIES))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Put the dimensions of ``parts`` side by side."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in SUMMARIES))


SUMMARIES = tuple(field.name for field in fields(Responses))


def around_big(panel: Panel, weight: Floats, big_total: Floats, cells: Floats) -> tuple[Floats, Floats, Floats]:
    """Return big means of ``cells`` (n_cells, m), squares summed around them, and deviations summed by small.

    All are weighted; the shapes are (n_big, m), (m,) and (n_small, m).
    """
    means = np.add.reduceat(weight * cells, panel.big_start, axis=0) / big_total
    deviation = weight * (cells - means[panel.big])
    small = np.stack([sum_by(panel.small, column, panel.n_small) for column in deviation.T], axis=1)
    return means, (deviation * (cells - means[panel.big])).sum(axis=0), small
