r"""S, the matrix of the smaller factor: its determinant, its solutions and the derivatives of log|V|.

``FlatSmall`` where it is diagonal (one of the two ratios is zero), ``DenseSmall`` where it is factored.

With X = S^-1 and :math:`K_a = -N' \mathrm{diag}(1 + a D)^{-2} N` the second derivatives of f = log|V| in b and a (those
of a log determinant, Harville 1977) are

.. math::
    f_{bb} = -\mathrm{tr}(X K X K), \quad f_{ab} = \mathrm{tr}(X^2 K_a), \quad
    f_{aa} = -\sum D^2 / (1 + a D)^2 + b\,\mathrm{tr}(X K_{aa}) - b^2\,\mathrm{tr}(X K_a X K_a).

X K = (I - X) / b, and where all D are equal :math:`K_a = \rho (K - E)` with :math:`\rho = 1 / (a (1 + a D))`, so that
no product of matrices is needed: sums of the squares of X are enough. Where the D differ, the :math:`\rho` that gives
the trace of :math:`X K_a` is used and the second derivatives are close, not exact; the first ones always are exact.
"""

import numpy as np
from scipy.linalg.lapack import dpftrf, dpftri, dpftrs

from dialgauge.stats.arrays import Floats
from dialgauge.stats.reml.cells import Cells, columns
from dialgauge.stats.reml.packed import packed_size, unpack

CHUNK = 16_000_000
"""Most numbers that the dense matrices of one pass may hold (128 MB)."""

HOT = 25_000
"""Numbers of so many matrices that are worked on together: they stay in the cache of the processor (200 kB)."""


class FlatSmall:
    """S where it is diagonal, for m dimensions at ratios ``a`` (big) and ``b`` (small); ``kept`` is 1 / (1 + a D).

    ``solved``, ``first`` and ``second`` are as in ``DenseSmall``; the second derivative in a ratio at zero is left out
    unless both are at zero.
    """

    noise = 0.0

    def __init__(
        self, cells: Cells, ratios: tuple[Floats, Floats], kept: Floats, sides: Floats, *, cell: bool, second: bool
    ) -> None:
        del cell, second  # they cost nothing here
        self.cells, (self.a, self.b), self.kept = cells, ratios, kept
        self.diagonal = 1.0 + self.b * cells.small_total
        self.log_det: Floats = np.log(self.diagonal).sum(axis=0)
        self.solved = self.solve(sides)
        self.first, self.second = self._derivatives()

    def solve(self, sides: Floats) -> Floats:
        """Return S^-1 h for the right sides h of shape (n_small, j, m)."""
        return np.asarray(sides / self.diagonal[:, None])

    def _derivatives(self) -> tuple[Floats, Floats]:
        cells, panel = self.cells, self.cells.panel
        square, inverse = cells.weight**2, 1.0 / self.diagonal
        at_small, pulled = inverse[panel.small], (self.a * self.kept)[panel.big]
        big_squares = np.add.reduceat(square * at_small, panel.big_start, axis=0)
        big = (cells.big_total * self.kept).sum(axis=0) - self.b * (self.kept**2 * big_squares).sum(axis=0)
        small = (cells.small_total * inverse).sum(axis=0) - (square * pulled * at_small).sum(axis=0)
        both = (square * (self.kept[panel.big] * at_small) ** 2).sum(axis=0)
        cell = cells.weight.sum(axis=0) - (square * (pulled + self.b * at_small)).sum(axis=0)
        aa, bb = ((cells.big_total * self.kept) ** 2).sum(axis=0), ((cells.small_total * inverse) ** 2).sum(axis=0)
        return np.stack([big, small, cell]), -np.array([[aa, both], [both, bb]])


