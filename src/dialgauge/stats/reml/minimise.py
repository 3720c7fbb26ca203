"""Minimise the criterion over ratios that may not be negative, and prove that the answer is a minimum.

Steps are Newton steps in the logarithms of the ratios, damped until the criterion falls: with its curvature where that
is known and positive definite, elsewhere with the average information, corrected by what the last step taught
(symmetric rank one, Nocedal and Wright 2006, ch. 6.2). A ratio that runs to zero is set to exactly zero, and then the
derivative there must point up: an answer is returned only with a vanishing gradient in every free ratio and a
nonnegative one in every ratio at zero. Many searches run side by side, so that they share the work on the design.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.criterion import Evaluation

STEP_TOLERANCE = 1e-9
NOISE_STEP = 1e-6
STEEP = 1e-5
"""A larger slope in the logarithm of a ratio is no minimum, however short a damped step is."""

FLAT = 1e-9
MAX_ROUNDS = 200
LONGEST_STEP = 3.0
TINY, SMALL, HUGE = 1e-10, 3e-3, 1e8
FAR, PLATEAU = 1e5, 1e-3
"""Beyond the first a gradient and a curvature below the second mean that there is no minimum, only a limit."""

Bools = NDArray[np.bool_]

SHORT = 5e-3
"""After a step so short the second derivatives of its start serve at its end too: most likely that is the minimum."""


class Objective(Protocol):
    """What evaluates the criterion."""

    def __call__(self, rows: Codes, ratios: Floats, *, second: bool) -> Evaluation:
        """Evaluate the searches ``rows`` at ``ratios`` (m, 3), with second derivatives or without."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The ratios (target, rater, cell) of each search as an affine function of its free x >= 0.

    ``base`` has shape (m, 3), ``matrix`` (m, 3, f): ratios = base + matrix @ x.
    """

    base: Floats
    matrix: Floats

    def ratios(self, x: Floats, rows: Codes) -> Floats:
        """Return the ratios of the searches ``rows`` at ``x`` of shape (len(rows), f)."""
        return np.asarray(self.base[rows] + (self.matrix[rows] @ x[..., None])[..., 0])


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
        rows = np.arange(m)
        self.at = self._evaluate(rows, self.x)
        self.slope = self._slope(rows, self.at)
        self._drop_vanished(rows, self.at.criterion)

    def _evaluate(self, rows: Codes, x: Floats, *, near: bool = False) -> Evaluation:
        """Evaluate at ``x``, with the second derivatives of where the searches are now if that is ``near``."""
        self.evaluations[rows] += 1
        at = self.objective(rows, self.plane.ratios(x, rows), second=not near)
        return at.borrow(self.at, rows) if near else at

    def _drop_vanished(self, rows: Codes, criterion: Floats) -> None:
        gone = np.isneginf(criterion)
        if gone.any():
            self.vanished[rows[gone]], self.open[rows[gone]] = True, False

    def _slope(self, rows: Codes, at: Evaluation) -> Floats:
        """Return the gradient in x of the searches ``rows`` from their evaluations, shape (len(rows), f)."""
        return np.asarray((at.gradient[:, None, :] @ self.plane.matrix[rows])[:, 0])

    def _noise(self, rows: Codes) -> Floats:
        """Return what rounding alone may change in the criterion."""
        return self.at.noise[rows]

    def step(self, rows: Codes) -> None:
        """Take one step in each of the searches ``rows``."""
        rows = self._try_zero(rows)
        if not rows.size:
            return
        gradient, hessian = self._derivatives(rows)
        lost = self._lost(rows, gradient, hessian)
        if lost.any():
            self.vanished[rows[lost]], self.open[rows[lost]] = True, False
            rows, gradient, hessian = rows[~lost], gradient[~lost], hessian[~lost]
        move = self._newton(rows, gradient, hessian)
        longest = np.abs(move).max(axis=1, initial=0.0)
        gain = -(gradient * move).sum(axis=1)
        still = (longest < self.tolerance) | ((longest < NOISE_STEP) & (gain < self._noise(rows)))
        if still.any():
            stuck = still & (self.damping[rows] > 0.0) & (np.abs(gradient).max(axis=1, initial=0.0) > STEEP)
            self.open[rows[stuck]] = False  # short because it was damped, not because it is there: no minimum
            self._settle(rows[still & ~stuck])
            rows, move, gradient = rows[~still], move[~still], gradient[~still]
        if not rows.size:
            return
        trial = np.where(self.x[rows] > 0.0, np.maximum(self.x[rows] * np.exp(move), TINY), 0.0)
        grown = trial.max(axis=1) > HUGE
        if grown.any():
            self.vanished[rows[grown]], self.open[rows[grown]] = True, False
            rows, move, gradient, trial = rows[~grown], move[~grown], gradient[~grown], trial[~grown]
        if rows.size:
            self._accept(rows, move, gradient, trial)

    def _accept(self, rows: Codes, move: Floats, gradient: Floats, trial: Floats) -> None:
        at = self._evaluate(rows, trial, near=bool(np.abs(move).max() < SHORT))
        self._drop_vanished(rows, at.criterion)
        better = at.criterion <= self.at.criterion[rows] + self._noise(rows)
        good, bad = (rows, rows[:0]) if better.all() else (rows[better], rows[~better])
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
        if not rows.size:
            return
        if not chosen.all():
            at = at.take(np.flatnonzero(chosen))
        self.at = at if len(rows) == len(self.x) else self.at.put(rows, at)
        self.slope[rows] = self._slope(rows, at)

    def _lost(self, rows: Codes, gradient: Floats, hessian: Floats) -> Bools:
        """Tell which searches are far out where the criterion is flat: it then has no minimum short of infinity."""
        far = (self.x[rows] > FAR).any(axis=1) & (np.abs(gradient).max(axis=1, initial=0.0) < PLATEAU)
        if far.any():
            far[far] = np.linalg.eigvalsh(hessian[far])[:, 0] < PLATEAU
        return np.asarray(far)

    def _newton(self, rows: Codes, gradient: Floats, hessian: Floats) -> Floats:
        """Return the step in log x, zero where x is zero."""
        diagonal = np.einsum("mii->mi", hessian)
        diagonal += self.damping[rows, None] + 1e-12 * (1.0 + np.abs(diagonal))
        move = -np.linalg.solve(hessian, gradient[..., None])[..., 0]
        fall = (gradient * move).sum(axis=1)
        uphill = (fall > 0.0) | ~np.isfinite(fall)
        if uphill.any():
            steepest = -gradient / (np.abs(gradient).max(axis=1, keepdims=True, initial=0.0) + 1e-300)
            move = np.where(uphill[:, None], steepest, move)
        longest = np.abs(move).max(axis=1, keepdims=True, initial=0.0)
        return np.asarray(move * (LONGEST_STEP / np.maximum(longest, LONGEST_STEP)))

    def _derivatives(self, rows: Codes) -> tuple[Floats, Floats]:
        """Return the gradient in log x, and the second derivatives or what stands for them.

        Where x is zero the gradient is zero and the second derivative one.
        """
        x = self.x[rows]
        gradient = self.slope[rows] * x
        lift = self.plane.matrix[rows] * x[:, None, :]
        turned = lift.transpose(0, 2, 1)
        hessian = np.asarray(turned @ self.at.curvature[rows] @ lift)
        diagonal = np.einsum("mii->mi", hessian)
        diagonal += gradient + (x == 0.0)
        vague = ~_definite(hessian)
        if vague.any():
            some, known = rows[vague], gradient[vague]
            guess = turned[vague] @ self.at.information[some] @ lift[vague]
            diagonal = np.einsum("mii->mi", guess)
            diagonal += np.maximum(known, 0.0)
            guess = _learn(guess, self.last_move[some], known - self.last_gradient[some])
            diagonal = np.einsum("mii->mi", guess)
            diagonal += x[vague] == 0.0
            hessian[vague] = guess
        return gradient, hessian

    def _try_zero(self, rows: Codes) -> Codes:
        """Set the smallest ratio to zero where the criterion is no higher there and rises from there.

        Return the searches in which nothing was set.
        """
        x, slope = self.x[rows], self.slope[rows]
        if not (x < SMALL).any():
            return rows
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
        falling = (self.x[rows] == 0.0) & (self.slope[rows] < -FLAT)
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
            max_gradient=np.abs(self.slope * self.x).max(axis=1, initial=0.0),
            found=self.found,
            vanished=self.vanished,
        )


def _definite(hessian: Floats) -> Bools:
    """Tell which matrices of up to two rows are safely positive definite; no matrix with NaN is."""
    diagonal = np.einsum("mii->mi", hessian)
    positive = (diagonal > 0.0).all(axis=1)
    if hessian.shape[1] < 2:
        return np.asarray(positive)
    return np.asarray(positive & (hessian[:, 0, 1] ** 2 < 0.99 * diagonal[:, 0] * diagonal[:, 1]))


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
