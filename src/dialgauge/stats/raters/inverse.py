r"""The inverse of the mixed model equations of a fitted model, as far as raters and ratings need it.

In units of the residual variance, with the variance ratios a (big factor), b (small factor) and g (cell) of
`dialgauge.stats.reml.criterion`, the prediction errors of the effects have, given the mean, the covariances

.. math::
    C_{ss} = b S^{-1}, \quad C_{bs} = -A N C_{ss}, \quad C_{bb} = A + A N C_{ss} N' A, \quad
    A = \mathrm{diag}(a / (1 + a D))

where N holds the weights of the cells and D their sums. An unknown mean adds to each an outer product of what the
effects' predictions take from it (Henderson 1975; Searle, Casella and McCulloch 1992, ch. 7). Only S is inverted:
dense, of the smaller factor.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.fit import RemlFit
from dialgauge.stats.reml.panel import Panel

SLICE = 16_000_000
"""Most numbers of a dense slice of big x small (128 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some levels of the big factor with all of their cells.

    ``rows`` and ``cells`` are ranges of both; ``local`` (n_cells here,) numbers the cells' levels from the first of the
    slice, ``small`` names their levels of the small factor. ``product`` (n_rows, n_small) is N C_ss of these rows.
    """

    rows: slice
    cells: slice
    local: Codes
    small: Codes
    product: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Inverse:
    """The blocks of the inverse at the ratios of one fit.

    ``shrink`` (n_cells,) is 1 / (1 + g n), ``weight`` (n_cells,) the cells of ``table``, N; ``pull`` (n_big,) is the
    diagonal of A, ``small`` (n_small, n_small) is C_ss. ``one_big`` and ``one_small`` are Z'V^-1 1 of both factors and
    ``total`` is 1'V^-1 1.
    """

    fit: RemlFit
    a: float
    b: float
    g: float
    shrink: Floats
    weight: Floats
    table: csr_array
    pull: Floats
    small: Floats
    one_big: Floats
    one_small: Floats
    total: float

    @property
    def panel(self) -> Panel:
        """Who rated whom how often."""
        return self.fit.panel

    def rater_takes(self) -> Floats:
        """Return what the prediction of each rater takes from an error of the mean, shape (n_raters,)."""
        return self.b * self.one_small if self.panel.small_is_rater else self.a * self.one_big

    def rater_known(self) -> Floats:
        """Return the prediction error variance of each rater given the mean, shape (n_raters,)."""
        if self.panel.small_is_rater:
            return np.diag(self.small).copy()
        return self.pull + self.pull**2 * self.big_through_small()

    def rater_errors(self) -> Floats:
        """Return the prediction error variance of each rater with the uncertainty of the mean, shape (n_raters,)."""
        return self.rater_known() + self.rater_takes() ** 2 / self.total

    def big_through_small(self) -> Floats:
        """Return the diagonal of N C_ss N', shape (n_big,)."""
        found = np.empty(self.panel.n_big)
        for part in self.slices():
            terms = part.product[part.local, part.small] * self.weight[part.cells]
            found[part.rows] = np.bincount(part.local, terms, minlength=part.rows.stop - part.rows.start)
        return found

    def slices(self) -> Iterator[Slice]:
        """Yield all levels of the big factor, as many at a time as fit into memory."""
        panel = self.panel
        ends = np.append(panel.big_start, panel.n_cells)
        step = max(1, SLICE // panel.n_small)
        for first in range(0, panel.n_big, step):
            last = min(first + step, panel.n_big)
            cells = slice(int(ends[first]), int(ends[last]))
            product = np.asarray(self.table[first:last] @ self.small)
            yield Slice(slice(first, last), cells, panel.big[cells] - first, panel.small[cells], product)


def invert(fit: RemlFit) -> Inverse:
    """Invert the mixed model equations at the ratios of ``fit``.

    Raises ``CannotEstimateError`` where the matrix of the smaller factor is too large to be formed.
    """
    panel = fit.panel
    if panel.large:
        raise CannotEstimateError(
            f"with {panel.n_big:,} x {panel.n_small:,} targets and raters single raters' precision is out of reach",
            remedy="analyse a random part of the targets",
        )
    a, b, g = (float(fit.ratios[i]) for i in ((0, 1, 2) if panel.small_is_rater else (1, 0, 2)))
    shrink = 1.0 / (1.0 + g * panel.cell_count)
    weight = panel.cell_count * shrink
    table = panel.weighted(weight)
    big_total, small_total = np.asarray(table.sum(axis=1)), np.asarray(table.sum(axis=0))
    kept = 1.0 / (1.0 + a * big_total)
    matrix = np.asarray((table.T @ table.multiply((-a * b * kept)[:, None]).tocsr()).toarray())
    matrix[np.diag_indices_from(matrix)] += 1.0 + b * small_total
    inverse = _invert_positive(matrix)
    one_small = inverse @ np.asarray(table.T @ kept)
    one_big = kept * (big_total - np.asarray(table @ (b * one_small)))
    return Inverse(
        fit=fit,
        a=a,
        b=b,
        g=g,
        shrink=shrink,
        weight=weight,
        table=table,
        pull=a * kept,
        small=b * inverse,
        one_big=one_big,
        one_small=one_small,
        total=float(one_big.sum()),
    )


def _invert_positive(matrix: Floats) -> Floats:
    """Invert a symmetric positive definite matrix (S is the identity plus a positive semidefinite one)."""
    factor, _ = dpotrf(matrix, lower=1)
    lower, _ = dpotri(factor, lower=1)
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
