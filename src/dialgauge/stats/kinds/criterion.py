r"""The REML criterion of raters of several kinds, exact on sparse data, with its gradient and average information.

Model: :math:`y = \mu_g + u_i^{(g)} + v_j + w_{ij} + e` for target i and rater j of kind g = g(j). The effects of a
target on the kinds are jointly normal with covariance matrix Sigma (G x G); v, w and e are independent with variances
of their own per kind. Ratings of one cell (target x rater) enter by their mean, of variance
:math:`d = \sigma_{w,g}^2 + \sigma_{e,g}^2 / n`, and by their sum of squares around it. With the weights 1/d and their
sums D_i (diagonal, G x G) over the cells of a target by kind, B = V without the rater effects and R their variances:

.. math::
    T_i = (I + \Sigma D_i)^{-1}, \quad
    B^{-1} x = W (x - \bar x + T \bar x), \quad K = Z_r' B^{-1} Z_r, \quad S = I + R^{1/2} K R^{1/2}

    \log|V| = \sum \log d + \sum_i \log|I + \Sigma D_i| + \log|S| + \text{(within cells)}

where xbar are the weighted means of a target by kind, so that what varies around them is kept apart.
So only S, of the size of the raters, and a G x G matrix per target are factored; written so, all of it
is exact where Sigma is singular and where a variance is zero. Searle, Casella and McCulloch (1992), ch. 6, for REML;
Gilmour, Thompson and Cullis (1995) for the average information.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import issparse

from dialgauge.stats.arrays import Floats, sum_by
from dialgauge.stats.kinds.panel import KindsPanel, KindsResponses

TINY = 1e-3
"""Below this severity variance its derivative is computed without dividing by it."""


@dataclass(frozen=True, slots=True, eq=False)
class Variances:
    """Where to evaluate: a root L of Sigma (G, G), and per kind (G,) the variances of rater, cell and residual.

    All are in units of the standardised ratings; the residual variances are positive.
    """

    root: Floats
    rater: Floats
    cell: Floats
    residual: Floats

    @property
    def sigma(self) -> Floats:
        """Covariance matrix of the target effects, (G, G)."""
        return self.root @ self.root.T

    def in_units(self, scale: Floats) -> "Variances":
        """Return the same variances in the units of the ratings."""
        return Variances(
            self.root * scale[:, None], self.rater * scale**2, self.cell * scale**2, self.residual * scale**2
        )


@dataclass(frozen=True, slots=True, eq=False)
class KindsEvaluation:
    """The criterion (minus twice the restricted log likelihood, in units of the data) and what comes with it.

    ``gradient`` (p,) and ``information`` (p, p) are with respect to the lower triangle of Sigma, row by row, then the
    variances of rater, cell and residual of each kind, standardised. ``information`` approximates the second derivative
    of the criterion. ``mean`` (G,) and ``mean_covariance`` (G, G) are standardised; ``target_effect`` (n_targets, G)
    and ``rater_effect`` (n_raters,) are best linear unbiased predictions, standardised.
    """

    criterion: float
    gradient: Floats
    information: Floats
    mean: Floats
    mean_covariance: Floats
    target_effect: Floats
    rater_effect: Floats


def lower_triangle(n_kinds: int) -> tuple[list[int], list[int]]:
    """Return rows and columns of the entries of Sigma in the order of the gradient."""
    pairs = [(g, h) for g in range(n_kinds) for h in range(g + 1)]
    return [g for g, _ in pairs], [h for _, h in pairs]


def slope_matrix(gradient: Floats, n_kinds: int) -> Floats:
    """Return the symmetric M with d criterion = tr(M dSigma) from a gradient."""
    rows, columns = lower_triangle(n_kinds)
    found = np.zeros((n_kinds, n_kinds))
    found[rows, columns] = gradient[: len(rows)]
    return 0.5 * (found + found.T)


def evaluate(panel: KindsPanel, responses: KindsResponses, at: Variances) -> KindsEvaluation:
    """Evaluate the criterion with its derivatives at the variances ``at``."""
    return _Pass(panel, responses, at).evaluation()


class _Pass:
    def __init__(self, panel: KindsPanel, responses: KindsResponses, at: Variances) -> None:
        self.panel, self.responses, self.at = panel, responses, at
        kind, self.G = panel.kind, panel.n_kinds
        self.w = panel.count / (at.residual[kind] + panel.count * at.cell[kind])
        self.D = self._by_group(self.w)
        self.share = self.w / self._at_group(self.D)
        matrices = np.eye(self.G) + at.sigma * self.D[:, None, :]
        self.T = np.linalg.inv(matrices)
        own = self.D[:, :, None] * self.T
        self.own = 0.5 * (own + own.transpose(0, 2, 1))
        self.log_det = float(np.linalg.slogdet(matrices)[1].sum()) + float(np.log(panel.count / self.w).sum())
        self.log_det += float((panel.per_kind - panel.cells_per_kind) @ np.log(at.residual))
        self._factor()

    def _factor(self) -> None:
        """Set K, the matrix R^(1/2) S^-1 R^(1/2), and add log|S|."""
        panel, apart = self.panel, self.w * (1.0 - self.share)
        same = np.equal.outer(panel.kind_of, panel.kind_of)
        self.K = np.where(same, -self._product(self.w / np.sqrt(self._at_group(self.D))), 0.0)
        np.fill_diagonal(self.K, sum_by(panel.rater, apart, panel.n_raters))
        absent = np.einsum("ig,gh->igh", (self.D == 0.0).astype(np.float64), np.eye(self.G))
        for column in np.linalg.cholesky(self.own + absent).transpose(2, 0, 1):
            self.K += self._product(self.share * self._at_group(column))
        root = np.sqrt(self.at.rater)[panel.kind_of]
        factor, info = dpotrf(np.eye(panel.n_raters) + root[:, None] * self.K * root, lower=1)
        if info:  # S is I plus a positive semidefinite matrix: only absurd variances get here
            self.log_det = math.nan
            factor = np.eye(panel.n_raters)
        self.log_det += 2.0 * float(np.log(np.diag(factor)).sum())
        inverse = np.tril(dpotri(factor, lower=1)[0])
        self.kept = np.diag(inverse)
        self.R = root[:, None] * (inverse + np.tril(inverse, -1).T) * root

    def _product(self, cells: Floats) -> Floats:
        """Return X'X of the targets x raters table X with these cells."""
        table = self.panel.spread(cells)
        product: Any = table.T @ table
        return np.asarray(product.toarray() if issparse(product) else product)

    def _by_group(self, cells: Floats) -> Floats:
        """Sum over the cells of each target and kind: from (c, ...) to (n_targets, G, ...)."""
        return np.asarray(self.panel.to_group @ cells).reshape(-1, self.G, *cells.shape[1:])

    def _at_group(self, groups: Floats) -> Floats:
        """Return the entry of each cell's target and kind: from (n_targets, G, ...) to (c, ...)."""
        return np.asarray(groups[self.panel.target, self.panel.kind])

    def _without_raters(self, x: Floats) -> Floats:
        """Return B^-1 x of cell vectors x (c, q), B being V without the rater effects."""
        means = self._by_group(self.share[:, None] * x)
        return np.asarray(self.w[:, None] * (x - self._at_group(means) + self._at_group(self.T @ means)))

    def _solve(self, x: Floats) -> Floats:
        """Return V^-1 x of cell vectors x (c, q)."""
        severity = self.R @ (self.panel.to_rater @ self._without_raters(x))
        return self._without_raters(x - severity[self.panel.rater])

    def evaluation(self) -> KindsEvaluation:
        panel, responses, at = self.panel, self.responses, self.at
        one = np.eye(self.G)[panel.kind]
        solved = self._solve(np.column_stack([one, responses.cell_mean]))
        z_one, gram = solved[:, :-1], one.T @ solved
        covariance: Floats = np.asarray(np.linalg.inv(gram[:, :-1]), dtype=np.float64)
        mean = covariance @ gram[:, -1]
        z = solved[:, -1] - z_one @ mean
        squares = float(responses.cell_mean @ z) + float((responses.within / at.residual).sum())
        criterion = self.log_det + np.linalg.slogdet(gram[:, :-1])[1] + squares
        criterion += (panel.n - self.G) * math.log(2.0 * math.pi)
        criterion += float(2.0 * (panel.per_kind - 1.0) @ np.log(responses.scale))
        group_z, rater_z = self._by_group(z), np.asarray(panel.to_rater @ z)
        return KindsEvaluation(
            criterion=float(criterion),
            gradient=self._gradient(z, z_one, covariance),
            information=self._information(z, group_z, rater_z, z_one, covariance),
            mean=mean,
            mean_covariance=covariance,
            target_effect=group_z @ at.sigma,
            rater_effect=at.rater[panel.kind_of] * rater_z,
        )

    def _gradient(self, z: Floats, z_one: Floats, covariance: Floats) -> Floats:
        """Return tr(P dV) - y'P dV P y for every variance, with P = V^-1 - V^-1 X (X'V^-1 X)^-1 X'V^-1."""
        panel, G, kind = self.panel, self.G, self.panel.kind
        root = z_one @ np.linalg.cholesky(covariance)
        taken = np.column_stack([root, z])  # P dV P summed over these columns is what both later terms need
        seen = np.stack([panel.at_cells(self.share * (kind == h), self.R) for h in range(G)], axis=1)
        crossed = self._by_group(self.share[:, None] * seen).transpose(0, 2, 1)
        groups = self._by_group(taken)
        slope = (self.own - self.own @ crossed @ self.own).sum(axis=0) - np.einsum("igq,ihq->gh", groups, groups)
        rows, columns = lower_triangle(G)
        of_sigma = (slope + slope.T)[rows, columns] * np.where(np.equal(rows, columns), 0.5, 1.0)

        raters = np.asarray(panel.to_rater @ taken)
        of_rater = self._rater_traces() - (raters**2).sum(axis=1)

        turn = self.T - np.eye(G)
        quad = self._at_group(np.einsum("igh,ihk,igk->ig", turn, crossed, turn))
        quad += np.diag(self.R)[panel.rater] + 2.0 * (self._at_group(turn) * seen).sum(axis=1)
        of_cell = self.w * (1.0 - self.share) + self.share**2 * self._at_group(np.einsum("igg->ig", self.own))
        of_cell -= self.w**2 * quad + (taken**2).sum(axis=1)
        within = (panel.per_kind - panel.cells_per_kind) / self.at.residual
        within -= self.responses.within / self.at.residual**2
        return np.concatenate(
            [
                of_sigma,
                sum_by(panel.kind_of, of_rater, G),
                sum_by(kind, of_cell, G),
                sum_by(kind, of_cell / panel.count, G) + within,
            ]
        )

    def _rater_traces(self) -> Floats:
        """Return the diagonal of Zr'V^-1 Zr = K - K R K, from that of S^-1 where the severity variance is not tiny."""
        variance = self.at.rater[self.panel.kind_of]
        found = (1.0 - self.kept) / np.maximum(variance, TINY)
        tiny = np.flatnonzero(variance < TINY)
        if tiny.size:
            columns = self.K[:, tiny]
            found[tiny] = self.K[tiny, tiny] - np.einsum("jk,jk->k", columns, self.R @ columns)
        return found

    def _information(self, z: Floats, group_z: Floats, rater_z: Floats, z_one: Floats, covariance: Floats) -> Floats:
        """Return y'P dV P dV P y for every two variances."""
        panel, G = self.panel, self.G
        one = np.eye(G)[panel.kind]
        columns = []
        for g, h in zip(*lower_triangle(G), strict=True):
            x = one[:, g] * group_z[panel.target, h]
            columns.append(x if g == h else x + one[:, h] * group_z[panel.target, g])
        x = np.column_stack([*columns, one * rater_z[panel.rater, None], one * z[:, None]])
        x = np.column_stack([x, one * (z / panel.count)[:, None]])
        projected = self._solve(x) - z_one @ (covariance @ (z_one.T @ x))
        found = x.T @ projected
        last = np.arange(len(found) - G, len(found))
        found[last, last] += self.responses.within / self.at.residual**3
        return np.asarray(0.5 * (found + found.T))
