"""The cheapest design for a wanted precision, by expected information over every layout within given limits."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.components import Components, Score
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.dstudy import Costs
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan.layout import Layout
from dialgauge.stats.plan.precision import Precision, Shapes, expected_precision, log_odds_variance, signed_root
from dialgauge.stats.ranges import require_above, require_count, require_open
from dialgauge.stats.reml.odds import Form

LEAST_LOAD = 2.0
"""Targets that each rater must have for severity to be told from noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a study is to achieve: an interval at most ``width`` wide, a lower limit of at least ``lower``, or both.

    The lower limit is to be reached with the probability ``power``. The reliability is that of the mean of ``k``
    raters with ``replicates`` ratings each, ``None`` standing for those that the design has per target. ``level`` is
    the confidence level of the interval. Raises ``InputError`` without a goal and for numbers out of range.
    """

    width: float | None = None
    lower: float | None = None
    power: float = 0.8
    level: float = 0.95
    k: float | None = None
    replicates: int | None = None
    form: Form = "absolute"

    def __post_init__(self) -> None:
        if self.width is None and self.lower is None:
            raise InputError("a search needs a goal: give the width of the interval, or a lower limit, or both")
        for name, value in (("width of the interval", self.width), ("lower limit", self.lower)):
            if value is not None:
                require_open(f"the wanted {name}", value, 0.0, 1.0)
        require_open("the power", self.power, 0.0, 1.0)
        require_open("the confidence level", self.level, 0.0, 1.0)
        for name, number in (("raters", self.k), ("replicates", self.replicates)):
            if number is not None:
                require_above(f"the number of {name} that a score averages over", number, 0.0)

    def score(self, per_target: int, replicates: int) -> Score:
        """Return the score that is meant in a design with ``per_target`` raters per target and ``replicates``."""
        return Score(self.k or per_target, self.replicates or replicates, self.form)

    def met_by(self, shapes: Shapes, components: Components, score: Score) -> NDArray[np.bool_]:
        """Return for each of ``shapes`` whether it achieves the goal for ``score``."""
        z = float(ndtri(0.5 + self.level / 2.0))
        met = np.ones(np.shape(shapes.n_targets), dtype=np.bool_)
        if self.width is not None:
            centre = math.log(components.odds(score) * score.k)
            reach = z * np.sqrt(log_odds_variance(shapes, components, score=score))
            met &= expit(centre + reach) - expit(centre - reach) <= self.width
        if self.lower is not None:
            met &= signed_root(shapes, components, self.lower, score=score) >= z + float(ndtri(self.power))
        return met


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where to search: least and most targets and raters, least and most raters per target, most replicates.

    Below six raters the large-sample formula, and their variance, cannot be trusted: this is the least pool by default.
    """

    targets: tuple[int, int] = (10, 1000)
    raters: tuple[int, int] = (FEW_RATERS, 200)
    per_target: tuple[int, int] = (2, 20)
    most_replicates: int = 1

    def __post_init__(self) -> None:
        for name in ("targets", "raters", "per_target"):
            least, most = getattr(self, name)
            require_count(f"the least number of {name.replace('_', ' ')}", least, 2)
            require_count(f"the largest number of {name.replace('_', ' ')}", most, least)
        require_count("the largest number of replicates", self.most_replicates, 1)


@dataclass(frozen=True, slots=True)
class PricedLayout:
    """A layout with its cost, and the precision that is expected for the score of the goal."""

    layout: Layout
    score: Score
    cost: float
    precision: Precision


def price(layout: Layout, costs: Costs) -> float:
    """Return what a study as planned by ``layout`` costs, in the unit of ``costs``."""
    return layout.n_ratings * costs.rating + layout.n_raters * costs.rater + layout.n_targets * costs.target


def cheapest_layouts(
    components: Components, goal: Goal, *, costs: Costs, limits: Limits | None = None
) -> tuple[PricedLayout, ...] | Refusal:
    """Return the cheapest layout for each number of raters per target that can achieve ``goal``, the cheapest first.

    Every number of raters and targets within ``limits`` is looked at (each rater has at least two targets), by
    expected information with raters sharing targets evenly. Of equally cheap ones that with fewer ratings is chosen,
    then the more precise one. A Refusal where no layout achieves the goal. Raises ``InputError`` where the target or
    the residual variance is zero.
    """
    limits = limits or Limits()
    found = []
    for per_target in range(limits.per_target[0], min(limits.per_target[1], limits.raters[1]) + 1):
        options = [
            option
            for replicates in range(1, limits.most_replicates + 1)
            if (option := _Search(components, goal, costs, limits, per_target, replicates).cheapest()) is not None
        ]
        if options:
            found.append(min(options, key=_order))
    if not found:
        return Refusal(
            "no layout within the limits achieves the goal",
            "allow more targets, raters or raters per target, or want a wider interval, a lower limit or less power",
        )
    return tuple(sorted(found, key=_order))


def _order(option: PricedLayout) -> tuple[float, int]:
    return option.cost, option.layout.n_ratings


@dataclass(frozen=True, slots=True)
class _Search:
    """The search at one number of raters per target and of replicates, over every size of the pool at once."""

    components: Components
    goal: Goal
    costs: Costs
    limits: Limits
    per_target: int
    replicates: int

    def cheapest(self) -> PricedLayout | None:
        score = self.goal.score(self.per_target, self.replicates)
        first = max(self.limits.raters[0], self.per_target)
        raters = np.arange(first, self.limits.raters[1] + 1, dtype=np.float64)
        try:
            targets = self._least_targets(score, raters)
        except CannotEstimateError:  # so many replicates tell nothing about those of the score
            return None
        feasible = np.isfinite(targets)
        if not feasible.any():
            return None
        raters, targets = raters[feasible], targets[feasible]
        ratings = targets * self.per_target * self.replicates
        cost = ratings * self.costs.rating + raters * self.costs.rater + targets * self.costs.target
        variance = log_odds_variance(self._shapes(raters, targets), self.components, score=score)
        i = int(np.lexsort((variance, ratings, cost))[0])
        best = Layout(int(targets[i]), int(raters[i]), self.per_target, self.replicates)
        precision = expected_precision(best, self.components, score=score, level=self.goal.level)
        return PricedLayout(best, score, price(best, self.costs), precision)

    def _least_targets(self, score: Score, raters: Floats) -> Floats:
        """Return the least number of targets for each size of the pool, infinite where none is enough; by bisection."""
        least, most = (float(n) for n in self.limits.targets)
        low = np.maximum(least, np.ceil(LEAST_LOAD * raters / self.per_target))
        high = np.maximum(low, most)
        possible = (low <= most) & self._enough(score, raters, high)
        low -= 1.0
        while (high - low > 1.0).any():
            middle = np.ceil((low + high) / 2.0)
            fits = self._enough(score, raters, np.maximum(middle, 2.0))
            high, low = np.where(fits, middle, high), np.where(fits, low, middle)
        return np.where(possible, high, math.inf)

    def _enough(self, score: Score, raters: Floats, targets: Floats) -> NDArray[np.bool_]:
        return self.goal.met_by(self._shapes(raters, targets), self.components, score)

    def _shapes(self, raters: Floats, targets: Floats) -> Shapes:
        return Shapes(targets, raters, np.full(len(raters), float(self.per_target)), self.replicates)
