"""What a measured reliability promises for other numbers of raters (Spearman 1910, Brown 1910)."""

import math
from dataclasses import dataclass

from dialgauge.stats.estimate import Estimate
from dialgauge.stats.reml.profile import step_up


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
    ends = (_step(end, k, measured_k) if end is not None else None for end in (estimate.low, estimate.high))
    low, high = ends
    return _step(estimate.value, k, measured_k), low, high


def raters_needed(estimate: Estimate, goal: float, *, measured_k: float) -> RatersNeeded:
    """Return how many raters per target bring the reliability of their mean to ``goal`` (between 0 and 1)."""
    value, most, fewest = (_need(end, goal, measured_k) for end in (estimate.value, estimate.low, estimate.high))
    return RatersNeeded(value=value, low=fewest, high=most)


def _odds(reliability: float, k: float) -> float:
    """Odds of true to error variance of one rater, from the reliability of the mean of ``k``."""
    return math.inf if reliability >= 1.0 else max(reliability, 0.0) / (k * (1.0 - reliability))


def _step(reliability: float, k: float, measured_k: float) -> float:
    return step_up(_odds(reliability, measured_k), k)


def _need(reliability: float | None, goal: float, measured_k: float) -> int | None:
    if reliability is None or reliability <= 0.0:
        return None
    needed = goal / (1.0 - goal) / _odds(reliability, measured_k)
    return max(1, math.ceil(needed - 1e-9))
