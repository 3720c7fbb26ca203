"""What a measured reliability promises for other numbers of raters (Spearman 1910, Brown 1910)."""

import math

from dialgauge.stats.estimate import Estimate
from dialgauge.stats.reml.odds import Odds


def at_k(estimate: Estimate, k: float, *, measured_k: float) -> tuple[float, float | None, float | None]:
    """Return value, low and high of the reliability of the mean of ``k`` raters, from that of ``measured_k`` raters."""
    return _odds_behind(estimate, measured_k).reliability(k)


def _odds_behind(estimate: Estimate, k: float) -> Odds:
    """Return the odds of true to error variance of one rater, from the reliability of the mean of ``k``."""
    low, high = (None if end is None else _odds(end, k) for end in (estimate.low, estimate.high))
    return Odds(value=_odds(estimate.value, k), low=low, high=high, method=estimate.method)


def _odds(reliability: float, k: float) -> float:
    return math.inf if reliability >= 1.0 else max(reliability, 0.0) / (k * (1.0 - reliability))
