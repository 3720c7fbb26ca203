r"""Two crossed random intercepts on sparse ratings: the linear algebra of one weighted least squares problem.

With rating weights D, variances a (bigger factor) and b (smaller factor), V = diag(a, b) and W = Z'DZ,

.. math::
    \log|I + V W| = \sum \log(1 + a A) + \log|S|, \quad S = I + b (\mathrm{diag}(E) - N' \mathrm{diag}(p) N), \quad
    p = a / (1 + a A)

where N holds the weights of the target x rater cells that occur and A, E are its sums. Only S is dense, of the size of
the smaller factor; the bigger factor is diagonal and the table of targets x raters stays sparse. All of it is exact at
a = 0 or b = 0, where the factor is absent. It is the Schur complement of Henderson's equations (Searle, Casella and
McCulloch 1992, ch. 7).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.sparse import csr_array

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats, sum_by

MOST_SMALL_LEVELS = 5000
"""Most levels of the smaller factor: its matrix then takes 200 MB."""

CHUNK = 4_000_000
"""Most numbers of a dense slice of big x small that may exist at a time (32 MB)."""


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Who rated whom: the factor with more levels is ``big``, the other ``small``.

    ``big`` and ``small`` have shape (n,), ``rating_cell`` maps a rating to its cell; ``cell_big`` and ``cell_small``
    have one entry per cell that occurs, sorted by big, then small. A factor that is absent has one level.
    """

    n_targets: int
    n_raters: int
    small_is_rater: bool
    big: Codes
    small: Codes
    rating_cell: Codes
    cell_big: Codes
    cell_small: Codes
    pointers: Codes

    @classmethod
    def build(cls, target: Codes, rater: Codes) -> Self:
        """Build from dense codes of shape (n,); raises ``CannotEstimateError`` when both factors are too large."""
        n_t, n_r = int(target.max()) + 1, int(rater.max()) + 1
        small_is_rater = n_r <= n_t
        big, small = (target, rater) if small_is_rater else (rater, target)
        n_big, n_small = max(n_t, n_r), min(n_t, n_r)
        if n_small > MOST_SMALL_LEVELS:
            raise CannotEstimateError(
                f"there are {n_t} targets and {n_r} raters, and the smaller factor may have {MOST_SMALL_LEVELS} levels",
                remedy="analyse parts of the ratings, or use the linear model",
            )
        keys, rating_cell = np.unique(big * n_small + small, return_inverse=True)
        cell_big = keys // n_small
        return cls(
            n_targets=n_t,
            n_raters=n_r,
            small_is_rater=small_is_rater,
            big=big,
            small=small,
            rating_cell=rating_cell,
            cell_big=cell_big,
            cell_small=keys % n_small,
            pointers=np.concatenate([[0], np.cumsum(np.bincount(cell_big, minlength=n_big))]),
        )

    @property
    def n_big(self) -> int:
        """Levels of the factor that is kept diagonal."""
        return max(self.n_targets, self.n_raters)

    @property
    def n_small(self) -> int:
        """Levels of the factor whose matrix is factored."""
        return min(self.n_targets, self.n_raters)

    def sums(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the sums of ``values``, shape (n,), over the levels of the big and of the small factor."""
        return sum_by(self.big, values, self.n_big), sum_by(self.small, values, self.n_small)

    def spread(self, effects: tuple[Floats, Floats]) -> Floats:
        """Return, for each rating, the sum of its big and its small effect, shape (n,)."""
        return np.asarray(effects[0][self.big] + effects[1][self.small])

    def table(self, cell_weight: Floats) -> csr_array:
        """Return the sparse big x small table with one weight per cell."""
        return csr_array((cell_weight, self.cell_small, self.pointers), shape=(self.n_big, self.n_small))


class WeightedSystem:
    """The matrices V and W at one point, factored once: solutions, log determinant, leverages and traces."""

    def __init__(self, crossing: Crossing, weight: Floats, variance: tuple[float, float]) -> None:
        """Factor the system for rating weights of shape (n,) and variances (big, small), both >= 0.

        Raises ``FloatingPointError`` where the matrix is not positive definite, as happens only through overflow.
        """
        self.crossing, (self.a, self.b) = crossing, variance
        self.cell = sum_by(crossing.rating_cell, weight)
        self.big_sum = sum_by(crossing.cell_big, self.cell)
        self.small_sum = sum_by(crossing.cell_small, self.cell)
        self.kept = 1.0 / (1.0 + self.a * self.big_sum)
        self.pull = self.a * self.kept
        self.log_det = -float(np.log(self.kept).sum())
        self.diagonal = self.a == 0.0 or self.b == 0.0
        if self.diagonal:
            self.small_diag = 1.0 + self.b * self.small_sum
            self.log_det += float(np.log(self.small_diag).sum())
        else:
            self._factor()

    def _factor(self) -> None:
        c = self.crossing
        s = np.asarray((c.table(self.cell * (-self.b * self.pull)[c.cell_big]).T @ c.table(self.cell)).toarray())
        s.flat[:: c.n_small + 1] += 1.0 + self.b * self.small_sum
        self.factor, info = dpotrf(s, lower=1)
        if info:
            msg = f"the matrix of the smaller factor is not positive definite at variances {self.a}, {self.b}"
            raise FloatingPointError(msg)
        self.log_det += 2.0 * float(np.log(self.factor.diagonal()).sum())

    def solve(self, right: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return (V^-1 + W)^-1 applied to a right-hand side (big, small); zero in a factor without variance."""
        c = self.crossing
        if self.diagonal:
            return self.pull * right[0], self.b * right[1] / self.small_diag
        h = right[1] - sum_by(c.cell_small, self.cell * (self.pull * right[0])[c.cell_big])
        small = self.b * np.asarray(dpotrs(self.factor, h, lower=1)[0])
        back = sum_by(c.cell_big, self.cell * small[c.cell_small])
        return self.pull * (right[0] - back), small

    def leverages_and_traces(self) -> tuple[Floats, tuple[float, float]]:
        """Return z'(V^-1 + W)^-1 z per rating, shape (n,), and the derivatives of the log determinant by a and b."""
        c = self.crossing
        if self.diagonal:
            big, small = self.pull, self.b / self.small_diag
            return (big[c.big] + small[c.small]), self._diagonal_traces()
        inverse, _ = dpotri(self.factor, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        own_small = inverse.diagonal()
        cross = self._cross(inverse)
        own_big = sum_by(c.cell_big, self.cell * cross)
        big = self.pull + self.b * self.pull**2 * own_big
        cell = big[c.cell_big] - 2.0 * self.b * self.pull[c.cell_big] * cross + self.b * own_small[c.cell_small]
        by_a = float((self.big_sum * self.kept).sum()) - self.b * float(self.kept**2 @ own_big)
        by_b = float(own_small @ self.small_sum) - float(self.pull @ own_big)
        return cell[c.rating_cell], (by_a, by_b)

    def _cross(self, inverse: Floats) -> Floats:
        """Return, for each cell, the entry of N S^-1, computed in slices of bounded size."""
        c = self.crossing
        table = c.table(self.cell)
        rows = max(1, CHUNK // c.n_small)
        out = np.empty(len(self.cell))
        for first in range(0, c.n_big, rows):
            last = min(first + rows, c.n_big)
            here = slice(c.pointers[first], c.pointers[last])
            dense = np.asarray(table[first:last] @ inverse)
            out[here] = dense[c.cell_big[here] - first, c.cell_small[here]]
        return out

    def _diagonal_traces(self) -> tuple[float, float]:
        c, squares = self.crossing, self.cell**2
        by_a = float((self.big_sum * self.kept).sum())
        by_a -= self.b * float((self.kept**2)[c.cell_big] @ (squares / self.small_diag[c.cell_small]))
        small = self.small_sum - sum_by(c.cell_small, squares * self.pull[c.cell_big])
        return by_a, float((small / self.small_diag).sum())
