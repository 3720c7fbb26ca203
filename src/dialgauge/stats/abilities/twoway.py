r"""Means and shares over dialogues of crossed personas and preferences, with intervals that cover both.

With :math:`u_i` the influence of row i on an estimate (it sums to 0), the variance over two crossed groupings is

.. math:: V = c_P \sum_P u_P^2 + c_Q \sum_Q u_Q^2 - c_{PQ} \sum_{PQ} u_{PQ}^2, \qquad c_G = G / (G - 1)

with the sums of :math:`u` over the rows of a persona, of a preference, and of both (Cameron, Gelbach and Miller 2011).
It is not taken below that of either grouping alone. Degrees of freedom are those of the grouping with fewer levels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit

from dialgauge.errors import CannotEstimateError, ConsistencyError, InputError
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_open

ROUNDING = 1e-9

METHOD = "two-way cluster-robust (Cameron, Gelbach and Miller)"


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Which persona and which preference each row belongs to: codes of shape (n,), 0, 1, 2, ..."""

    persona: Codes
    preference: Codes

    def __post_init__(self) -> None:
        if self.persona.shape != self.preference.shape:
            raise InputError(
                f"each row needs a persona and a preference, got {self.persona.size} and {self.preference.size} codes"
            )

    def __len__(self) -> int:
        return int(self.persona.size)

    @property
    def cell(self) -> Codes:
        """The code of persona and preference together."""
        width = int(self.preference.max(initial=0)) + 1
        return self.persona * width + self.preference


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """An estimate with the influence of each row on it, shape (n,); ``used`` says which rows it rests on.

    ``least`` is the number of rows of the part that rests on the fewest, None where the estimate has no parts.
    """

    value: float
    influence: Floats
    used: Codes
    least: int | None = None

    @property
    def n(self) -> int:
        """The number of rows that the estimate rests on; of several parts that of the part with the fewest."""
        return int(self.used.size) if self.least is None else self.least


def take_ratio(numerators: Sequence[float] | Floats, denominators: Sequence[float] | Floats) -> Linear:
    """Return the ratio of sums, sum(numerators) / sum(denominators), with the influence of each row.

    A mean over some rows has the denominator 1 there and 0 elsewhere; a share of counts has the counts. The influence
    is (num_i - ratio den_i) / sum(den). Raises CannotEstimateError where all denominators are 0, InputError for a
    negative one.
    """
    top, bottom = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    if bottom.size and bottom.min() < 0.0:
        raise InputError(f"a denominator must not be negative, got {bottom.min():g}")
    total = float(bottom.sum())
    if not total > 0.0:
        raise CannotEstimateError("nothing was counted in the denominator", remedy="collect dialogues that have it")
    value = float(top[bottom > 0.0].sum()) / total
    return Linear(value, np.where(bottom > 0.0, top - value * bottom, 0.0) / total, np.flatnonzero(bottom > 0.0))


def combine(value: float, parts: Sequence[Linear], weights: Sequence[float]) -> Linear:
    """Return a function of several estimates by the delta method: ``weights`` are its partial derivatives there."""
    influence = np.sum([w * part.influence for w, part in zip(weights, parts, strict=True)], axis=0)
    used = np.unique(np.concatenate([part.used for part in parts]))
    return Linear(value, np.asarray(influence), used, min(part.n for part in parts))


def estimate_mean(
    found: Linear, crossing: Crossing, *, bounds: tuple[float, float], covers: str, level: float = 0.95
) -> Estimate:
    """Return ``found`` with a t interval, which is cut to ``bounds``, the least and greatest that it can be.

    Where the rows do not differ, the share of clusters that might is bounded by Clopper and Pearson (1934) and put at
    the ends of ``bounds``. No interval without finite bounds there, or with fewer than two personas or preferences.
    Raises ConsistencyError for a value beyond ``bounds``.
    """
    require_open("level", level, 0.0, 1.0)
    groups = count_groups(found, crossing)
    value = check_within(found.value, bounds)
    variance = two_way_variance(found, crossing) if groups > 1 else 0.0
    if groups < 2:
        return _bare(found, covers, level)
    if variance > 0.0:
        margin = float(stdtrit(groups - 1, (1.0 + level) / 2.0)) * math.sqrt(variance)
        low, high = max(value - margin, bounds[0]), min(value + margin, bounds[1])
        return Estimate(value, low, high, level, f"{METHOD}, t with {groups - 1} df", covers, found.n)
    if not all(map(math.isfinite, bounds)):
        return _bare(found, covers, level)
    share = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / groups)
    low, high = value - share * (value - bounds[0]), value + share * (bounds[1] - value)
    return Estimate(value, low, high, level, "exact bound on the share that may differ, per cluster", covers, found.n)


