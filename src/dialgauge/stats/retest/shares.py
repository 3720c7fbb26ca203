"""Shares of targets with exact binomial intervals (Clopper and Pearson 1934)."""

from scipy.special import betaincinv

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_open


def share_estimate(count: int, n: int, *, covers: str, level: float = 0.95) -> Estimate:
    """Return the share ``count`` / ``n`` (0 to 1) with its exact interval for the sampling that ``covers`` names.

    Raises ``CannotEstimateError`` where ``n`` is 0, ``InputError`` for a count outside 0 .. ``n`` or a level outside
    (0, 1).
    """
    require_open("level", level, 0.0, 1.0)
    if not 0 <= count <= n:
        raise InputError(f"{count} of {n} is no share; give a count between 0 and the whole")
    if n == 0:
        raise CannotEstimateError("there is nothing of which a share could be taken", remedy="give at least one")
    tail = (1.0 - level) / 2.0
    low = float(betaincinv(count, n - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, n - count, 1.0 - tail)) if count < n else 1.0
    return Estimate(count / n, low, high, level, "share, exact binomial interval (Clopper and Pearson)", covers, n)


def differing_at_most(n: int, level: float) -> float:
    """Return the upper limit of the share of targets that would differ, after ``n`` targets of which none did.

    It is the upper end of the two-sided exact interval: 1 - ((1 - level) / 2)^(1 / n).
    """
    return float(1.0 - ((1.0 - level) / 2.0) ** (1.0 / n))
