"""Minimise the criterion over ratios that may not be negative, and prove that the answer is a minimum.

Steps are Newton steps with the average information in the logarithms of the ratios, corrected by what the last step
taught (symmetric rank one, Nocedal and Wright 2006, ch. 6.2) and damped until the criterion falls. A ratio that runs
to zero is set to exactly zero, and then the derivative there must point up: an answer is returned only with a
vanishing gradient in every free ratio and a nonnegative one in every ratio at zero. Many searches run side by side, so
that they share the work on the design.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.criterion import Evaluation

STEP_TOLERANCE = 1e-9
NOISE_STEP = 1e-6
FLAT = 1e-9
MAX_ROUNDS = 200
LONGEST_STEP = 3.0
TINY, SMALL, HUGE = 1e-10, 3e-3, 1e8

Bools = NDArray[np.bool_]

Objective = Callable[[Codes, Floats], Evaluation]
"""Evaluates the criterion of the searches with these numbers at these ratios, shape (m, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The ratios (target, rater, cell) of each search as an affine function of its free x >= 0.

    ``base`` has shape (m, 3), ``matrix`` (m, 3, f): ratios = base + matrix @ x.
    """

    base: Floats
    matrix: Floats

    def ratios(self, x: Floats, rows: Codes) -> Floats:
        """Return the ratios of the searches ``rows`` at ``x`` of shape (len(rows), f)."""
        return np.asarray(self.base[rows] + np.einsum("mij,mj->mi", self.matrix[rows], x))


@dataclass(frozen=True, slots=True, eq=False)
class Minima:
    """Where the criterion is least on each plane, with the evidence.

    ``found`` (m,) is false where no minimum could be certified, ``vanished`` where the residual variance runs to zero.
    """

    x: Floats
    ratios: Floats
    at: Evaluation
    evaluations: NDArray[np.intp]
    max_gradient: Floats
    found: Bools
    vanished: Bools


class ResidualVanishesError(CannotEstimateError):
    """The criterion falls without end as the residual variance goes to zero."""

    def __init__(self) -> None:
        super().__init__(
            "the residual variance runs to zero: targets and raters explain the ratings completely",
            remedy="collect more ratings for each target and rater, and check whether ratings were copied",
        )


class NoMinimumError(CannotEstimateError):
    """No minimum of the criterion could be certified."""

    def __init__(self) -> None:
        super().__init__(
            "the REML criterion has no minimum that could be certified (the optimiser did not converge)",
            remedy="check for a target or rater whose ratings differ from all others by orders of magnitude",
        )


def minimise(objective: Objective, plane: Plane, start: Floats, *, tolerance: float = STEP_TOLERANCE) -> Minima:
    """Return the minimum of the criterion on each plane, from the positive ``start`` of shape (m, f).

    A search ends when a Newton step would change no ratio by more than ``tolerance``, relatively; the criterion is then
    exact to about the square of that. What could not be certified is marked, never passed off as a minimum.
    """
    search = _Searches(objective, plane, start, tolerance)
    for _ in range(MAX_ROUNDS):
        rows = np.flatnonzero(search.open)
        if not rows.size:
            break
        search.step(rows)
    return search.result()


class _Searches:
    def __init__(self, objective: Objective, plane: Plane, start: Floats, tolerance: float) -> None:
        self.objective, self.plane, self.tolerance = objective, plane, tolerance
        self.x = np.array(start, dtype=np.float64)
        m, f = self.x.shape
        self.evaluations = np.zeros(m, dtype=np.intp)
        self.damping = np.zeros(m)
        self.open, self.found, self.vanished = np.ones(m, bool), np.zeros(m, bool), np.zeros(m, bool)
        self.released = np.zeros((m, f), bool)
        self.last_move, self.last_gradient = np.zeros((m, f)), np.zeros((m, f))
        self.at = self._evaluate(np.arange(m), self.x)
        self._drop_vanished(np.arange(m), self.at.criterion)

    def _evaluate(self, rows: Codes, x: Floats) -> Evaluation:
        self.evaluations[rows] += 1
        return self.objective(rows, self.plane.ratios(x, rows))

    def _drop_vanished(self, rows: Codes, criterion: Floats) -> None:
        gone = rows[np.isneginf(criterion)]
        self.vanished[gone], self.open[gone] = True, False

    def _slope(self, rows: Codes, at: Evaluation | None = None) -> Floats:
        """Return the gradient in x of the searches ``rows``, shape (len(rows), f), where they are or at ``at``."""
        gradient = self.at.gradient[rows] if at is None else at.gradient
        return np.asarray((gradient[:, None, :] @ self.plane.matrix[rows])[:, 0])

    def _noise(self, rows: Codes) -> Floats:
        """Return what rounding alone may change in the criterion."""
        return self.at.noise[rows]

    def step(self, rows: Codes) -> None:
        """Take one step in each of the searches ``rows``."""
        rows = self._try_zero(rows)
        if not rows.size:
            return
        gradient, move = self._newton(rows)
        longest = np.abs(move).max(axis=1, initial=0.0)
        gain = -(gradient * move).sum(axis=1)
        still = (longest < self.tolerance) | ((longest < NOISE_STEP) & (gain < self._noise(rows)))
        self._settle(rows[still])
        moving, move, gradient = rows[~still], move[~still], gradient[~still]
        if not moving.size:
            return
        trial = np.where(self.x[moving] > 0.0, np.maximum(self.x[moving] * np.exp(move), TINY), 0.0)
        grown = trial.max(axis=1) > HUGE
        self.vanished[moving[grown]], self.open[moving[grown]] = True, False
        moving, move, gradient, trial = moving[~grown], move[~grown], gradient[~grown], trial[~grown]
        if moving.size:
            self._accept(moving, move, gradient, trial)

    def _accept(self, rows: Codes, move: Floats, gradient: Floats, trial: Floats) -> None:
        at = self._evaluate(rows, trial)
        self._drop_vanished(rows, at.criterion)
        better = at.criterion <= self.at.criterion[rows] + self._noise(rows)
        good, bad = rows[better], rows[~better]
        self.x[good] = trial[better]
        self._keep(good, at, better)
        self.last_move[good], self.last_gradient[good] = move[better], gradient[better]
        self.damping[good] = np.where(self.damping[good] > 1e-3, self.damping[good] / 4.0, 0.0)
        if not bad.size:
            return
        scale = np.abs(np.einsum("mii->mi", self.at.information[bad])).max(axis=1, initial=1e-6)
        self.damping[bad] = np.maximum(4.0 * self.damping[bad], 0.1 * scale * np.square(self.x[bad].max(axis=1)) + 1e-6)
        self.last_move[bad] = 0.0

    def _keep(self, rows: Codes, at: Evaluation, chosen: Bools) -> None:
        """Take over the evaluations ``at[chosen]`` for the searches ``rows``."""
        whole = len(rows) == len(self.x)
        self.at = at if whole else self.at.put(rows, at if chosen.all() else at.take(np.flatnonzero(chosen)))

    def _newton(self, rows: Codes) -> tuple[Floats, Floats]:
        """Return the gradient in log x and the step, both zero where x is zero."""
        x = self.x[rows]
        gradient = self._slope(rows) * x
        lift = self.plane.matrix[rows] * x[:, None, :]
        hessian = lift.transpose(0, 2, 1) @ self.at.information[rows] @ lift
        diagonal = np.einsum("mii->mi", hessian)
        diagonal += np.maximum(gradient, 0.0)
        hessian = _learn(hessian, self.last_move[rows], gradient - self.last_gradient[rows])
        diagonal = np.einsum("mii->mi", hessian)
        diagonal += self.damping[rows, None] + 1e-12 * (1.0 + np.abs(diagonal)) + (x == 0.0)
        move = -np.linalg.solve(hessian, gradient[..., None])[..., 0]
        uphill = ((gradient * move).sum(axis=1) > 0.0) | ~np.isfinite(move).all(axis=1)
        steepest = -gradient / (np.abs(gradient).max(axis=1, keepdims=True, initial=0.0) + 1e-300)
        move = np.where(uphill[:, None], steepest, move)
        longest = np.abs(move).max(axis=1, keepdims=True, initial=0.0)
        return gradient, move * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300))

    def _try_zero(self, rows: Codes) -> Codes:
        """Set the smallest ratio to zero where the criterion is no higher there and rises from there.

        Return the searches in which nothing was set.
        """
        x, slope = self.x[rows], self._slope(rows)
        open_ = (x > 0.0) & (x < SMALL) & (slope > 0.0) & ~self.released[rows]
        some = open_.any(axis=1)
        if not some.any():
            return rows
        trying = rows[some]
        which = np.where(open_, x, np.inf)[some].argmin(axis=1)
        trial = self.x[trying].copy()
        trial[np.arange(len(trying)), which] = 0.0
        at = self._evaluate(trying, trial)
        self._drop_vanished(trying, at.criterion)
        rising = self._slope(trying, at)[np.arange(len(trying)), which] >= -FLAT
        good = (at.criterion <= self.at.criterion[trying] + self._noise(trying)) & rising
        done = trying[good]
        self.x[done] = trial[good]
        self._keep(done, at, good)
        self.damping[done], self.last_move[done] = 0.0, 0.0
        return np.setdiff1d(rows[self.open[rows]], done)

    def _settle(self, rows: Codes) -> None:
        """Close the searches whose zeros hold; free the ratios from which the criterion still falls."""
        if not rows.size:
            return
        falling = (self.x[rows] == 0.0) & (self._slope(rows) < -FLAT)
        again = falling.any(axis=1)
        self.found[rows[~again]], self.open[rows[~again]] = True, False
        freed = rows[again]
        if freed.size:
            self.x[freed] = np.where(falling[again], SMALL, self.x[freed])
            self.released[freed] |= falling[again]
            self.damping[freed], self.last_move[freed] = 0.0, 0.0
            self._keep(freed, self._evaluate(freed, self.x[freed]), np.ones(len(freed), bool))

    def result(self) -> Minima:
        rows = np.arange(len(self.x))
        return Minima(
            x=self.x,
            ratios=self.plane.ratios(self.x, rows),
            at=self.at,
            evaluations=self.evaluations,
            max_gradient=np.abs(self._slope(rows) * self.x).max(axis=1, initial=0.0),
            found=self.found,
            vanished=self.vanished,
        )


def _learn(hessian: Floats, move: Floats, change: Floats) -> Floats:
    """Correct each Hessian so that it explains how the gradient changed in the last move (symmetric rank one)."""
    if not move.any():
        return hessian
    miss = change - (hessian @ move[..., None])[..., 0]
    along = (miss * move).sum(axis=1)
    size = np.sqrt((miss**2).sum(axis=1) * (move**2).sum(axis=1))
    sound = np.abs(along) > 1e-6 * size
    scaled = miss / np.where(sound, along, np.inf)[:, None]
    return np.asarray(hessian + miss[:, :, None] * scaled[:, None, :])
