"""S of a large panel: never formed, solved by conjugate gradients, its determinant and traces from fixed probes.

S is scaled to unit diagonal (Jacobi). Solutions come from preconditioned conjugate gradients (Hestenes and Stiefel
1952), the log determinant from the Lanczos coefficients that the same iterations bring (Ubaru, Chen and Saad 2017),
traces with the inverse from probes of random signs (Hutchinson 1990), of which only the part off the diagonal is left
to chance. The probes are drawn once from a fixed seed, so the criterion is one smooth function of the ratios.
"""

import numpy as np
from scipy.linalg import eigh_tridiagonal

from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Floats, sum_by
from dialgauge.stats.reml.cells import Cells, columns
from dialgauge.stats.reml.panel import PROBES

TOLERANCE = 1e-9
MAX_ITERATIONS = 500
EXHAUSTED = 1e-28


class IterativeSmall:
    """S applied cell by cell, for m dimensions at ratios ``a`` (big) and ``b`` (small); ``kept`` is 1 / (1 + a D).

    ``solved``, ``first`` and ``second`` are as in ``DenseSmall``, the last not known. ``noise`` (m,) is the standard
    error that the probes leave in the log determinant.
    """

    def __init__(
        self, cells: Cells, ratios: tuple[Floats, Floats], kept: Floats, sides: Floats, *, cell: bool, second: bool
    ) -> None:
        del second  # they are not available
        if cell:
            raise NotImplementedError  # refused before it gets here
        self.cells, (self.a, self.b), self.kept = cells, ratios, kept
        panel, (a, b) = cells.panel, ratios
        squares = cells.weight**2 * (a * kept)[panel.big]
        taken = np.stack([sum_by(panel.small, column, panel.n_small) for column in squares.T], axis=1)
        self.diagonal = 1.0 + b * (cells.small_total - taken)
        self.root = np.sqrt(self.diagonal)
        rng = child_rng(0, "probes", panel.n_small)
        self.probes = np.where(rng.random((panel.n_small, PROBES)) < 0.5, -1.0, 1.0)
        logs = np.empty((PROBES, len(a)))
        self.probed = np.empty((len(a), panel.n_small, PROBES))
        for i in range(len(a)):
            self.probed[i], steps, shrinks = self._conjugate_gradients(self.probes, i)
            logs[:, i] = _log_quadratures(steps, shrinks) * panel.n_small
        self.log_det: Floats = np.log(self.diagonal).sum(axis=0) + logs.mean(axis=0)
        self.solved = self.solve(sides)
        self.first, self.second = self._traces(), np.full((2, 2, len(a)), np.nan)
        self.noise: Floats = logs.std(axis=0, ddof=1) / np.sqrt(PROBES)

    def _apply(self, x: Floats, i: int) -> Floats:
        """Return the scaled S times ``x`` of shape (n_small, j), for the dimension numbered ``i``."""
        table = self.cells.panel.table
        y = x / self.root[:, i, None]
        omega = self.cells.omega[min(i, len(self.cells.omega) - 1)]
        back = self.cells.panel.turned @ ((omega**2 * self.a[i] * self.kept[:, i, None]) * (table @ y))
        return np.asarray(
            (y + self.b[i] * (columns(self.cells.small_total, slice(i, i + 1)) * y - back)) / self.root[:, i, None]
        )

    def _conjugate_gradients(self, sides: Floats, i: int) -> tuple[Floats, list[Floats], list[Floats]]:
        """Solve the scaled system for ``sides`` (n_small, j); return the solution and the coefficients of each step."""
        x, r = np.zeros_like(sides), sides.copy()
        p, rho = r.copy(), np.einsum("nj,nj->j", r, r)
        enough = TOLERANCE**2 * rho
        steps: list[Floats] = []
        shrinks: list[Floats] = []
        for _ in range(MAX_ITERATIONS):
            applied = self._apply(p, i)
            step = rho / np.maximum(np.einsum("nj,nj->j", p, applied), 1e-300)
            x += step * p
            r -= step * applied
            rho_new = np.einsum("nj,nj->j", r, r)
            steps.append(step)
            shrinks.append(rho_new / np.maximum(rho, 1e-300))
            if np.all(rho_new <= enough):
                return x, steps, shrinks
            p = r + shrinks[-1] * p
            rho = rho_new
        x[:] = np.nan  # the criterion is then not finite and no minimum is certified
        return x, steps, shrinks

    def solve(self, sides: Floats) -> Floats:
        """Return S^-1 h for the right sides h of shape (n_small, j, m)."""
        found = np.empty_like(sides)
        for i in range(sides.shape[2]):
            scaled = sides[..., i] / self.root[:, i, None]
            found[..., i] = self._conjugate_gradients(scaled, i)[0] / self.root[:, i, None]
        return found

    def _traces(self) -> Floats:
        """Return the traces of Z'V^-1 Z for big and small, shape (3, m); those of the cells are not available."""
        cells, panel = self.cells, self.cells.panel
        found = np.zeros((3, len(self.a)))
        for i in range(len(self.a)):
            z, moved = self.probes, self.probed[i] - self.probes  # the scaled S^-1 less I, times the probes
            d = self.diagonal[:, i]
            inverse = float((1.0 / d).sum()) + float((z * moved / d[:, None]).sum()) / PROBES
            found[1, i] = (panel.n_small - inverse) / self.b[i]
            keep2 = self.kept[:, i] ** 2
            omega2 = cells.omega[min(i, len(cells.omega) - 1)] ** 2
            exact = float((omega2 * panel.cell_count**2 * keep2[panel.big] / d[panel.small]).sum())
            root = self.root[:, i, None]
            left, right = panel.table @ (moved / root), panel.table @ (z / root)
            inner = exact + omega2 * float((keep2[:, None] * left * right).sum()) / PROBES
            pulled = float((columns(cells.big_total, slice(i, i + 1))[:, 0] * self.kept[:, i]).sum())
            found[0, i] = pulled - self.b[i] * inner
        return found


def _log_quadratures(steps: list[Floats], shrinks: list[Floats]) -> Floats:
    """Return e1' log(T) e1 for the Lanczos matrix T of each probe, from its conjugate gradient coefficients."""
    alpha, beta = np.array(steps), np.array(shrinks)
    found = np.empty(alpha.shape[1])
    for j in range(alpha.shape[1]):
        ended = np.flatnonzero((alpha[:, j] <= 0.0) | (beta[:, j] <= EXHAUSTED))  # this probe was solved exactly
        n = int(ended[0]) + (1 if alpha[ended[0], j] > 0.0 else 0) if ended.size else len(alpha)
        a, b = alpha[:n, j], beta[: max(n - 1, 0), j]
        diagonal = 1.0 / a
        diagonal[1:] += b / a[:-1]
        values, vectors = eigh_tridiagonal(diagonal, np.sqrt(b) / a[:-1])
        found[j] = (vectors[0] ** 2) @ np.log(np.maximum(values, 1e-300))
    return found
