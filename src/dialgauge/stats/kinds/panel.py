"""Who rated whom how often when raters are of several kinds: built once, shared by every evaluation."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from dialgauge.stats.arrays import Codes, Floats, sum_by

DENSE_TABLE_LIMIT = 50_000
"""A table of at most so many target x rater pairs is kept dense: its products are then quicker (0.4 MB)."""

SLICE = 8_000_000
"""Most numbers that a slice of a dense target x rater matrix may hold (64 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class KindsPanel:
    """The target x rater pairs that occur (cells), sorted by target, then rater.

    ``order`` sorts the ratings by cell and ``cell_start`` holds the first rating of each cell in that order. Per cell,
    shape (c,): ``count`` ratings, ``target``, ``rater`` and ``kind``. ``kind_of`` (n_raters,) is the kind of each
    rater. ``to_group`` and ``to_rater`` sum over the cells of a target by one kind (row target * G + kind) and over
    those of a rater. ``per_kind`` and ``cells_per_kind`` (G,) count ratings and cells.
    """

    n: int
    n_targets: int
    order: Codes
    cell_start: Codes
    count: Floats
    target: Codes
    rater: Codes
    kind: Codes
    kind_of: Codes
    row_start: Codes
    to_group: csr_array
    to_rater: csr_array
    per_kind: Floats
    cells_per_kind: Floats

    @classmethod
    def build(cls, target: Codes, rater: Codes, kind_of: Codes) -> Self:
        """Build the panel of ratings with dense codes ``target`` and ``rater`` (n,) and a kind per rater."""
        n_targets, n_raters, n_kinds = int(target.max()) + 1, len(kind_of), int(kind_of.max()) + 1
        key = target.astype(np.int64) * n_raters + rater
        order = np.argsort(key, kind="stable")
        key = key[order]
        start = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        cell_target, cell_rater = key[start] // n_raters, key[start] % n_raters
        kind, cells = kind_of[cell_rater], np.arange(len(start) + 1)
        ones = np.ones(len(start))
        of_target = csr_array((ones, cell_target * n_kinds + kind, cells), shape=(len(start), n_targets * n_kinds))
        of_rater = csr_array((ones, cell_rater, cells), shape=(len(start), n_raters))
        count = np.diff(np.append(start, len(key))).astype(np.float64)
        return cls(
            n=len(target),
            n_targets=n_targets,
            order=order,
            cell_start=start,
            count=count,
            target=cell_target,
            rater=cell_rater,
            kind=kind,
            kind_of=kind_of,
            row_start=np.searchsorted(cell_target, np.arange(n_targets + 1)),
            to_group=of_target.T.tocsr(),
            to_rater=of_rater.T.tocsr(),
            per_kind=sum_by(kind, count, n_kinds),
            cells_per_kind=sum_by(kind, ones, n_kinds),
        )

    @property
    def n_kinds(self) -> int:
        """Kinds of rater, G."""
        return len(self.per_kind)

    @property
    def n_raters(self) -> int:
        """Raters of all kinds."""
        return len(self.kind_of)

    @property
    def n_cells(self) -> int:
        """Target x rater pairs that occur."""
        return len(self.count)

    def spread(self, values: Floats) -> csr_array | Floats:
        """Return the targets x raters table with ``values`` (one per cell), dense where that is small."""
        shape = (self.n_targets, self.n_raters)
        if shape[0] * shape[1] > DENSE_TABLE_LIMIT:
            return csr_array((values, self.rater, self.row_start), shape=shape)
        table = np.zeros(shape)
        table[self.target, self.rater] = values
        return table

    def at_cells(self, values: Floats, right: Floats) -> Floats:
        """Return (spread(values) @ right) at the cells, ``right`` being raters x raters; slice by slice."""
        table = self.spread(values)
        rows = max(1, SLICE // self.n_raters)
        if rows >= self.n_targets:
            return np.asarray((table @ right)[self.target, self.rater])
        found = np.empty(self.n_cells)
        for first in range(0, self.n_targets, rows):
            here = slice(self.row_start[first], self.row_start[min(first + rows, self.n_targets)])
            product = np.asarray(table[first : first + rows] @ right)
            found[here] = product[self.target[here] - first, self.rater[here]]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class KindsResponses:
    """The ratings of one dimension, centred and scaled kind by kind.

    ``values`` (n,) are in the order of the cells, ``cell_mean`` has shape (c,); ``within`` (G,) is the sum of squares
    inside cells. A rating of kind g is ``centre[g] + scale[g] * (standardised rating)``.
    """

    values: Floats
    cell_mean: Floats
    within: Floats
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, panel: KindsPanel, values: Floats, *, one_scale: bool = False) -> Self:
        """Summarise ``values`` (n,); ``one_scale`` scales all kinds alike, for models that tie their variances."""
        kind = panel.kind_of[panel.rater].repeat(panel.count.astype(np.intp))
        y = values[panel.order].astype(np.float64)
        centre = sum_by(kind, y) / panel.per_kind
        y = y - centre[kind]
        scale = np.sqrt(sum_by(kind, y**2) / panel.per_kind)
        if one_scale:
            scale = np.full(len(scale), np.sqrt(np.mean(y**2)))
        y /= scale[kind]
        cell_mean = np.add.reduceat(y, panel.cell_start) / panel.count
        deviation = y - np.repeat(cell_mean, panel.count.astype(np.intp))
        if panel.n == panel.n_cells:
            deviation[:] = 0.0
        return cls(values=y, cell_mean=cell_mean, within=sum_by(kind, deviation**2), centre=centre, scale=scale)
