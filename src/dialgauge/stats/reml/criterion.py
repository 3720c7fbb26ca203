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

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.cells import Cells
from dialgauge.stats.reml.iterative import IterativeSmall
from dialgauge.stats.reml.panel import Panel, Responses, around_big
from dialgauge.stats.reml.small import CHUNK, DenseSmall, FlatSmall

ROUNDING = 1e-15

SWAPPED = [1, 0, 2]
"""The order of the ratios (target, rater, cell) as (big, small, cell) where targets are the smaller factor."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The criterion (minus twice the restricted log likelihood, in units of the data) of m dimensions.

    ``noise`` (m,) is what rounding, or the probes of a large panel, may change in it. ``gradient`` (m, 3) and
    ``information`` (m, 3, 3) are with respect to the ratios (target, rater, cell). ``residual``, ``mean`` and
    ``mean_se`` have shape (m,). ``target_effect`` (m, n_targets) and ``rater_effect`` (m, n_raters) are best linear
    unbiased predictions in units of the data.
    """

    criterion: Floats
    noise: Floats
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
    flat = ratios[:, 0] * ratios[:, 1] == 0.0
    size = max(1, CHUNK // panel.n_small**2)
    if len(flat) <= size and not flat.any():
        return [np.arange(len(flat))]
    dense = np.flatnonzero(~flat)
    groups = [np.flatnonzero(flat), *(dense[i : i + size] for i in range(0, len(dense), size))]
    return [rows for rows in groups if rows.size]


class _Pass:
    """One pass over a group of dimensions whose S are all diagonal or all dense."""

    def __init__(self, panel: Panel, responses: Responses, ratios: Floats, *, cell: bool) -> None:
        self.panel, self.responses, self.cell = panel, responses, cell
        self.a, self.b, self.g = ratios.T if panel.small_is_rater else ratios.T[SWAPPED]
        self.cells = Cells(panel, responses, self.g)
        self.kept = 1.0 / (1.0 + self.a * self.cells.big_total)
        self.pulled = self.cells.big_total * self.kept
        if self.a[0] * self.b[0] == 0.0:
            self.small: FlatSmall | DenseSmall | IterativeSmall = FlatSmall(self.cells, self.a, self.b, self.kept)
        elif panel.large:
            self.small = IterativeSmall(self.cells, self.a, self.b, self.kept)
        else:
            self.small = DenseSmall(self.cells, self.a, self.b, self.kept)

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
        solved = self.small.solve(sides)
        gram = self._gram(means, sides, solved)
        ones, mean = gram[0, 0], gram[0, 1] / gram[0, 0]
        q = self.responses.within + cells.apart + gram[1, 1] - mean * gram[0, 1]
        residual = np.where(q > 0.0, q, 1.0) / dof
        scale2 = self.responses.scale**2
        log_det = self.cells.log_det - np.log(self.kept).sum(axis=0) + self.small.log_det
        criterion = log_det + np.log(ones) + dof * (1.0 + np.log(2.0 * math.pi * residual * scale2))

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
        traces = self.small.traces(cell=self.cell)[: len(own)]  # destroys S: last
        gradient[:, : len(own)] = (traces - taken - squares / residual).T
        effects = [(self.a * z_big * self.responses.scale).T, (self.b * z_small * self.responses.scale).T]
        return Evaluation(
            criterion=np.where(q > 0.0, criterion, -np.inf),
            noise=self.small.noise + ROUNDING * (np.abs(criterion) + 1.0),
            gradient=gradient if self.panel.small_is_rater else gradient[:, SWAPPED],
            information=information if self.panel.small_is_rater else information[:, SWAPPED][:, :, SWAPPED],
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
        means = np.empty((len(big_mean), *self.kept.shape))
        sides = np.empty((len(big_mean), *one[1].shape))
        means[0], sides[0] = one[0], one[1]
        for i, (mean_, apart_) in enumerate(zip(big_mean[1:], extra, strict=True), start=1):
            means[i] = mean_
            sides[i] = cells.down(mean_ * self.kept) + apart_
        solved = np.empty_like(sides)
        solved[0], solved[1:] = one[2], self.small.solve(sides[1:])
        gram = self._gram(means, sides, solved)
        gram[2, 2] += (own[1] * extra[1]).sum(axis=0)
        if self.cell:
            gram[3, 3] += apart
            gram[2, 3] += (own[1] * extra[2]).sum(axis=0)
            gram[3, 2] = gram[2, 3]
        projected = gram[1:, 1:] - gram[1:, :1] * gram[:1, 1:] / one[3]
        found = projected / residual - squares[:, None] * squares[None] / (dof * residual**2)
        information = np.zeros((len(residual), 3, 3))
        information[:, : len(own), : len(own)] = found.transpose(2, 0, 1)
        return information
