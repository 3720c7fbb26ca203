"""What a measured reliability promises for other numbers of raters (Spearman 1910, Brown 1910)."""

import math
from dataclasses import dataclass

from dialgauge.stats import dstudy
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.reml.odds import Odds


@dataclass(frozen=True, slots=True)
class RatersNeeded:
    """Raters per target for a wanted reliability; ``low`` and ``high`` belong to the ends of the interval.

    ``None`` stands for no number of raters: the reliability that it rests on is zero (or its interval unknown).
    """

    value: int | None
    low: int | None
    high: int | None


def at_k(estimate: Estimate, k: float, *, measured_k: float) -> tuple[float, float | None, float | None]:
    """Return value, low and high of the reliability of the mean of ``k`` raters, from that of ``measured_k`` raters."""
    return _odds_behind(estimate, measured_k).reliability(k)


def raters_needed(estimate: Estimate, goal: float, *, measured_k: float) -> RatersNeeded:
    """Return how many raters per target bring the reliability of their mean to ``goal`` (between 0 and 1)."""
    odds = _odds_behind(estimate, measured_k)
    value, fewest, most = (_need(end, goal) for end in (odds.value, odds.high, odds.low))
    return RatersNeeded(value=value, low=fewest, high=most)


def _odds_behind(estimate: Estimate, k: float) -> Odds:
    """Return the odds of true to error variance of one rater, from the reliability of the mean of ``k``."""
    low, high = (None if end is None else _odds(end, k) for end in (estimate.low, estimate.high))
    return Odds(value=_odds(estimate.value, k), low=low, high=high, method=estimate.method)


def _odds(reliability: float, k: float) -> float:
    return math.inf if reliability >= 1.0 else max(reliability, 0.0) / (k * (1.0 - reliability))


def _need(odds: float | None, goal: float) -> int | None:
    needed = None if odds is None else dstudy.raters_needed(odds, goal)
    return needed if isinstance(needed, int) else None
