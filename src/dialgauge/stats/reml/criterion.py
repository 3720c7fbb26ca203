r"""The profiled REML criterion of a crossed model, exact on sparse data, with its gradient and average information.

Model: :math:`y = \mu + u_{target} + v_{rater} + w_{cell} + e`, all effects independent normal. With the variance ratios
a (big factor), b (small factor) and g (cell), each over the residual variance, W = I + g Zc Zc' + a Zb Zb' and
V = W + b Zs Zs':

.. math::
    \log|V| = \sum \log(1 + g n_{cell}) + \sum \log(1 + a D) + \log|S|, \quad S = I + b K, \quad
    K = \mathrm{diag}(E) - N' \mathrm{diag}(a / (1 + a D)) N

where the cells weigh w = n / (1 + g n), N holds the weights and D, E are their sums over the big and the small factor.
Only S is factored. Written in ratios, all of it is exact at a = 0, b = 0 or g = 0. Searle, Casella and McCulloch
(1992), ch. 6, for REML; Gilmour, Thompson and Cullis (1995) for the average information.

Everything is written for m dimensions at once, each at its own ratios: the last axis of the arrays.
"""

import math
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.sparse import csr_array

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.panel import Panel, Responses, around_big

CHUNK = 16_000_000
"""Most numbers that the dense matrices of one pass may hold (128 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The criterion (minus twice the restricted log likelihood, in units of the data) of m dimensions.

    ``gradient`` (m, 3) and ``information`` (m, 3, 3) are with respect to the ratios (target, rater, cell).
    ``residual``, ``mean`` and ``mean_se`` have shape (m,). ``target_effect`` (m, n_targets) and ``rater_effect`` (m,
    n_raters) are best linear unbiased predictions in units of the data.
    """

    criterion: Floats
    gradient: Floats
    information: Floats
    residual: Floats
    mean: Floats
    mean_se: Floats
    target_effect: Floats
    rater_effect: Floats

    def take(self, rows: Codes) -> Self:
        """Return the dimensions numbered ``rows``."""
        return type(self)(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    def put(self, rows: Codes, other: Self) -> Self:
        """Return a copy in which the dimensions numbered ``rows`` are those of ``other``."""
        merged = {}
        for f in fields(self):
            values = getattr(self, f.name).copy()
            values[rows] = getattr(other, f.name)
            merged[f.name] = values
        return type(self)(**merged)


def evaluate(panel: Panel, responses: Responses, ratios: Floats, *, cell: bool = False) -> Evaluation:
    """Evaluate the criterion of m dimensions at ``ratios`` of shape (m, 3): target, rater, cell; all >= 0.

    ``cell`` asks for the gradient in the third ratio too; without it that entry is zero. Where the residual sum of
    squares is not positive the criterion is minus infinity.
    """
    m = len(ratios)
    groups = _groups(panel, ratios)
    parts = [
        _Pass(panel, responses if len(rows) == m else responses.take(rows), ratios[rows], cell=cell).evaluation()
        for rows in groups
    ]
    if len(parts) == 1:
        return parts[0]
    order = np.argsort(np.concatenate(groups))
    joined = {f.name: np.concatenate([getattr(part, f.name) for part in parts])[order] for f in fields(Evaluation)}
    return Evaluation(**joined)


def _groups(panel: Panel, ratios: Floats) -> list[Codes]:
    """Split the dimensions into passes: those whose S is diagonal, and slices of the others that fit into memory."""
    flat = (ratios[:, 0] == 0.0) | (ratios[:, 1] == 0.0)
    size = max(1, CHUNK // panel.n_small**2)
    dense = np.flatnonzero(~flat)
    groups = [np.flatnonzero(flat), *(dense[i : i + size] for i in range(0, len(dense), size))]
    return [rows for rows in groups if rows.size]


class _Cells:
    """The weights of the cells at the cell ratio g of each dimension: the table N and what is summed over it."""

    def __init__(self, panel: Panel, responses: Responses, g: Floats) -> None:
        self.panel = panel
        self.log_det: Floats | float = 0.0
        self.tables: list[csr_array] | None = None
        if panel.uniform or not g.any():
            shrink = 1.0 / (1.0 + g * panel.cell_count[0])  # where counts differ g is zero here
            self.omega = shrink
            self.weight = panel.cell_count[:, None] * shrink
            self.big_total, self.small_total = panel.big_total[:, None] * shrink, panel.small_total[:, None] * shrink
            self.big_mean = responses.big_mean
            self.apart, self.small_apart = responses.apart * shrink, responses.small_apart * shrink
            if g.any():
                self.log_det = -panel.n_cells * np.log(shrink)
            return
        shrunk = 1.0 / (1.0 + g * panel.cell_count[:, None])
        self.weight = panel.cell_count[:, None] * shrunk
        self.log_det = -np.log(shrunk).sum(axis=0)
        self.tables = [panel.weighted(column) for column in self.weight.T]
        self.big_total = np.stack([np.asarray(table.sum(axis=1)) for table in self.tables], axis=1)
        self.small_total = np.stack([np.asarray(table.sum(axis=0)) for table in self.tables], axis=1)
        self.big_mean, self.apart, self.small_apart = around_big(
            panel, self.weight, self.big_total, responses.cell_mean
        )

    def down(self, big: Floats) -> Floats:
        """Return N' x of each dimension, from (n_big, m) to (n_small, m)."""
        if self.tables is None:
            return np.asarray((self.panel.turned @ big) * self.omega)
        return np.stack([table.T @ x for table, x in zip(self.tables, big.T, strict=True)], axis=1)

    def up(self, small: Floats) -> Floats:
        """Return N x of each dimension, from (n_small, m) to (n_big, m)."""
        if self.tables is None:
            return np.asarray((self.panel.table @ small) * self.omega)
        return np.stack([table @ x for table, x in zip(self.tables, small.T, strict=True)], axis=1)

    def table(self, i: int) -> csr_array:
        """Return N of the dimension numbered ``i``."""
        return self.panel.weighted(self.weight[:, i]) if self.tables is None else self.tables[i]

    def between(self, big_weight: Floats) -> Floats:
        """Return N' diag(big_weight) N of each dimension, shape (m, n_small, n_small)."""
        panel, m = self.panel, big_weight.shape[1]
        if self.tables is None and panel.stack is not None:
            return (self._per_class(big_weight) @ panel.stack).reshape(m, panel.n_small, panel.n_small)
        found = np.empty((m, panel.n_small, panel.n_small))
        for i in range(m):
            table = self.table(i)
            found[i] = (table.T @ table.multiply(big_weight[:, i, None]).tocsr()).toarray()
        return found

    def _per_class(self, big_weight: Floats) -> Floats:
        """Return the weight of each class of big levels (all of a class have the same), shape (m, n_classes)."""
        per_class = np.empty((len(self.panel.stack) if self.panel.stack is not None else 0, big_weight.shape[1]))
        per_class[self.panel.big_class] = big_weight
        return np.asarray((per_class * self.omega**2).T)

    def inner(self, big_weight: Floats, upper: Floats) -> Floats:
        """Return the trace of X N' diag(big_weight) N of each dimension.

        The symmetric X are given as ``upper`` triangles, shape (m, n_small, n_small).
        """
        panel, m = self.panel, len(upper)
        diagonal = np.einsum("mii->mi", upper)
        if self.tables is None and panel.stack is not None:
            twice = 2.0 * (upper.reshape(m, -1) @ panel.stack.T) - diagonal @ panel.stack[:, :: panel.n_small + 1].T
            return np.asarray((self._per_class(big_weight) * twice).sum(axis=1))
        between = self.between(big_weight)
        return np.asarray(2.0 * np.einsum("mij,mij->m", upper, between) - np.einsum("mi,mii->m", diagonal, between))


class _Pass:
    """One pass over a group of dimensions whose S are all diagonal or all dense."""

    def __init__(self, panel: Panel, responses: Responses, ratios: Floats, *, cell: bool) -> None:
        self.panel, self.responses, self.cell = panel, responses, cell
        self.order = [0, 1, 2] if panel.small_is_rater else [1, 0, 2]
        self.a, self.b, self.g = ratios.T[self.order]
        self.cells = _Cells(panel, responses, self.g)
        self.flat = self.a[0] * self.b[0] == 0.0
        self.kept = 1.0 / (1.0 + self.a * self.cells.big_total)
        self.pulled = self.cells.big_total * self.kept
        self.log_det = self.cells.log_det - np.log(self.kept).sum(axis=0)
        self._factor()

    def _factor(self) -> None:
        if self.flat:
            self.small_diag = 1.0 + self.b * self.cells.small_total
            self.log_det = self.log_det + np.log(self.small_diag).sum(axis=0)
            return
        self.matrices = self.cells.between(-self.a * self.b * self.kept)
        diagonal = np.einsum("mii->mi", self.matrices)
        diagonal += (1.0 + self.b * self.cells.small_total).T
        for matrix in self.matrices:
            _, info = dpotrf(matrix.T, lower=1, overwrite_a=1)
            if info:  # S is I plus a positive semidefinite matrix: only absurd ratios get here
                matrix[:] = np.nan
        self.log_det = self.log_det + 2.0 * np.log(diagonal).sum(axis=1)

    def _solve(self, sides: Floats) -> Floats:
        """Return S^-1 h for the right sides h of shape (j, n_small, m)."""
        if self.flat:
            return np.asarray(sides / self.small_diag)
        found = np.empty_like(sides)
        for i, matrix in enumerate(self.matrices):
            found[..., i] = dpotrs(matrix.T, sides[..., i].T, lower=1)[0].T
        return found

    def _gram(self, means: Floats, sides: Floats, solved: Floats) -> Floats:
        """Return x'V^-1 y of cell-constant vectors, without what they vary inside big: shape (j, j, m)."""
        between = np.einsum("inm,jnm->ijm", means * self.pulled, means)
        return np.asarray(between - self.b * np.einsum("inm,jnm->ijm", sides, solved))

    def evaluation(self) -> Evaluation:
        """Return the criterion with its derivatives."""
        cells, m, dof = self.cells, len(self.a), self.panel.n - 1
        means = np.ones((2, *self.kept.shape))
        means[1] = cells.big_mean
        sides = np.empty((2, self.panel.n_small, m))
        sides[0], sides[1] = cells.down(self.kept), cells.down(cells.big_mean * self.kept) + cells.small_apart
        solved = self._solve(sides)
        gram = self._gram(means, sides, solved)
        ones, mean = gram[0, 0], gram[0, 1] / gram[0, 0]
        q = self.responses.within + cells.apart + gram[1, 1] - mean * gram[0, 1]
        residual = np.where(q > 0.0, q, 1.0) / dof
        scale2 = self.responses.scale**2
        criterion = self.log_det + np.log(ones) + dof * (1.0 + np.log(2.0 * math.pi * residual * scale2))

        z_small = solved[1] - mean * solved[0]
        z_big = self._project(means[1] - mean, z_small)
        of_one = [self._project(means[0], solved[0]), solved[0]]
        own = [z_big, z_small]
        if self.cell:
            own.append(cells.weight * (self.responses.cell_mean - mean - self._fitted(own)))
            of_one.append(cells.weight * (1.0 - self._fitted(of_one)))
        squares = np.array([np.einsum("nm,nm->m", z, z) for z in own])
        taken = np.array([np.einsum("nm,nm->m", o, o) for o in of_one]) / ones
        information = self._information(own, squares, (means[0], sides[0], solved[0], ones), residual)
        gradient = np.zeros((m, 3))
        gradient[:, : len(own)] = (self._traces()[: len(own)] - taken - squares / residual).T  # destroys S: last
        effects = [(self.a * z_big * self.responses.scale).T, (self.b * z_small * self.responses.scale).T]
        return Evaluation(
            criterion=np.where(q > 0.0, criterion, -np.inf),
            gradient=gradient[:, self.order],
            information=information[:, self.order][:, :, self.order],
            residual=residual * scale2,
            mean=self.responses.centre + self.responses.scale * mean,
            mean_se=np.sqrt(residual * scale2 / ones),
            target_effect=effects[0 if self.panel.small_is_rater else 1],
            rater_effect=effects[1 if self.panel.small_is_rater else 0],
        )

    def _project(self, means: Floats, solved: Floats) -> Floats:
        """Return Zb'V^-1 x from the big means of x and S^-1 Zs'W^-1 x."""
        return np.asarray(self.pulled * means - self.kept * self.cells.up(self.b * solved))

    def _fitted(self, own: list[Floats]) -> Floats:
        return np.asarray((self.a * own[0])[self.panel.big] + (self.b * own[1])[self.panel.small])

    def _information(
        self, own: list[Floats], squares: Floats, one: tuple[Floats, Floats, Floats, Floats], residual: Floats
    ) -> Floats:
        """Return the average information of the profiled criterion, shape (m, 3, 3).

        With x = Z Z'P y of each facet it is x'P x / residual less what the residual variance takes up.
        """
        panel, cells, dof = self.panel, self.cells, self.panel.n - 1
        big_mean = [one[0], own[0], cells.up(own[1]) / cells.big_total]
        extra = [0.0, cells.small_total * own[1] - cells.down(big_mean[2])]  # sums per small of what varies inside big
        if self.cell:
            mean, apart, small_apart = around_big(panel, cells.weight, cells.big_total, own[2])
            big_mean.append(mean)
            extra.append(small_apart)
        means = np.stack(big_mean)
        sides = np.stack([cells.down(x * self.kept) + e for x, e in zip(big_mean[1:], extra, strict=True)])
        gram = self._gram(
            means, np.concatenate([one[1][None], sides]), np.concatenate([one[2][None], self._solve(sides)])
        )
        gram[2, 2] += (own[1] * extra[1]).sum(axis=0)
        if self.cell:
            gram[3, 3] += apart
            gram[2, 3] += (own[1] * extra[2]).sum(axis=0)
            gram[3, 2] = gram[2, 3]
        projected = gram[1:, 1:] - gram[1:, :1] * gram[:1, 1:] / one[3]
        found = projected / residual - squares[:, None] * squares[None] / (dof * residual**2)
        information = np.zeros((len(residual), 3, 3))
        information[:, : len(own), : len(own)] = np.moveaxis(found, -1, 0)
        return information

    def _traces(self) -> Floats:
        """Return the traces of Z'V^-1 Z for big, small and cells, shape (3, m)."""
        cell = np.zeros(len(self.a))
        if self.flat:
            return self._flat_traces()
        for matrix in self.matrices:
            dpotri(matrix.T, lower=1, overwrite_c=1)
        inverse = self.matrices  # the upper triangle; potrf has cleared the other
        small = (self.panel.n_small - np.einsum("mii->m", inverse)) / self.b
        big = self.pulled.sum(axis=0) - self.b * self.cells.inner(self.kept**2, inverse)
        return np.stack([big, small, self._cell_trace(inverse) if self.cell else cell])

    def _cell_trace(self, inverse: Floats) -> Floats:
        """Return the sum over cells of w - w^2 (G_tt + 2 G_tr + G_rr), slice by slice of the big factor."""
        panel, found = self.panel, np.empty(len(self.a))
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

    def _flat_traces(self) -> Floats:
        panel, cells = self.panel, self.cells
        square = cells.weight**2
        seen = (self.a * self.kept)[panel.big] + (self.b / self.small_diag)[panel.small]
        big_squares = np.add.reduceat(square / self.small_diag[panel.small], panel.big_start, axis=0)
        big = self.pulled.sum(axis=0) - self.b * (self.kept**2 * big_squares).sum(axis=0)
        small_squares = (square * (self.a * self.kept)[panel.big] / self.small_diag[panel.small]).sum(axis=0)
        small = (cells.small_total / self.small_diag).sum(axis=0) - small_squares
        return np.stack([big, small, cells.weight.sum(axis=0) - (square * seen).sum(axis=0)])