class DenseSmall:
    """S factored, for m dimensions at ratios ``a`` (big) and ``b`` (small); ``kept`` is 1 / (1 + a D).

    ``solved`` is S^-1 times ``sides`` of shape (n_small, j, m). ``first`` (3, m) and ``second`` (2, 2, m) are the
    derivatives of log|V| in big, small and cell; that of the cell only if ``cell`` asks for it, second ones if
    ``second`` does, NaN where they are not known. One S may serve all m.
    """

    noise = 0.0

    def __init__(
        self, cells: Cells, ratios: tuple[Floats, Floats], kept: Floats, sides: Floats, *, cell: bool, second: bool
    ) -> None:
        self.cells, (self.a, self.b), self.kept, self.cell = cells, ratios, kept, cell
        self.twice = second and not cell and cells.tables is None and cells.panel.pairs is not None
        self.n, m = cells.panel.n_small, len(self.a)
        self.factors = np.empty((m, packed_size(self.n)))
        self.first, self.second = np.zeros((3, m)), np.full((2, 2, m), np.nan)
        self.solved = np.empty_like(sides)
        self.inner, self.diagonal, self.squares = np.empty(m), np.empty((m, self.n)), np.empty((3, m))
        pulling, size = -self.a * self.b * kept, max(1, HOT // self.factors.shape[1])
        for i in range(0, m, size):
            some = slice(i, min(i + size, m))
            self._factor(some, pulling[:, some])
            self._solve(some, sides, self.solved)
            self._invert(some)
        self.log_det: Floats = 2.0 * np.log(self.factors[:, cells.panel.diagonal]).sum(axis=1)
        self._differentiate()

    def _factor(self, some: slice, pulling: Floats) -> None:
        """Form and factor S of the dimensions ``some``."""
        matrices = self.cells.between(pulling, some)
        matrices[:, self.cells.panel.diagonal] += (1.0 + self.b[some] * columns(self.cells.small_total, some)).T
        for matrix in matrices:
            _, info = dpftrf(self.n, matrix, uplo="L", overwrite_a=1)
            if info:  # S is I plus a positive semidefinite matrix: only absurd ratios get here
                matrix[:] = np.nan
        self.factors[some] = matrices

    def _solve(self, some: slice, sides: Floats, found: Floats) -> None:
        if len(self.factors) == 1:
            flat = sides.reshape(self.n, -1)
            found[:] = dpftrs(self.n, self.factors[0], flat, uplo="L")[0].reshape(sides.shape)
            return
        for i in range(some.start, some.stop):
            found[..., i] = dpftrs(self.n, self.factors[i], sides[..., i], uplo="L")[0]

    def _invert(self, some: slice) -> None:
        """Sum up what the derivatives need of X of the dimensions ``some``."""
        panel, kept = self.cells.panel, self.kept[:, some]
        inverse = self.factors[some].copy()
        for i, matrix in enumerate(inverse, start=some.start):
            dpftri(self.n, matrix, uplo="L", overwrite_a=1)
            if self.cell:
                self.first[2, i] = self._cell_trace(i, unpack(matrix, self.n))
        self.diagonal[some] = inverse[:, panel.diagonal]
        self.inner[some] = self.cells.inner(kept**2, some, inverse)
        if self.twice and panel.pairs is not None:
            np.square(inverse, out=inverse)
            self.squares[:, some] = panel.pairs @ inverse.T

    def _differentiate(self) -> None:
        """Fill in the derivatives from the sums over X."""
        cells, n, a, b = self.cells, self.n, self.a, self.b
        pulled, trace = cells.big_total * self.kept, self.diagonal.sum(axis=1)
        self.first[0], self.first[1] = pulled.sum(axis=0) - b * self.inner, (n - trace) / b
        if not self.twice:
            return
        trace_e = (self.diagonal * cells.small_total.T).sum(axis=1)
        ones, mixed, both = self.squares
        if not cells.plain:
            mixed, both = cells.omega * mixed, cells.omega**2 * both
        rho = self.inner / (trace_e - self.first[1])
        moved = n - 2.0 * (trace + b * trace_e) + ones + 2.0 * b * mixed + b**2 * both
        self.second[1, 1] = (2.0 * trace - n - ones) / b**2
        self.second[0, 1] = self.second[1, 0] = rho * ((trace - ones) / b - mixed)
        self.second[0, 0] = (2.0 / a - 2.0 * rho) * b * self.inner - rho**2 * moved - (pulled**2).sum(axis=0)

    def solve(self, sides: Floats) -> Floats:
        """Return S^-1 h for more right sides h of shape (n_small, j, m)."""
        found = np.empty_like(sides)
        self._solve(slice(0, len(self.factors)), sides, found)
        return found

    def _cell_trace(self, i: int, full: Floats) -> float:
        """Return the sum over cells of w - w^2 (G_tt + 2 G_tr + G_rr), slice by slice of the big factor."""
        panel, a, b = self.cells.panel, self.a[i], self.b[i]
        weight = columns(self.cells.weight, slice(i, i + 1))[:, 0]
        pull, table = a * self.kept[:, i], self.cells.table(i)
        total = float(weight.sum()) - float((weight**2) @ (pull[panel.big] + b * np.diag(full)[panel.small]))
        ends = np.append(panel.big_start, panel.n_cells)
        rows = max(1, CHUNK // panel.n_small)
        for first in range(0, panel.n_big, rows):
            last = min(first + rows, panel.n_big)
            here = slice(ends[first], ends[last])
            local = panel.big[here] - first
            cross = np.asarray(table[first:last] @ full)[local, panel.small[here]]
            mine = np.bincount(local, weight[here] * cross, minlength=last - first)
            c = pull[first:last][local]
            total -= b * float((weight[here] ** 2) @ (c**2 * mine[local] - 2.0 * c * cross))
        return total
