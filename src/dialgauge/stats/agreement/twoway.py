"""Interval for new targets and new raters: a two-way jackknife, whatever the coefficient is."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.agreement.correction import TINY
from dialgauge.stats.arrays import Floats
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_open

ONE_HOLDS_ALL = "one target, rater or cell holds all disagreement"

LEAST = -1.0
"""The lowest value of alpha and of kappas whose chance rests on the ratings: twice the expected disagreement."""

LARGEST_LOG = 700.0
"""Logarithms above this overflow; the interval is cut at its floor long before."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """A coefficient of all ratings, and with one target, one rater, or one cell (target x rater) left out.

    Shapes: ``target`` (targets,), ``rater`` (raters,), ``cell`` (cells,), each in ascending order of the codes that
    occur; cells go by target, then rater. Without replicates a cell is a single rating. ``n`` counts the ratings.
    """

    value: float
    target: Floats
    rater: Floats
    cell: Floats
    n: int


class NothingLeftError(CannotEstimateError):
    """Something left out leaves nothing to compare; ``why`` says so without the number of the unit."""

    def __init__(self, unit: str, number: int, what: str) -> None:
        self.why = f"leaving out one {unit} leaves no {what} to compare"
        super().__init__(
            f"leaving out {unit} {number} leaves no {what} to compare",
            remedy="add targets and raters, or use the interval for these raters only",
        )


def check_left(parts: list[Floats], what: str) -> None:
    """Raise ``NothingLeftError`` where one of ``parts`` (whole, by target, by rater, by cell) is not above zero."""
    for unit, part in zip(("target", "rater", "cell"), parts[1:], strict=True):
        if part.min() <= TINY:
            raise NothingLeftError(unit, int(part.argmin()), what)


def two_way_interval(left: LeftOut, *, name: str, level: float, floor: float, shared: float = 1.0) -> Estimate | None:
    """Return the interval of a coefficient whose best value is 1; ``None`` where one unit holds all disagreement.

    The interval is formed for log(1 - coefficient), the log of a ratio of disagreements, and set back by the bias that
    the jackknife finds. Its variance is V_target + V_rater - ``shared`` V_cell (clustered both ways: Cameron, Gelbach
    and Miller 2011), and not less than V_target; ``shared`` (0 to 1) is the part of V_cell that V_rater holds too. Its
    t quantile has Satterthwaite's degrees of freedom; targets or raters of which few carry the variance count for
    less. It is cut at ``floor``, the lowest value that is possible.
    """
    require_open("level", level, 0.0, 1.0)
    logs = _logarithms(left)
    if logs is None:
        return None
    centre, se, df = _combine(math.log(1.0 - left.value), *logs, shared=shared)
    half = float(stdtrit(df, 0.5 + level / 2)) * se
    return Estimate(
        value=left.value,
        low=min(max(1.0 - math.exp(min(centre + half, LARGEST_LOG)), floor), left.value),
        high=max(1.0 - math.exp(centre - half), left.value),
        level=level,
        method=f"{name}; two-way jackknife of log(1 - coefficient), t with {df:.1f} df",
        covers="targets and raters",
        n=left.n,
        flags=("few_raters",) if len(left.rater) < FEW_RATERS else (),
    )


def these_raters_only(plain: Estimate, why: str) -> Estimate:
    """Return ``plain``, an interval for these raters, with the reason why there is none for new raters."""
    flags = plain.flags if "no_interval" in plain.flags else (*plain.flags, "approximate")
    words = f"{plain.method}; no two-way jackknife because {why}"
    return Estimate(plain.value, plain.low, plain.high, plain.level, words, plain.covers, plain.n, flags)


def _logarithms(left: LeftOut) -> tuple[Floats, Floats, Floats] | None:
    """Return log(1 - coefficient) by unit left out; ``None`` where some agree perfectly or nothing varies."""
    ratios = (1.0 - left.target, 1.0 - left.rater, 1.0 - left.cell)
    if 1.0 - left.value <= TINY or min(float(r.min()) for r in ratios) <= TINY:
        return None
    target, rater, cell = (np.log(r) for r in ratios)
    return None if np.ptp(target) <= TINY else (target, rater, cell)


def _combine(full: float, target: Floats, rater: Floats, cell: Floats, *, shared: float) -> tuple[float, float, float]:
    """Return centre, standard error and degrees of freedom from the values with one unit left out.

    The degrees of freedom of a variance from g contributions of kurtosis K are (g - 1) min(1, 2 / (K - 1)): g - 1 for
    normal ones. A rater's severity enters squared, so raters count for half at the most.
    """
    bias = [(len(part) - 1) * (part.mean() - full) for part in (target, rater, cell)]
    V_t, V_r, V_c = ((len(part) - 1) * part.var() for part in (target, rater, cell))
    V = max(V_t, V_t + V_r - shared * V_c)
    df_t = (len(target) - 1) * min(1.0, 2 / (_kurtosis(target) - 1))
    df_r = (len(rater) - 1) * min(0.5, 2 / (_kurtosis(rater) - 1))
    df = V**2 / (V_t**2 / df_t + (V - V_t) ** 2 / df_r)
    return full - float(bias[0] + bias[1] - bias[2]), math.sqrt(V), max(float(df), 1.0)


def _kurtosis(part: Floats) -> float:
    square = (part - part.mean()) ** 2
    mean = float(square.mean())
    return max(float(np.mean(square**2)) / mean**2, 1.0 + TINY) if mean > 0 else 1.0 + TINY
