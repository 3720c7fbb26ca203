r"""Free coordinates for the variances: any value of them is a possible set of variances.

Sigma is LL' with L lower triangular and linear in its coordinates, variances are squares of standard deviations, and
residual variances are exponentials. So the criterion is smooth everywhere, also where Sigma is singular or a variance
is zero, and what is fixed (a correlation, a reliability) is fixed by the choice of L:

- no more than that: all of the lower triangle is free;
- correlation rho of two kinds, which come first: the second row of L is :math:`s (\rho, \sqrt{1 - \rho^2})`, with both
  standard deviations s >= 0;
- odds c of true to error variance of one kind, which comes first: :math:`L_{11} = \sqrt{c\,\sigma^2_{error}}`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dialgauge.stats.arrays import Floats
from dialgauge.stats.kinds.criterion import Variances, lower_triangle, slope_matrix

RATER, CELL, RESIDUAL = 0, 1, 2

NONE = -1

UNSPLIT = 1e-6
"""Residual variance of a kind whose target and residual variance only have a known sum, over the variance of its
ratings: any value gives the same criterion, and a small one leaves nearly every correlation possible."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Which variances the model has: for each kind the number of its variance, the same where kinds share one.

    ``NONE`` (-1) stands for no such variance, and for a residual variance that cannot be told from that of the targets.
    """

    rater: tuple[int, ...]
    cell: tuple[int, ...]
    residual: tuple[int, ...]

    @property
    def n_kinds(self) -> int:
        """Kinds of rater, G."""
        return len(self.residual)

    @property
    def members(self) -> Floats:
        """Which variances (3, G) each of the different ones stands for, shape (v, 3, G), residual ones last."""
        found = []
        for facet, ids in enumerate((self.rater, self.cell, self.residual)):
            for slot in range(max(ids) + 1):
                one = np.zeros((3, self.n_kinds))
                one[facet] = np.equal(ids, slot)
                found.append(one)
        return np.array(found).reshape(-1, 3, self.n_kinds)


@dataclass(frozen=True, slots=True, eq=False)
class Pin:
    """Odds of true to error variance of ``kind`` that are kept fixed; ``weights`` (3, G) make its error variance."""

    kind: int
    odds: float
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """Coordinates x: those of L, then standard deviations of rater and cell, then logs of the residual variances.

    ``order`` lists the kinds as the rows of the triangle have them, ``basis`` (q, G, G) holds dL/dx of the coordinates
    of L, ``members`` (v, 3, G) tells which variances the others stand for. ``bounded`` marks the coordinates that may
    not be negative.
    """

    order: tuple[int, ...]
    basis: Floats
    members: Floats
    bounded: NDArray[np.bool_]
    pin: Pin | None = None

    @classmethod
    def free(cls, slots: Slots, order: tuple[int, ...] | None = None) -> Self:
        """Leave all of Sigma free; ``order`` lists the kinds as the rows of the triangle shall have them."""
        rows = tuple(range(slots.n_kinds)) if order is None else order
        return cls._of(slots, rows, _entries(rows))

    @classmethod
    def with_correlation(cls, slots: Slots, kinds: tuple[int, int], rho: float) -> Self:
        """Fix the correlation of the target effects on two kinds at ``rho`` (-1 to 1)."""
        order = (*kinds, *(g for g in range(slots.n_kinds) if g not in kinds))
        one, two = np.zeros((2, slots.n_kinds, slots.n_kinds))
        one[kinds[0], 0] = 1.0
        two[kinds[1], :2] = rho, np.sqrt((1.0 - rho) * (1.0 + rho))
        rest = _entries(order)[3:]
        if abs(rho) == 1.0:  # the second column belongs to neither of the two then and only repeats the others
            rest = [e for e in rest if not e[:, 1].any()]
        chart = cls._of(slots, order, [one, two, *rest])
        chart.bounded[:2] = True
        return chart

    @classmethod
    def with_odds(cls, slots: Slots, pin: Pin) -> Self:
        """Fix the odds of true to error variance of one kind."""
        order = (pin.kind, *(g for g in range(slots.n_kinds) if g != pin.kind))
        rest = [e for e in _entries(order)[1:] if pin.odds > 0.0 or not e[:, 0].any()]
        return replace(cls._of(slots, order, rest), pin=pin)

    @classmethod
    def _of(cls, slots: Slots, order: tuple[int, ...], basis: Sequence[Floats]) -> Self:
        members = slots.members
        return cls(
            order=order,
            basis=np.array(basis).reshape(-1, slots.n_kinds, slots.n_kinds),
            members=members,
            bounded=np.zeros(len(basis) + len(members), bool),
        )

    @property
    def n_root(self) -> int:
        """The number of coordinates of L."""
        return len(self.basis)

    @property
    def diagonal(self) -> NDArray[np.intp]:
        """The coordinates that are entries on the diagonal of L."""
        found = np.zeros(self.n_root, bool)
        for column, kind in enumerate(self.order):
            found |= self.basis[:, kind, column] != 0.0
        return np.flatnonzero(found)

    @property
    def deviations(self) -> NDArray[np.intp]:
        """The coordinates that are standard deviations of raters or cells."""
        return self.n_root + np.flatnonzero(~self._exponential)

    @property
    def residuals(self) -> NDArray[np.intp]:
        """The coordinates that are logs of residual variances."""
        return self.n_root + np.flatnonzero(self._exponential)

    @property
    def _exponential(self) -> NDArray[np.bool_]:
        return np.asarray(self.members[:, RESIDUAL].any(axis=1))

    def _own(self, x: Floats) -> Floats:
        """Return the variances of rater, cell and residual, shape (3, G)."""
        z = x[self.n_root :]
        values = np.where(self._exponential, np.exp(z), z**2)
        own: Floats = np.einsum("k,kfg->fg", values, self.members)
        unsplit = ~self.members[:, RESIDUAL].any(axis=0)
        own[RESIDUAL, unsplit] = UNSPLIT
        return own

    def variances(self, x: Floats) -> Variances:
        """Return the variances at ``x``."""
        own = self._own(x)
        root = np.einsum("k,kgh->gh", x[: self.n_root], self.basis)
        if self.pin is not None:
            root[self.pin.kind, 0] = np.sqrt(self.pin.odds * float((self.pin.weights * own).sum()))
        return Variances(root, own[RATER], own[CELL], own[RESIDUAL])

    def coordinates(self, at: Variances) -> Floats:
        """Return the coordinates of the variances ``at``, but for what is fixed."""
        order = np.array(self.order)
        root = np.zeros_like(at.root)
        root[order] = cholesky(at.sigma[np.ix_(order, order)])
        x = np.einsum("gh,kgh->k", root, self.basis)
        if self.bounded.any():
            x[:2] = np.sqrt(np.diag(at.sigma)[order[:2]])
        own = np.stack([at.rater, at.cell, at.residual])
        value = np.einsum("fg,kfg->k", own, self.members) / self.members.sum(axis=(1, 2))
        exponential = self._exponential
        return np.concatenate([x, np.where(exponential, np.log(np.where(exponential, value, 1.0)), np.sqrt(value))])

    def jacobian(self, x: Floats) -> Floats:
        """Return d variances / dx, in the order of the gradient of evaluate, shape (p, len(x))."""
        root = self.variances(x).root
        d_sigma = self._d_root(x, root) @ root.T
        d_sigma = d_sigma + d_sigma.transpose(0, 2, 1)
        rows, columns = lower_triangle(len(root))
        d_own = np.zeros((len(x), 3 * len(root)))
        d_own[self.n_root :] = (self._first(x)[:, None, None] * self.members).reshape(-1, 3 * len(root))
        return np.concatenate([d_sigma[:, rows, columns].T, d_own.T])

    def pull(self, x: Floats, gradient: Floats, information: Floats) -> tuple[Floats, Floats]:
        """Return gradient and approximate second derivative in x from those in the variances (see evaluate)."""
        jacobian, root = self.jacobian(x), self.variances(x).root
        slope, d_root = slope_matrix(gradient, len(root)), self._d_root(x, root)
        hessian = jacobian.T @ information @ jacobian
        hessian += 2.0 * np.einsum("kgi,lgi->kl", d_root, slope @ d_root)
        own = gradient[-3 * len(root) :].reshape(3, -1)
        z = x[self.n_root :]
        second = np.where(self._exponential, np.exp(z), 2.0)
        bend = np.zeros(len(x))
        bend[self.n_root :] = second * (self.members * own).sum(axis=(1, 2))
        if self.pin is not None and self.pin.odds > 0.0:
            corner, pull = root[self.pin.kind, 0], 2.0 * (slope @ root)[self.pin.kind, 0]
            first = d_root[:, self.pin.kind, 0]
            bend[self.n_root :] += pull * 0.5 * self.pin.odds / corner * second * self._pinned()
            hessian -= pull / corner * np.outer(first, first)
        return jacobian.T @ gradient, hessian + np.diag(bend)

    def _first(self, x: Floats) -> Floats:
        z = x[self.n_root :]
        return np.where(self._exponential, np.exp(z), 2.0 * z)

    def _pinned(self) -> Floats:
        """Return what one unit of each variance adds to the error variance of the pinned kind."""
        return np.zeros(len(self.members)) if self.pin is None else (self.members * self.pin.weights).sum(axis=(1, 2))

    def _d_root(self, x: Floats, root: Floats) -> Floats:
        found = np.zeros((len(x), *root.shape))
        found[: self.n_root] = self.basis
        if self.pin is not None and self.pin.odds > 0.0:
            slope = 0.5 * self.pin.odds / root[self.pin.kind, 0] * self._first(x) * self._pinned()
            found[self.n_root :, self.pin.kind, 0] = slope
        return found


def cholesky(sigma: Floats) -> Floats:
    """Return the lower triangular root of a positive semidefinite matrix; a column without a pivot is zero."""
    left, found = sigma.copy(), np.zeros_like(sigma)
    for i in range(len(sigma)):
        if left[i, i] > 1e-14 * sigma[i, i]:
            found[i:, i] = left[i:, i] / np.sqrt(left[i, i])
            left = left - np.outer(found[:, i], found[:, i])
    return found


def pivot_order(sigma: Floats) -> tuple[int, ...]:
    """Return the kinds in the order in which each has the most variance that those before it leave unexplained."""
    left, order = sigma.copy(), list[int]()
    for _ in range(len(sigma)):
        kind = max((g for g in range(len(sigma)) if g not in order), key=lambda g: float(left[g, g]))
        order.append(kind)
        if left[kind, kind] > 0.0:
            left = left - np.outer(left[kind], left[kind]) / left[kind, kind]
    return tuple(order)


def _entries(order: Sequence[int]) -> list[Floats]:
    """Return a matrix with a single 1 for each entry of the lower triangle whose rows are the kinds in ``order``."""
    found = []
    for i, kind in enumerate(order):
        for j in range(i + 1):
            one = np.zeros((len(order), len(order)))
            one[kind, j] = 1.0
            found.append(one)
    return found
