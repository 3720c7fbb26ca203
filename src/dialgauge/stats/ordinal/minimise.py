"""Minimise a criterion over free parameters and nonnegative variances, and prove that the answer is a minimum.

The search is quasi-Newton (BFGS updates of a matrix of differences of the gradient), in the free parameters and the
logarithms of the variances. A variance that runs to zero is set to exactly zero, and then the criterion must rise from
there. An answer is returned only with a matrix of second derivatives, taken anew at the answer, that is positive
definite, and a Newton step from there that would gain nothing. See Nocedal and Wright (2006), ch. 6 and 8.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats

DECREMENT = 1e-10
LOOSE_DECREMENT = 1e-6
LAST_MOVE = 1e-2
"""Longest last step. Where a parameter runs to infinity the criterion flattens, and only the length of steps tells."""

NOISE = 1e-11
FLAT = 1e-6
DIFFERENCE = 1e-3
LEAST_CURVATURE = 1e-7
LARGEST_ERROR = 50.0
"""Largest standard error of a free parameter, where the criterion is minus twice a log likelihood."""

FLATTEST, TINY = 1e-12, 1e-300
MAX_EVALUATIONS, PER_PARAMETER = 300, 20
MAX_HALVINGS = 12
LONGEST_STEP = 2.0
ARMIJO = 1e-4
SMALL, HUGE = 1e-2, 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Height:
    """A criterion at one point, with its gradient by the free parameters and by the variances."""

    criterion: float
    by_free: Floats
    by_variance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The variances as an affine function of the free ones x >= 0: ``base + matrix @ x``."""

    base: Floats
    matrix: Floats

    def variance(self, x: Floats) -> Floats:
        """Return the variances at ``x``."""
        return self.base + self.matrix @ x


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where the criterion is least on a plane, with the evidence.

    ``hessian`` is the matrix of second derivatives by the free parameters and the logarithms of the positive x.
    ``max_gradient`` is the largest derivative by one of these, ``decrement`` what a further Newton step would gain,
    ``least_curvature`` the least eigenvalue of the Hessian scaled to a unit diagonal. ``rise`` has the derivative by
    each x that is zero, and 0 elsewhere.
    """

    free: Floats
    x: Floats
    variance: Floats
    at: Height
    hessian: Floats
    evaluations: int
    max_gradient: float
    decrement: float
    least_curvature: float
    rise: Floats


Objective = Callable[[Floats, Floats], Height]


class NotCertifiedError(CannotEstimateError):
    """The search ended without a point that could be proved to be a minimum."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the likelihood has no maximum that could be certified ({reason})",
            remedy="collect more ratings, or leave out the predictor or the facet that the ratings do not determine",
        )


def minimise(
    objective: Objective,
    plane: Plane,
    *,
    free: Floats,
    x: Floats,
    curvature: Floats | None = None,
    certify: bool = True,
) -> Minimum:
    """Return the minimum of ``objective(free, variance)`` over ``free`` and x >= 0, started at ``free`` and ``x``.

    ``curvature`` is a first guess of the Hessian. ``certify=False`` is for the many minima along a profile: they need
    only be good to ``LOOSE_DECREMENT`` and keep the approximate Hessian. Raises ``CannotEstimateError`` when no
    minimum is found.
    """
    search = _Search(objective, plane, free, x)
    if curvature is not None:
        search.curvature = curvature.copy()
    tolerance = DECREMENT if certify else LOOSE_DECREMENT
    most = MAX_EVALUATIONS + PER_PARAMETER * (len(free) + len(x))
    while not search.step(tolerance, certify=certify):
        if search.evaluations >= most:
            raise NotCertifiedError("the optimiser did not converge")
    return search.result()


