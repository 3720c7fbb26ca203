"""What the coefficients share: observed agreement, the correction for chance, and the linearised standard error.

Source of the standard error: Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, ch. 5. It holds whatever
the coefficient is; the standard error under the hypothesis of no agreement is smaller by half or more and belongs to
tests only.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_open

THESE_RATERS = "targets (these raters only)"
"""What an interval covers that resamples targets, in words."""

SE_WORDS = "linearised standard error (Gwet 2014)"

TINY = 1e-12
"""Differences below this share of the quantity are rounding."""


@dataclass(frozen=True, slots=True)
class ZeroTest:
    """Two-sided test of a coefficient against zero; ``se_null`` holds under that hypothesis and makes no interval."""

    value: float
    se_null: float
    z: float
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Observed agreement and its terms by target, shape (targets,): zero where a target has fewer than two ratings."""

    value: float
    by_target: Floats
    paired: NDArray[np.bool_]


def observe(counts: Counts, weights: Floats) -> Observed:
    """Return the mean over targets of the weighted share of agreeing pairs of ratings (Fleiss 1971)."""
    r = counts.per_target
    paired = r >= 2
    check_paired(int(np.sum(paired)))
    table = counts.table.astype(np.float64)
    agreeing = np.sum(table * (table @ weights - 1.0), axis=1)
    by_target = np.where(paired, agreeing / np.where(paired, r * (r - 1), 1), 0.0)
    return Observed(float(by_target.sum() / paired.sum()), by_target, paired)


def correct(
    counts: Counts,
    weights: Floats,
    *,
    expected: float,
    expected_by_target: Floats | None,
    name: str,
    level: float,
) -> Estimate:
    """Return (p_a - p_e) / (1 - p_e) with the interval of the linearised standard error.

    ``expected`` is p_e; ``expected_by_target`` (targets,) are the terms whose mean over targets it is, ``None`` where
    the scale alone fixes it.
    """
    check_variation(counts, name)
    check_expected(expected, name)
    seen = observe(counts, weights)
    value = (seen.value - expected) / (1.0 - expected)
    share = len(seen.paired) / seen.paired.sum()
    terms = share * (seen.by_target - expected * seen.paired) / (1.0 - expected)
    if expected_by_target is not None:
        terms -= 2.0 * (1.0 - value) * (expected_by_target - expected) / (1.0 - expected)
    return linearised(value, terms, n=counts.n_ratings, name=name, level=level)


def linearised(
    value: float, terms: Floats, *, n: int, name: str, level: float, around: float | None = None
) -> Estimate:
    """Return the Estimate whose squared standard error is sum (terms - around)^2 / (m (m - 1)), t with m - 1 df.

    ``terms`` (m,) are the linearised contributions of the targets; ``around`` is their mean, by default ``value``. The
    interval is cut at 1 and not below. Where no target deviates there is no interval: a standard error of zero
    does not mean certainty.
    """
    m = len(terms)
    centre = value if around is None else around
    se = float(np.sqrt(np.sum((terms - centre) ** 2) / (m * (m - 1))))
    return symmetric(value, se, df=m - 1, n=n, name=f"{name}; {SE_WORDS}, t with {m - 1} df", level=level)


def symmetric(value: float, se: float, *, df: float, n: int, name: str, level: float) -> Estimate:
    """Return value -+ t se, cut at 1; without an interval where ``se`` is zero. ``df`` may be infinite."""
    require_open("level", level, 0.0, 1.0)
    if se <= TINY * max(1.0, abs(value)):
        return Estimate(value, None, None, level, name, THESE_RATERS, n, ("boundary", "no_interval"))
    half = float(stdtrit(df, 0.5 + level / 2)) * se
    return Estimate(value, value - half, min(value + half, 1.0), level, name, THESE_RATERS, n)


def check_paired(n_paired: int) -> None:
    """Raise ``CannotEstimateError`` unless at least two targets have two ratings."""
    if n_paired == 0:
        raise CannotEstimateError("no target has two ratings", remedy="let at least two raters rate the same targets")
    if n_paired == 1:
        raise CannotEstimateError(
            "only one target has two ratings", remedy="let at least two raters rate two or more of the same targets"
        )


def check_variation(counts: Counts, name: str) -> None:
    """Raise ``CannotEstimateError`` where all ratings fall into one category."""
    if counts.constant:
        raise CannotEstimateError(
            f"all {counts.n_ratings} ratings fall into category {int(counts.category[0])}, so {name} is undefined",
            remedy="report percent agreement and the marginals, or rate targets that differ",
        )


def check_expected(expected: float, name: str) -> None:
    """Raise ``CannotEstimateError`` where chance alone would agree perfectly."""
    if 1.0 - expected <= TINY:
        raise CannotEstimateError(
            f"the agreement expected by chance is 1, so {name} is undefined",
            remedy="report percent agreement and the marginals, or use weights that tell the used categories apart",
        )