def check_within(value: float, bounds: tuple[float, float]) -> float:
    """Return ``value``; what lies beyond ``bounds`` by rounding is put there, by more is a ConsistencyError."""
    nearest = min(max(value, bounds[0]), bounds[1])
    if not abs(value - nearest) <= ROUNDING * max(1.0, abs(nearest)):
        raise ConsistencyError(f"the value {value:g} lies beyond {bounds[0]:g} to {bounds[1]:g}, which it cannot")
    return nearest


def estimate_share(found: Linear, crossing: Crossing, *, covers: str, level: float = 0.95) -> Estimate:
    """Return a share (0 to 1) with the interval of Clopper and Pearson for its effective number of rows.

    The effective number is p (1 - p) / V times the squared ratio of t quantiles (Korn and Graubard 1998), at most the
    number of rows; where all rows are alike it is the number of clusters of the grouping with fewer.
    """
    require_open("level", level, 0.0, 1.0)
    groups = count_groups(found, crossing)
    if groups < 2:
        return _bare(found, covers, level)
    p, n = found.value, found.n
    variance = two_way_variance(found, crossing)
    if variance > 0.0 and 0.0 < p < 1.0:
        quantiles = stdtrit(np.array([n - 1, groups - 1]), (1.0 + level) / 2.0)
        size = min(p * (1.0 - p) / variance * float(quantiles[0] / quantiles[1]) ** 2, float(n))
    else:
        size = float(groups)
    hits, tail = p * size, (1.0 - level) / 2.0
    low = float(betaincinv(hits, size - hits + 1.0, tail)) if p > 0.0 else 0.0
    high = float(betaincinv(hits + 1.0, size - hits, 1.0 - tail)) if p < 1.0 else 1.0
    method = f"{METHOD}, Clopper and Pearson for {size:.1f} effective rows (Korn and Graubard)"
    return Estimate(p, min(low, p), max(high, p), level, method, covers, n)


def two_way_variance(found: Linear, crossing: Crossing) -> float:
    """Return the variance V of ``found`` over crossed personas and preferences."""
    rows = found.used
    u = found.influence[rows]
    persona, preference, cell = (_spread(codes[rows], u) for codes in _codes(crossing))
    return max(persona + preference - cell, persona, preference)


def correlate(parts: Sequence[Linear], crossing: Crossing) -> Floats:
    """Return the correlations of estimates over crossed personas and preferences, shape (m, m).

    Those without a variance are taken to move together and independently of the others. Where the two-way covariance is
    not positive, that without the term of cells is taken.
    """
    u = np.array([part.influence for part in parts])
    persona, preference, cell = (_products(codes, u) for codes in _codes(crossing))
    narrow = persona + preference - cell
    wide = persona + preference
    still = np.array([two_way_variance(part, crossing) == 0.0 for part in parts])
    values = np.linalg.eigvalsh(narrow)
    sound = values[0] > -ROUNDING * values[-1] and np.all(np.diag(narrow) > 1e-6 * np.diag(wide), where=~still)
    covariance = narrow if sound else wide
    scale = np.sqrt(np.where(still, 1.0, np.maximum(np.diag(covariance), 0.0)))
    scale[scale == 0.0] = 1.0
    found = np.where(still[:, None] | still, still[:, None] & still, covariance / np.outer(scale, scale))
    np.fill_diagonal(found, 1.0)
    return np.asarray(found, dtype=np.float64)


def _products(codes: Codes, u: Floats) -> Floats:
    """Return c_G times the products of the sums of the rows of ``u`` (m, n) by ``codes``."""
    levels, dense = np.unique(codes, return_inverse=True)
    sums = np.array([sum_by(dense, row) for row in u])
    return np.asarray(levels.size / max(levels.size - 1, 1) * sums @ sums.T, dtype=np.float64)


def _spread(codes: Codes, influence: Floats) -> float:
    levels, dense = np.unique(codes, return_inverse=True)
    sums = sum_by(dense, influence)
    if levels.size < 2 or np.all(np.abs(sums) <= 1e-15):
        return 0.0
    return levels.size / (levels.size - 1) * float(sums @ sums)


def _codes(crossing: Crossing) -> tuple[Codes, Codes, Codes]:
    return crossing.persona, crossing.preference, crossing.cell


def count_groups(found: Linear, crossing: Crossing) -> int:
    """Return the levels of the grouping that has fewer."""
    return min(np.unique(codes[found.used]).size for codes in (crossing.persona, crossing.preference))


def _bare(found: Linear, covers: str, level: float) -> Estimate:
    method = "value without an interval: one persona or preference, or no spread"
    return Estimate(found.value, None, None, level, method, covers, found.n, ("no_interval",))
