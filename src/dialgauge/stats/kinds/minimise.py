"""Minimise the criterion over the coordinates of a chart, and prove that the answer is a minimum.

Steps are Newton steps with the average information and the curvature of the chart, corrected by what the last step
taught (symmetric rank one, Nocedal and Wright 2006, ch. 6.2), on the absolute eigenvalues, so that they lead away from
saddle points. In these coordinates an edge (a variance of zero, a singular Sigma) is an ordinary point with a vanishing
gradient; that no step over the edge would do better shows in the second derivatives, which are checked.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.kinds.chart import RESIDUAL, Chart
from dialgauge.stats.kinds.criterion import KindsEvaluation, Variances
from dialgauge.stats.reml.minimise import NoMinimumError

MAX_ROUNDS = 100
STEP_TOLERANCE = 1e-9
NOISE = 1e-14
GAIN = 1e-14
"""A search ends when a step promises less than this fall of the criterion."""

MAX_POLISH = 6
"""Steps that may follow once what they promise is below the rounding of the criterion."""

LONGEST_STEP = 1.0
CURVED = 1e-6
"""A second derivative below minus this, relatively, is a way down."""

SNAP = 1e-3
"""A coordinate nearer to zero is tried at zero."""

DIFFERENCE = 1e-4

VANISHED = float(np.log(1e-8))

Objective = Callable[[Variances], KindsEvaluation]


class KindVanishesError(CannotEstimateError):
    """The criterion falls without end as the residual variance of the kinds numbered ``kinds`` goes to zero."""

    def __init__(self, kinds: tuple[int, ...]) -> None:
        super().__init__(
            "the residual variance runs to zero: targets and raters explain the ratings of a kind completely",
            remedy="collect more ratings of that kind for each target and rater, and check whether ratings were copied",
        )
        self.kinds = kinds


class StuckError(NoMinimumError):
    """The search did not end; ``variances`` tells how far it came."""

    def __init__(self, variances: Variances) -> None:
        super().__init__()
        self.variances = variances


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where the criterion is least on a chart.

    ``gradient`` and ``hessian`` are in the coordinates ``x``; ``hessian`` rests on the average information.
    """

    chart: Chart
    x: Floats
    at: KindsEvaluation
    gradient: Floats
    hessian: Floats
    evaluations: int

    @property
    def variances(self) -> Variances:
        """The variances at the minimum, standardised."""
        return self.chart.variances(self.x)

    @property
    def open(self) -> NDArray[np.bool_]:
        """The coordinates that are not held by their bound."""
        return ~(self.chart.bounded & (self.x <= 0.0) & (self.gradient >= 0.0))


def minimise(objective: Objective, chart: Chart, start: Floats, *, tolerance: float = GAIN) -> Minimum:
    """Return the minimum of the criterion on ``chart`` that is reached from ``start``.

    The criterion is exact to about ``tolerance`` there. Raises ``NoMinimumError`` where none could be certified
    (``StuckError`` where the search did not end), ``KindVanishesError`` where a residual variance runs to zero.
    """
    search = _Search(objective, chart, start, tolerance)
    for _ in range(MAX_ROUNDS):
        if search.step():
            return search.result()
    raise StuckError(chart.variances(search.x))


