"""Minimise the criterion over ratios >= 0, and prove that the answer is a minimum.

Several searches (Byrd, Lu, Nocedal and Zhu 1995) run in the coordinates log(1 + ratio); the lowest goes on by Newton
steps within the bounds. An answer needs a gradient that vanishes in every ratio that is not zero and does not point
down in every ratio at zero, second derivatives that are positive, and no other search and no point of a fixed cloud
below it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.compare.criterion import Evaluation, evaluate, slope_of_squares
from dialgauge.stats.compare.layout import Layout

STARTS = (0.1, 1.0)
CLOUD, CLOUD_SEED = 32, 20261130
HUGE, VANISHED = math.log1p(1e5), math.log1p(1e4)
"""The searches end at the first; a ratio beyond the second means that the residual variance vanishes."""

STEEP = 1e-6
"""A larger slope is no minimum."""

LOWER = 1e-6
"""A point that much lower than the answer disproves it."""

STEP = 3e-4
"""Of a difference, relative to the coordinate."""

MAX_STEPS, ROUNDS = 30, 3


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """Derivatives at a minimum in its free coordinates log(1 + ratio), f of them.

    ``hessian`` (f, f) is that of the criterion, ``squares`` (f,) the derivative of y'Py, ``spread`` (f, S, S) that of
    the covariance of the systems' means over the residual variance.
    """

    hessian: Floats
    squares: Floats
    spread: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where the criterion is least: the ratios (k,), those that are not zero, and what was evaluated there."""

    ratios: Floats
    free: NDArray[np.intp]
    at: Evaluation
    curvature: Curvature
    evaluations: int


def minimise(layout: Layout) -> Minimum:
    """Return the certified minimum of the criterion of ``layout``.

    Raises CannotEstimateError where none could be certified, or where the residual variance runs to zero.
    """
    search = _Search(layout)
    k = len(layout.names)
    starts = [np.full(k, math.log1p(start)) for start in STARTS] if k else [np.zeros(0)]
    cloud = _cloud(k)
    heights = [evaluate(layout, np.expm1(x), slope=False).criterion for x in cloud]
    starts.append(cloud[int(np.argmin(heights))])
    found = [search.descend(x) for x in starts]
    for _ in range(ROUNDS):
        answer = search.polish(min(found, key=lambda x: search.evaluate(x).criterion))
        limit = answer.at.criterion - LOWER
        if min(heights) < limit:
            found.append(search.descend(cloud[int(np.argmin(heights))]))
        elif all(search.evaluate(x).criterion >= limit for x in found):
            return answer
    raise _no_minimum()


def _cloud(k: int) -> list[Floats]:
    """Return fixed points all over the possible ratios, some of them zero."""
    rng = np.random.default_rng(CLOUD_SEED)
    ratios = 10.0 ** rng.uniform(-3.0, 1.3, size=(CLOUD, k)) * (rng.random((CLOUD, k)) < 0.7)
    return [np.zeros(k), *np.log1p(ratios)] if k else [np.zeros(0)]


class _Search:
    """Evaluates the criterion in the coordinates log(1 + ratio), and remembers it."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.known: dict[bytes, Evaluation] = {}
        self.evaluations = 0

    def evaluate(self, x: Floats) -> Evaluation:
        key = x.tobytes()
        if key not in self.known:
            self.evaluations += 1
            self.known[key] = evaluate(self.layout, np.expm1(x))
            if not math.isfinite(self.known[key].criterion):
                raise _residual_vanishes()
        return self.known[key]

    def slope(self, x: Floats) -> Floats:
        return np.asarray(self.evaluate(x).gradient * np.exp(x))

    def descend(self, start: Floats) -> Floats:
        """Return where a search within the bounds ends."""
        if not start.size:
            return start
        found = minimize(
            lambda x: (self.evaluate(x).criterion, self.slope(x)),
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, HUGE)] * start.size,
            options={"ftol": 1e-10, "gtol": 1e-6, "maxiter": 200},
        )
        return np.asarray(found.x, dtype=np.float64)

    def polish(self, x: Floats) -> Minimum:
        """Go on from ``x`` by Newton steps within the bounds, and return the minimum with its evidence."""
        for _ in range(MAX_STEPS):
            if (x > VANISHED).any():
                raise _residual_vanishes()
            slope = self.slope(x)
            free = np.flatnonzero((x > 0.0) | (slope < -STEEP))
            curvature = self.curvature(x, free)
            values, vectors = np.linalg.eigh(curvature.hessian)
            floor = 1e-9 * float(values.max(initial=0.0)) + 1e-300
            move = np.zeros(len(x))
            move[free] = -vectors @ ((vectors.T @ slope[free]) / np.maximum(np.abs(values), floor))
            end = float(np.abs(slope[free]).max(initial=0.0)) <= STEEP and float(-move @ slope) <= 1e-14 * self.size(x)
            if end:
                if values.size and values.min() <= 1e-12 * values.max():
                    raise _no_minimum()
                return Minimum(np.expm1(x), free, self.evaluate(x), curvature, self.evaluations)
            x = self._move(x, move)
        raise _no_minimum()

    def size(self, x: Floats) -> float:
        """Return what the rounding of the criterion is relative to."""
        return abs(self.evaluate(x).criterion) + self.layout.n

    def _move(self, x: Floats, move: Floats) -> Floats:
        """Return the point within the bounds along ``move`` that is not higher."""
        here = self.evaluate(x).criterion
        for halvings in range(40):
            trial = np.clip(x + move * 0.5**halvings, 0.0, HUGE)
            if self.evaluate(trial).criterion <= here + 1e-14 * self.size(x):
                return trial
        raise _no_minimum()

    def curvature(self, x: Floats, free: NDArray[np.intp]) -> Curvature:
        """Return second derivatives by differences of the gradient, central or, next to zero, from above."""
        steps = STEP * np.maximum(x, 1.0 / self.layout.n)
        hessian, spread = [], []
        for i in free:
            ahead = np.zeros(len(x))
            ahead[i] = steps[i]
            if x[i] > steps[i]:
                points = [(0.5, x + ahead), (-0.5, x - ahead)]
            else:
                points = [(-1.5, x), (2.0, x + ahead), (-0.5, x + 2.0 * ahead)]
            hessian.append(sum(w * self.slope(p)[free] for w, p in points) / steps[i])
            spread.append(sum(w * self.evaluate(p).spread for w, p in points) / steps[i])
        f, S = len(free), self.layout.n_systems
        second = np.array(hessian).reshape(f, f)
        squares = slope_of_squares(self.layout, np.expm1(x)) * np.exp(x)
        return Curvature(0.5 * (second + second.T), squares[free], np.array(spread).reshape(f, S, S))


def _residual_vanishes() -> CannotEstimateError:
    return CannotEstimateError(
        "the residual variance runs to zero: systems, personas, preferences and raters explain the values completely",
        remedy="collect more dialogues, and check whether values were copied",
    )


def _no_minimum() -> CannotEstimateError:
    return CannotEstimateError(
        "the REML criterion of the systems has no minimum that could be certified (the optimiser did not converge)",
        remedy="collect more dialogues, or check for values that differ from all others by orders of magnitude",
    )
