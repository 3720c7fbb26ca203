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
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.cells import Cells
from dialgauge.stats.reml.iterative import IterativeSmall
from dialgauge.stats.reml.panel import Panel, Responses, around_big
from dialgauge.stats.reml.small import CHUNK, DenseSmall, FlatSmall

ROUNDING = 1e-15

LOG_2_PI_E = 1.0 + math.log(2.0 * math.pi)

SWAPPED = [1, 0, 2]
"""The order of the ratios (target, rater, cell) as (big, small, cell) where targets are the smaller factor."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The criterion (minus twice the restricted log likelihood, in units of the data) of m dimensions.

    ``noise`` (m,) is what rounding, or the probes of a large panel, may change in it. ``gradient`` (m, 3) and
    ``information`` (m, 3, 3) are with respect to the ratios (target, rater, cell). ``curvature`` (m, 3, 3) is the
    second derivative in target and rater, close enough for Newton steps, or NaN. ``residual``, ``mean`` and ``mean_se``
    have shape (m,). ``target_effect`` (m, n_targets) and ``rater_effect`` (m, n_raters) are best linear
    unbiased predictions in units of the data.
    """

    criterion: Floats
    noise: Floats
    gradient: Floats
    information: Floats
    curvature: Floats
    residual: Floats
    mean: Floats
    mean_se: Floats
    target_effect: Floats
    rater_effect: Floats

    def take(self, rows: Codes) -> Self:
        """Return the dimensions numbered ``rows``."""
        return type(self)(*(getattr(self, name)[rows] for name in PARTS))

    def put(self, rows: Codes, other: Self) -> Self:
        """Return a copy in which the dimensions numbered ``rows`` are those of ``other``."""
        merged = []
        for name in PARTS:
            values = getattr(self, name).copy()
            values[rows] = getattr(other, name)
            merged.append(values)
        return type(self)(*merged)

    def borrow(self, other: Self, rows: Codes) -> Self:
        """Return a copy with information and curvature of the dimensions ``rows`` of ``other``."""
        return replace(self, information=other.information[rows], curvature=other.curvature[rows])


PARTS = tuple(field.name for field in fields(Evaluation))


def evaluate(
    panel: Panel, responses: Responses, ratios: Floats, *, cell: bool = False, second: bool = True
) -> Evaluation:
    """Evaluate the criterion of m dimensions at ``ratios`` of shape (m, 3): target, rater, cell; all >= 0.

    ``cell`` asks for the gradient in the third ratio too; without it that entry is zero. Where the residual sum of
    squares is not positive the criterion is minus infinity. Without ``second`` information and curvature are NaN. Where
    all ratios are the same the work on the design is done once.
    """
    m = len(ratios)
    if m == 1 or (not panel.large and not ratios[:, 2].any() and (ratios == ratios[0]).all()):
        return _Pass(panel, responses, ratios[:1], cell=cell, second=second).evaluation()
    groups = _groups(panel, ratios)
    parts = [
        _Pass(
            panel, responses if len(rows) == m else responses.take(rows), ratios[rows], cell=cell, second=second
        ).evaluation()
        for rows in groups
    ]
    if len(parts) == 1:
        return parts[0]
    order = np.argsort(np.concatenate(groups))
    return Evaluation(*(np.concatenate([getattr(part, name) for part in parts])[order] for name in PARTS))