class _Search:
    def __init__(self, objective: Objective, chart: Chart, start: Floats, tolerance: float) -> None:
        self.objective, self.chart, self.tolerance = objective, chart, tolerance
        self.x = np.where(chart.bounded, np.maximum(start, 0.0), start)
        self.evaluations, self.polished, self.damping = 0, 0, 0.0
        self.last_move, self.last_gradient = np.zeros(len(start)), np.zeros(len(start))
        self._keep(self.x, self._evaluate(self.x))

    def _evaluate(self, x: Floats) -> KindsEvaluation:
        return self._evaluate_at(self.chart.variances(x))

    def _evaluate_at(self, at: Variances) -> KindsEvaluation:
        self.evaluations += 1
        return self.objective(at)

    def _keep(self, x: Floats, at: KindsEvaluation) -> None:
        if not np.isfinite(at.criterion):
            raise NoMinimumError
        self.x, self.at = x, at
        self.gradient, self.hessian = self.chart.pull(x, at.gradient, at.information)

    @property
    def noise(self) -> float:
        """What rounding alone may change in the criterion."""
        return NOISE * (abs(self.at.criterion) + 100.0)

    def step(self) -> bool:
        """Take one step; return whether the search has ended."""
        move, gain = self._newton()
        self.polished += gain < self.noise
        still = np.abs(move).max(initial=0.0) < STEP_TOLERANCE or gain < self.tolerance
        if still or self.polished > MAX_POLISH:
            return self._settle()
        trial = self.x + move
        trial = np.where(self.chart.bounded, np.maximum(trial, 0.0), trial)
        self._refuse_vanished(trial)
        at = self._evaluate(trial)
        if at.criterion <= self.at.criterion + self.noise:
            self.last_move, self.last_gradient = trial - self.x, self.gradient
            self._keep(trial, at)
            self.damping = self.damping / 4.0 if self.damping > 1e-3 else 0.0
        else:
            size = float(np.abs(self.hessian).max(initial=1e-6))
            self.damping = max(4.0 * self.damping, 0.03 * size)
            self.last_move = np.zeros(len(self.x))
        return False

    def _newton(self) -> tuple[Floats, float]:
        """Return the step and the fall of the criterion that it promises."""
        free = np.flatnonzero(~(self.chart.bounded & (self.x <= 0.0) & (self.gradient >= 0.0)))
        move = np.zeros(len(self.x))
        if not free.size:
            return move, 0.0
        hessian = _learn(self.hessian, self.last_move, self.gradient - self.last_gradient)[np.ix_(free, free)]
        values, vectors = np.linalg.eigh(hessian)
        size = np.abs(values)
        along = vectors.T @ self.gradient[free]
        step = -along / (np.maximum(size, 1e-9 * size.max() + 1e-12) + self.damping)
        move[free] = vectors @ step
        gain = -float(along @ step)
        return move * min(1.0, LONGEST_STEP / max(float(np.abs(move).max()), 1e-300)), gain

    def _refuse_vanished(self, x: Floats) -> None:
        gone = x[self.chart.residuals] < VANISHED
        if gone.any():
            members = self.chart.members[self.chart.residuals - self.chart.n_root, RESIDUAL]
            raise KindVanishesError(tuple(int(g) for g in np.flatnonzero(members[gone].any(axis=0))))

    def _settle(self) -> bool:
        """Put coordinates that are nearly zero at zero, and leave saddle points; return whether this is the end."""
        near = np.flatnonzero((self.x != 0.0) & (np.abs(self.x) < SNAP) & ~self._is_residual())
        for i in near:
            trial = self.x.copy()
            trial[i] = 0.0
            at = self._evaluate(trial)
            if at.criterion <= self.at.criterion + self.noise:
                self._keep(trial, at)
        is_open = self.result().open
        if way_down(self.hessian, is_open) is None:
            return True
        down = way_down(second_derivative(self._evaluate_at, self.chart, self.x), is_open)
        if down is None:
            return True
        return not self._leave(down)

    def _is_residual(self) -> NDArray[np.bool_]:
        found = np.zeros(len(self.x), bool)
        found[self.chart.residuals] = True
        return found

    def _leave(self, direction: Floats) -> bool:
        """Go down from a saddle point; return whether that got lower.

        Where it does not, the way down is shorter than a loose tolerance; at the finest one it is a contradiction.
        """
        for length in (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4):
            for side in (1.0, -1.0):
                trial = self.x + side * length * direction
                trial = np.where(self.chart.bounded, np.maximum(trial, 0.0), trial)
                at = self._evaluate(trial)
                if at.criterion < self.at.criterion - self.noise:
                    self._keep(trial, at)
                    self.last_move, self.polished = np.zeros(len(self.x)), 0
                    return True
        if self.tolerance <= GAIN:
            raise NoMinimumError
        return False

    def result(self) -> Minimum:
        return Minimum(self.chart, self.x, self.at, self.gradient, self.hessian, self.evaluations)


def second_derivative(objective: Objective, chart: Chart, x: Floats) -> Floats:
    """Return the second derivative of the criterion in the coordinates, by differences of the gradient."""

    def gradient(at: Floats) -> Floats:
        return np.asarray(chart.jacobian(at).T @ objective(chart.variances(at)).gradient)

    units = DIFFERENCE * np.eye(len(x))
    found = np.array([gradient(x + unit) - gradient(x - unit) for unit in units]).reshape(len(x), len(x))
    return np.asarray((found + found.T) / (4.0 * DIFFERENCE))


def way_down(hessian: Floats, free: NDArray[np.bool_]) -> Floats | None:
    """Return the direction of the most negative second derivative among ``free`` coordinates, if there is one."""
    rows = np.flatnonzero(free)
    if not rows.size:
        return None
    values, vectors = np.linalg.eigh(hessian[np.ix_(rows, rows)])
    if values[0] >= -CURVED * max(float(np.abs(values).max()), 1.0):
        return None
    direction = np.zeros(len(free))
    direction[rows] = vectors[:, 0]
    return direction


def _learn(hessian: Floats, move: Floats, change: Floats) -> Floats:
    """Correct the Hessian so that it explains how the gradient changed in the last move (symmetric rank one)."""
    miss = change - hessian @ move
    along = float(miss @ move)
    if not abs(along) > 1e-6 * float(np.linalg.norm(miss) * np.linalg.norm(move)):
        return hessian
    return np.asarray(hessian + np.outer(miss, miss) / along)
