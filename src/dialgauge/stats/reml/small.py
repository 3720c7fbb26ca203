"""S, the matrix of the smaller factor: its determinant, its solutions and the traces with its inverse.

``FlatSmall`` where it is diagonal (one of the two ratios is zero), ``DenseSmall`` where it is factored.
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from dialgauge.stats.arrays import Floats
from dialgauge.stats.reml.cells import Cells

CHUNK = 16_000_000
"""Most numbers that the dense matrices of one pass may hold (128 MB)."""


class FlatSmall:
    """S where it is diagonal, for m dimensions at ratios ``a`` (big) and ``b`` (small); ``kept`` is 1 / (1 + a D)."""

    noise = 0.0

    def __init__(self, cells: Cells, a: Floats, b: Floats, kept: Floats) -> None:
        self.cells, self.a, self.b, self.kept = cells, a, b, kept
        self.diagonal = 1.0 + b * cells.small_total
        self.log_det: Floats = np.log(self.diagonal).sum(axis=0)

    def solve(self, sides: Floats) -> Floats:
        """Return S^-1 h for the right sides h of shape (j, n_small, m)."""
        return np.asarray(sides / self.diagonal)

    def traces(self, *, cell: bool) -> Floats:
        """Return the traces of Z'V^-1 Z for big, small and cells, shape (3, m)."""
        del cell  # costs nothing here
        cells, panel = self.cells, self.cells.panel
        square = cells.weight**2
        pulled = (self.a * self.kept)[panel.big]
        big_squares = np.add.reduceat(square / self.diagonal[panel.small], panel.big_start, axis=0)
        big = (cells.big_total * self.kept).sum(axis=0) - self.b * (self.kept**2 * big_squares).sum(axis=0)
        small_squares = (square * pulled / self.diagonal[panel.small]).sum(axis=0)
        small = (cells.small_total / self.diagonal).sum(axis=0) - small_squares
        seen = pulled + (self.b / self.diagonal)[panel.small]
        return np.stack([big, small, cells.weight.sum(axis=0) - (square * seen).sum(axis=0)])


class DenseSmall:
    """S factored, for m dimensions at ratios ``a`` (big) and ``b`` (small); ``kept`` is 1 / (1 + a D)."""

    noise = 0.0

    def __init__(self, cells: Cells, a: Floats, b: Floats, kept: Floats) -> None:
        self.cells, self.a, self.b, self.kept = cells, a, b, kept
        self.matrices = cells.between(-a * b * kept)
        diagonal = np.einsum("mii->mi", self.matrices)
        diagonal += (1.0 + b * cells.small_total).T
        for matrix in self.matrices:
            _, info = dpotrf(matrix.T, lower=1, overwrite_a=1)
            if info:  # S is I plus a positive semidefinite matrix: only absurd ratios get here
                matrix[:] = np.nan
        self.log_det: Floats = 2.0 * np.log(diagonal).sum(axis=1)

    def solve(self, sides: Floats) -> Floats:
        """Return S^-1 h for the right sides h of shape (j, n_small, m)."""
        found = np.empty_like(sides)
        for i, matrix in enumerate(self.matrices):
            found[..., i] = dpotrs(matrix.T, sides[..., i].T, lower=1)[0].T
        return found

    def traces(self, *, cell: bool) -> Floats:
        """Return the traces of Z'V^-1 Z for big, small and (if asked) cells, shape (3, m).

        The factors are gone then.
        """
        for matrix in self.matrices:
            dpotri(matrix.T, lower=1, overwrite_c=1)
        inverse = self.matrices  # the upper triangle; potrf has cleared the other
        small = (self.cells.panel.n_small - np.einsum("mii->m", inverse)) / self.b
        big = (self.cells.big_total * self.kept).sum(axis=0) - self.b * self.cells.inner(self.kept**2, inverse)
        return np.stack([big, small, self._cell_trace(inverse) if cell else np.zeros(len(self.a))])

    def _cell_trace(self, inverse: Floats) -> Floats:
        """Return the sum over cells of w - w^2 (G_tt + 2 G_tr + G_rr), slice by slice of the big factor."""
        panel, found = self.cells.panel, np.empty(len(self.a))
        ends = np.append(panel.big_start, panel.n_cells)
        rows = max(1, CHUNK // panel.n_small)
        for i, (a, b) in enumerate(zip(self.a, self.b, strict=True)):
            weight, pull = self.cells.weight[:, i], a * self.kept[:, i]
            full = np.triu(inverse[i]) + np.triu(inverse[i], 1).T
            table = self.cells.table(i)
            total = float(weight.sum()) - float((weight**2) @ (pull[panel.big] + b * np.diag(full)[panel.small]))
            for first in range(0, panel.n_big, rows):
                last = min(first + rows, panel.n_big)
                here = slice(ends[first], ends[last])
                local = panel.big[here] - first
                cross = np.asarray(table[first:last] @ full)[local, panel.small[here]]
                mine = np.bincount(local, weight[here] * cross, minlength=last - first)
                c = pull[first:last][local]
                total -= b * float((weight[here] ** 2) @ (c**2 * mine[local] - 2.0 * c * cross))
            found[i] = total
        return found
