r"""The Laplace approximation to the marginal likelihood of a cumulative link mixed model, with its exact gradient.

With b the random effects, V their variances and h(b) = -log likelihood given b + b'V^-1 b / 2, least at the mode,

.. math::
    -2 \log L \approx 2 h(\hat b) + \log|I + V Z'DZ|

where D holds minus the second derivatives of the log probabilities at the mode. The mode moves with the parameters;
its share in the gradient comes from one more solution of the system at the mode. Derivatives are taken by the
variances, not by standard deviations, so that they exist at zero too. See Tutz and Hennevogl (1996) for the model,
Christensen (2022, package ordinal) for this approximation, Kristensen et al. (2016) for the gradient.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.ordinal.crossing import Crossing, WeightedSystem
from dialgauge.stats.ordinal.links import Curve, Link, evaluate_link

MODE_TOLERANCE = 1e-18
NOISE = 1e-12
MAX_MODE_STEPS = 100
MAX_HALVINGS = 30


class ModeNotFoundError(FloatingPointError):
    """The mode of the random effects was not found at some trial point."""


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalData:
    """Ratings in the categories that were used, 0 .. n_categories - 1, with who rated whom and fixed effects.

    ``category`` has shape (n,). ``X`` of shape (n, p) holds predictors in standard units: ``centre`` was taken off them
    and they were divided by ``spread``, both of shape (p,), where p may be 0.
    """

    crossing: Crossing
    category: Codes
    n_categories: int
    X: Floats
    centre: Floats
    spread: Floats
    link: Link

    @property
    def n_steps(self) -> int:
        """Number of thresholds."""
        return self.n_categories - 1


@dataclass(frozen=True, slots=True, eq=False)
class LaplaceValue:
    """Minus twice the Laplace log likelihood at one point, with its gradient and the modes of the random effects.

    ``by_variance`` is the derivative by the variances (target, rater).
    """

    criterion: float
    by_thresholds: Floats
    by_coefficients: Floats
    by_variance: Floats
    target_effect: Floats
    rater_effect: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Mode:
    effects: tuple[Floats, Floats]
    curve: Curve
    system: WeightedSystem
    height: float


class Laplace:
    """The criterion of one set of ratings. It remembers the last mode, from which the next search starts."""

    def __init__(self, data: OrdinalData) -> None:
        """Start at effects of zero."""
        self.data = data
        crossing = data.crossing
        self.effects = (np.zeros(crossing.n_big), np.zeros(crossing.n_small))

    def evaluate(self, thresholds: Floats, coefficients: Floats, variance: Floats) -> LaplaceValue:
        """Evaluate at increasing ``thresholds``, ``coefficients`` of shape (p,) and ``variance`` (target, rater) >= 0.

        Raises ``FloatingPointError`` where the arithmetic overflows or the mode is not found.
        """
        data, crossing = self.data, self.data.crossing
        order = [0, 1] if crossing.small_is_rater else [1, 0]
        mode = self._find_mode(
            thresholds, data.X @ coefficients, (float(variance[order[0]]), float(variance[order[1]]))
        )
        self.effects = mode.effects
        curve, weight, score = mode.curve, mode.curve.weight, mode.curve.score
        leverage, traces = mode.system.leverages_and_traces()
        bend = -leverage * (curve.weight_by_upper + curve.weight_by_lower)
        shift = crossing.spread(mode.system.solve(crossing.sums(bend)))
        by_upper = leverage * curve.weight_by_upper + shift * curve.score_by_upper - 2.0 * curve.by_upper
        by_lower = leverage * curve.weight_by_lower + shift * curve.score_by_lower - 2.0 * curve.by_lower
        rest = bend - weight * shift
        pairs = zip(crossing.sums(score), crossing.sums(rest), traces, strict=True)
        by_variance = np.array([trace + pull @ (other - pull) for pull, other, trace in pairs])
        big, small = mode.effects
        return LaplaceValue(
            criterion=2.0 * mode.height + mode.system.log_det,
            by_thresholds=self._by_thresholds(by_upper, by_lower),
            by_coefficients=data.X.T @ (rest - 2.0 * score),
            by_variance=by_variance[order],
            target_effect=big if crossing.small_is_rater else small,
            rater_effect=small if crossing.small_is_rater else big,
        )

    def _by_thresholds(self, by_upper: Floats, by_lower: Floats) -> Floats:
        m = self.data.n_categories
        upper = sum_by(self.data.category, by_upper, m)
        lower = sum_by(self.data.category, by_lower, m)
        return upper[:-1] + lower[1:]

    def _find_mode(self, thresholds: Floats, fixed: Floats, variance: tuple[float, float]) -> _Mode:
        """Damped Newton steps (penalised iterative least squares) on the random effects; h is convex."""
        ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
        upper, lower = ends[self.data.category + 1] - fixed, ends[self.data.category] - fixed
        a, b = variance
        start = (self.effects[0] * (a > 0.0), self.effects[1] * (b > 0.0))
        here = self._at(upper, lower, start, variance)
        for _ in range(MAX_MODE_STEPS):
            move, decrement = self._newton(here, variance)
            if decrement < MODE_TOLERANCE:
                return here
            for halving in range(MAX_HALVINGS):
                step = 0.5**halving
                effects = (here.effects[0] + step * move[0], here.effects[1] + step * move[1])
                there = self._at(upper, lower, effects, variance)
                if there.height <= here.height + NOISE * (1.0 + abs(here.height)):
                    break
            else:
                break
            here = there
        msg = f"the mode of the random effects was not found at variances {variance}"
        raise ModeNotFoundError(msg)

    def _at(self, upper: Floats, lower: Floats, effects: tuple[Floats, Floats], variance: tuple[float, float]) -> _Mode:
        eta = self.data.crossing.spread(effects)
        curve = evaluate_link(upper - eta, lower - eta, link=self.data.link)
        height = -float(curve.log_probability.sum())
        height += sum(0.5 * float(e @ e) / v for e, v in zip(effects, variance, strict=True) if v > 0.0)
        if not np.isfinite(height):
            height = np.inf
        return _Mode(effects, curve, WeightedSystem(self.data.crossing, curve.weight, variance), height)

    def _newton(self, here: _Mode, variance: tuple[float, float]) -> tuple[tuple[Floats, Floats], float]:
        pull = self.data.crossing.sums(here.curve.score)
        eta = self.data.crossing.spread(here.effects)
        right = self.data.crossing.sums(here.curve.weight * eta + here.curve.score)
        new = here.system.solve(right)
        move = (new[0] - here.effects[0], new[1] - here.effects[1])
        slopes = [p - (e / v if v > 0.0 else 0.0) for p, e, v in zip(pull, here.effects, variance, strict=True)]
        decrement = sum(float(m @ s) for m, s, v in zip(move, slopes, variance, strict=True) if v > 0.0)
        return move, decrement