def _groups(panel: Panel, ratios: Floats) -> list[Codes]:
    """Split the dimensions into passes: those whose S is diagonal, and slices of the others that fit into memory."""
    flat = ratios[:, 0] * ratios[:, 1] == 0.0
    size = max(1, CHUNK // panel.n_small**2)
    if len(flat) <= size and not flat.any():
        return [np.arange(len(flat))]
    dense = np.flatnonzero(~flat)
    groups = [np.flatnonzero(flat), *(dense[i : i + size] for i in range(0, len(dense), size))]
    return [rows for rows in groups if rows.size]


@dataclass(frozen=True, slots=True, eq=False)
class _Effects:
    """Z'V^-1 x of big, small and (if asked for) cell, (levels, 2, m), for x the ratings less their mean, and ones.

    ``reached`` (n_big, m) is N times that of the ratings in small.
    """

    big: Floats
    small: Floats
    cell: Floats | None
    reached: Floats

    def products(self) -> Floats:
        """Return the products of both summed over levels, shape (2, 2, 2, m) or with cells (3, 2, 2, m)."""
        parts = (self.big, self.small) if self.cell is None else (self.big, self.small, self.cell)
        return np.array([np.einsum("nim,njm->ijm", x, x) for x in parts])


class _Pass:
    """One pass over a group of dimensions whose S are all diagonal or all dense.

    There is a row of ratios for each dimension, or one for all of them: the arrays of the design are then one wide.
    """

    def __init__(self, panel: Panel, responses: Responses, ratios: Floats, *, cell: bool, second: bool) -> None:
        self.panel, self.responses, self.cell, self.second = panel, responses, cell, second
        self.m, self.dof = len(responses.scale), panel.n - 1
        self.a, self.b, self.g = ratios.T if panel.small_is_rater else ratios.T[SWAPPED]
        self.cells = Cells(panel, responses, self.g)
        self.kept = 1.0 / (1.0 + self.a * self.cells.big_total)
        self.pulled = self.cells.big_total * self.kept
        self.means, self.sides = self._ones_and_ratings()
        kind: type[FlatSmall | DenseSmall | IterativeSmall] = IterativeSmall if panel.large else DenseSmall
        if self.a[0] * self.b[0] == 0.0:
            kind = FlatSmall
        self.small = kind(self.cells, (self.a, self.b), self.kept, self.sides, cell=cell, second=second)

    def evaluation(self) -> Evaluation:
        """Return the criterion with its derivatives."""
        gram = self._gram()
        ones, mean = gram[0, 0], gram[0, 1] / gram[0, 0]
        q = self.responses.within + self.cells.apart + gram[1, 1] - mean * gram[0, 1]
        vanished = q <= 0.0
        residual = np.where(vanished, 1.0, q) / self.dof
        variance = residual * self.responses.scale**2
        log_det = self.cells.log_det - np.log(self.kept).sum(axis=0) + self.small.log_det
        criterion = log_det + np.log(ones) + self.dof * (LOG_2_PI_E + np.log(variance))
        effects = self._effects(mean)
        gradient, information, curvature = self._derivatives(effects, ones, residual)
        target = (self.a * effects.big[:, 0] * self.responses.scale).T
        rater = (self.b * effects.small[:, 0] * self.responses.scale).T
        if not self.panel.small_is_rater:
            target, rater, gradient = rater, target, gradient[:, SWAPPED]
            information, curvature = information[:, SWAPPED][:, :, SWAPPED], curvature[:, SWAPPED][:, :, SWAPPED]
        return Evaluation(
            criterion=np.where(vanished, -np.inf, criterion),
            noise=self.small.noise + ROUNDING * (np.abs(criterion) + 1.0),
            gradient=gradient,
            information=information,
            curvature=curvature,
            residual=variance,
            mean=self.responses.centre + self.responses.scale * mean,
            mean_se=np.sqrt(variance / ones),
            target_effect=target,
            rater_effect=rater,
        )

    def _ones_and_ratings(self) -> tuple[Floats, Floats]:
        """Return the means of both per level of big, and their Zs'W^-1 x."""
        means = np.ones((self.panel.n_big, 2, self.m))
        means[:, 1] = self.cells.big_mean
        sides = self.cells.down(means * self.kept[:, None])
        sides[:, 1] += self.cells.small_apart
        return means, sides

    def _gram(self) -> Floats:
        """Return x'V^-1 y of ones and ratings, without what the ratings vary inside big: shape (2, 2, m)."""
        between = np.einsum("nim,njm->ijm", self.means * self.pulled[:, None], self.means)
        return np.asarray(between - self.b * np.einsum("nim,njm->ijm", self.sides, self.small.solved))

    def _effects(self, mean: Floats) -> _Effects:
        cells, solved = self.cells, self.small.solved
        small = solved[:, ::-1].copy()
        small[:, 0] -= mean * solved[:, 0]
        reached = cells.up(small)
        big = self.means[:, ::-1].copy()
        big[:, 0] -= mean
        big = self.pulled[:, None] * big - (self.b * self.kept)[:, None] * reached
        if not self.cell:
            return _Effects(big, small, None, reached[:, 0])
        cell = np.ones((self.panel.n_cells, 2, self.m))
        cell[:, 0] = self.responses.cell_mean - mean
        cell -= (self.a * big)[self.panel.big] + (self.b * small)[self.panel.small]
        return _Effects(big, small, cells.weight[:, None] * cell, reached[:, 0])

    def _derivatives(self, effects: _Effects, ones: Floats, residual: Floats) -> tuple[Floats, Floats, Floats]:
        """Return gradient (m, 3), average information and curvature, both (m, 3, 3), of big, small and cell.

        The second derivative of log(1'V^-1 1) is taken to be the product of its first ones, as it is where
        1 / (1'V^-1 1) is linear in the ratios.
        """
        products = effects.products()
        used, squares, taken = len(products), products[:, 0, 0] / residual, products[:, 1, 1] / ones
        gradient, information = np.zeros((self.m, 3)), np.full((self.m, 3, 3), np.nan)
        gradient[:, :used] = (self.small.first[:used] - taken - squares).T
        if not self.second:
            return gradient, information, information
        mixed, per_dof = products[:, 0, 1], squares[:, None] * squares / self.dof
        quadratic = (self._quadratic(effects) - mixed[:, None] * mixed / ones) / residual
        information[:] = 0.0
        information[:, :used, :used] = (quadratic - per_dof).transpose(2, 0, 1)
        curvature = np.full((self.m, 3, 3), np.nan if self.cell else 0.0)
        if not self.cell:
            known = self.small.second + taken[:, None] * taken + 2.0 * quadratic - per_dof
            curvature[:, :2, :2] = known.transpose(2, 0, 1)
        return gradient, information, curvature

    def _quadratic(self, effects: _Effects) -> Floats:
        """Return u_i'V^-1 u_j with u = Z Z'P y of each facet, shape (2, 2, m) or with cells (3, 3, m).

        Zs'V^-1 Zs = S^-1 K and Zb'V^-1 Zs = diag(1 / (1 + a D)) N S^-1.
        """
        cells, big, small = self.cells, effects.big[:, 0], effects.small[:, 0]
        used = 2 if effects.cell is None else 3
        means = np.empty((self.panel.n_big, used, self.m))
        means[:, 0], means[:, 1] = big, -self.a * effects.reached
        if effects.cell is not None:
            means[:, 2], apart, small_apart = around_big(self.panel, cells.weight, cells.big_total, effects.cell[:, 0])
        sides = cells.down(means * self.kept[:, None])
        sides[:, 1] += cells.small_total * small
        if effects.cell is not None:
            sides[:, 2] += small_apart
        solved = self.small.solve(sides)
        found = np.empty((used, used, self.m))
        found[1] = found[:, 1] = np.einsum("nm,njm->jm", small, solved)
        for i in range(0, used, 2):
            found[0, i] = (self.pulled * big * means[:, i]).sum(axis=0) - self.b * (sides[:, 0] * solved[:, i]).sum(
                axis=0
            )
        if effects.cell is not None:
            found[2, 0] = found[0, 2]
            found[2, 2] = (
                apart + (self.pulled * means[:, 2] ** 2).sum(axis=0) - self.b * (sides[:, 2] * solved[:, 2]).sum(axis=0)
            )
        return found