class _Search:
    def __init__(self, objective: Objective, plane: Plane, free: Floats, x: Floats) -> None:
        self.objective, self.plane = objective, plane
        self.free, self.x = free.copy(), x.copy()
        self.evaluations = 0
        at = self._evaluate(self.free, self.x)
        if at is None:
            raise NotCertifiedError("it is infinite where the search starts")
        self.at = at
        self.curvature: Floats | None = None
        self.exact = False
        self.released: set[int] = set()

    def _evaluate(self, free: Floats, x: Floats) -> Height | None:
        """Return the criterion there, or nothing where the arithmetic breaks down."""
        self.evaluations += 1
        try:
            at = self.objective(free, self.plane.variance(x))
        except FloatingPointError:
            return None
        return at if np.isfinite(at.criterion) and np.all(np.isfinite(at.by_free)) else None

    def _by_x(self, at: Height) -> Floats:
        return np.asarray(self.plane.matrix.T @ at.by_variance)

    def _gradient(self, at: Height, x: Floats) -> Floats:
        positive = x > 0.0
        return np.concatenate([at.by_free, (self._by_x(at) * x)[positive]])

    def _moved(self, move: Floats) -> tuple[Floats, Floats]:
        m = len(self.free)
        x = self.x.copy()
        x[x > 0.0] *= np.exp(move[m:])
        return self.free + move[:m], x

    def step(self, tolerance: float, *, certify: bool) -> bool:
        """Take one step; return whether the minimum is found and, if asked, certified."""
        if self._try_zero():
            return False
        if self.curvature is None:
            self.curvature, self.exact = self._differences(), True
        gradient = self._gradient(self.at, self.x)
        positive = _made_positive(self.curvature)
        move = np.asarray(-np.linalg.solve(positive, gradient), dtype=np.float64)
        self.decrement = -float(gradient @ move)
        longest = float(np.abs(move).max())
        if self.decrement < tolerance and longest < LAST_MOVE:
            return self._conclude(certify=certify)
        move *= min(1.0, LONGEST_STEP / longest)
        if not self._descend(move, gradient, positive):
            if self.exact:
                raise NotCertifiedError("it does not fall along the way that its gradient points")
            self.curvature = None
        return False

    def _descend(self, move: Floats, gradient: Floats, curvature: Floats) -> bool:
        """Halve the step until the criterion falls enough; then take it and update the curvature."""
        slope = float(gradient @ move)
        for halving in range(MAX_HALVINGS):
            part = move * 0.5**halving
            free, x = self._moved(part)
            at = self._evaluate(free, x) if x.size == 0 or x.max() < HUGE else None
            if at is not None and at.criterion <= self.at.criterion + ARMIJO * slope * 0.5**halving + self._noise():
                new = self._gradient(at, x)
                self.curvature = _bfgs(curvature, part, new - gradient)
                self.free, self.x, self.at, self.exact = free, x, at, False
                return True
        if self.x.size and self.x.max() > HUGE * np.exp(-LONGEST_STEP):
            raise NotCertifiedError("a variance grows without bound: its levels explain the ratings completely")
        return False

    def _noise(self) -> float:
        return NOISE * (1.0 + abs(self.at.criterion))

    def _differences(self) -> Floats:
        """Return central differences of the gradient."""
        m = len(self.free) + int(np.sum(self.x > 0.0))
        out = np.empty((m, m))
        for j in range(m):
            ends = []
            for sign in (1.0, -1.0):
                free, x = self._moved(sign * DIFFERENCE * np.eye(m)[j])
                at = self._evaluate(free, x)
                if at is None:
                    raise NotCertifiedError("its curvature cannot be computed")
                ends.append(self._gradient(at, x))
            out[j] = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
        return 0.5 * (out + out.T)

    def _conclude(self, *, certify: bool) -> bool:
        """Check the zeros and, on a Hessian taken anew, that this is a minimum."""
        if not self._zeros_hold():
            return False
        if not certify:
            return True
        if not self.exact:
            self.curvature = None
            return False
        if self.curvature is not None:
            if _least_curvature(self.curvature) < LEAST_CURVATURE:
                raise NotCertifiedError("it is flat or not concave where its gradient vanishes")
            variance = 2.0 * np.linalg.inv(self.curvature).diagonal()[: len(self.free)]
            if variance.max(initial=0.0) > LARGEST_ERROR**2:
                raise NotCertifiedError("a coefficient or a threshold runs to infinity")
        return True

    def _try_zero(self) -> bool:
        """Set the smallest variance to zero where the criterion is lower there and rises from there."""
        slope = self._by_x(self.at)
        for i in np.argsort(self.x):
            if not 0.0 < self.x[i] < SMALL or slope[i] <= 0.0 or int(i) in self.released:
                continue
            x = self.x.copy()
            x[i] = 0.0
            at = self._evaluate(self.free, x)
            if at is not None and at.criterion <= self.at.criterion and self._by_x(at)[i] >= 0.0:
                self.x, self.at, self.curvature = x, at, None
                return True
        return False

    def _zeros_hold(self) -> bool:
        slope = self._by_x(self.at)
        for i in np.flatnonzero(self.x == 0.0):
            if slope[i] < -FLAT:
                self.x[i] = SMALL
                self.released.add(int(i))
                at = self._evaluate(self.free, self.x)
                if at is None:
                    raise NotCertifiedError("it is infinite near a variance of zero")
                self.at, self.curvature = at, None
                return False
        return True

    def result(self) -> Minimum:
        gradient = self._gradient(self.at, self.x)
        hessian = np.zeros((0, 0)) if self.curvature is None else self.curvature
        return Minimum(
            free=self.free,
            x=self.x,
            variance=self.plane.variance(self.x),
            at=self.at,
            hessian=hessian,
            evaluations=self.evaluations,
            max_gradient=float(np.abs(gradient).max(initial=0.0)),
            decrement=self.decrement,
            least_curvature=_least_curvature(hessian),
            rise=np.where(self.x == 0.0, self._by_x(self.at), 0.0),
        )


def _least_curvature(hessian: Floats) -> float:
    diagonal = hessian.diagonal()
    if diagonal.min(initial=1.0) <= 0.0:
        return float(diagonal.min())
    scale = 1.0 / np.sqrt(diagonal)
    return float(np.linalg.eigvalsh(hessian * np.outer(scale, scale)).min(initial=1.0))


def _made_positive(curvature: Floats) -> Floats:
    """Return the matrix with its eigenvalues made positive, so that a Newton step goes down."""
    values, vectors = np.linalg.eigh(curvature)
    size = np.maximum(np.abs(values), FLATTEST * np.abs(values).max(initial=0.0) + TINY)
    return np.asarray((vectors * size) @ vectors.T)


def _bfgs(curvature: Floats, move: Floats, change: Floats) -> Floats:
    """Return the updated Hessian; damped (Powell 1978) so that it stays positive definite."""
    along = curvature @ move
    own, seen = float(move @ along), float(move @ change)
    if seen < 0.2 * own:
        part = 0.8 * own / (own - seen)
        change = part * change + (1.0 - part) * along
        seen = float(move @ change)
    return curvature - np.outer(along, along) / own + np.outer(change, change) / seen
