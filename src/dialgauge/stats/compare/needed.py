r"""How many personas, preferences and raters a difference of two systems needs: a decision study.

Where two systems meet every one of :math:`n_p` personas with every one of :math:`n_q` preferences once, and r raters
rate every dialogue, the main effects of all three cancel, and the variance of the difference is

.. math::
    V = 2 \Bigl( \frac{\sigma^2_{ps}}{n_p} + \frac{\sigma^2_{qs}}{n_q} + \frac{\sigma^2_{rs}}{r}
      + \frac{\sigma^2_d}{n_p n_q} + \frac{\sigma^2_e}{n_p n_q r} \Bigr)

(Brennan 2001, ch. 4). The power is that of a t test with noncentrality \|difference\| / :math:`\sqrt{V}` and degrees of
freedom by Satterthwaite (1946) from the mean squares that V is made of in such a study. A component that the data could
not tell from another is taken to be all of that other one, so that a number that is enough stays enough.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.special import nctdtr, stdtrit

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.compare.records import Comparison, NeededDesign
from dialgauge.stats.compare.terms import (
    BY_SYSTEM,
    DIALOGUE,
    PERSONA,
    PREFERENCE,
    RATER,
    RESIDUAL,
    absorbers,
    only_one,
)
from dialgauge.stats.ranges import require_count, require_open

PREFERENCES = (1, 2, 4, 8, 16)
RATERS = (1, 2, 3, 5, 10)
MOST_PERSONAS = 10_000
CERTAIN = 30.0
"""A noncentrality at which the power is 1, as far as it can be written."""


@dataclass(frozen=True, slots=True)
class _Size:
    """Numbers of personas, preferences and raters."""

    personas: int
    preferences: int
    raters: int

    @property
    def cells(self) -> int:
        """Combinations of persona and preference."""
        return self.personas * self.preferences

    def divisor(self, name: str) -> float:
        """Return by how much the component ``name`` is averaged; infinite where it cancels."""
        return {
            PERSONA + BY_SYSTEM: self.personas,
            PREFERENCE + BY_SYSTEM: self.preferences,
            RATER + BY_SYSTEM: self.raters,
            DIALOGUE: self.cells,
            RESIDUAL: self.cells * self.raters,
        }.get(name, math.inf)

    def mean_squares(self, variance: Mapping[str, float]) -> list[tuple[float, float]]:
        """Return the mean squares whose sum is V times half the cells, signed, each with its degrees of freedom."""
        error = variance.get(RESIDUAL, 0.0) / self.raters
        cell = variance.get(DIALOGUE, 0.0) + error
        personas, preferences, raters = (variance.get(name + BY_SYSTEM, 0.0) for name in (PERSONA, PREFERENCE, RATER))
        found = [(cell + self.preferences * personas, self.personas - 1.0)]
        if self.preferences > 1 or preferences > 0.0:
            found.append((cell + self.personas * preferences, self.preferences - 1.0))
            found.append((-cell, (self.personas - 1.0) * (self.preferences - 1.0)))
        if self.raters > 1 or raters > 0.0:
            found.append((error + self.cells * raters / self.raters, self.raters - 1.0))
            found.append((-error, (self.cells - 1.0) * (self.raters - 1.0)))
        return found


def needed(
    comparison: Comparison,
    *,
    difference: float,
    power: float = 0.8,
    alpha: float = 0.05,
    n_raters: Sequence[int] | None = None,
    n_preferences: Sequence[int] = PREFERENCES,
    most_personas: int = MOST_PERSONAS,
) -> tuple[NeededDesign, ...]:
    """Return the least number of personas for each number of preferences and raters, the fewest dialogues first.

    A true difference of ``difference`` (not 0) is shown with probability ``power`` by a two-sided test of one pair of
    systems at ``alpha``; for a family of m pairs alpha / m is on the safe side. ``comparison`` comes from `fit_mixed`.
    ``n_raters`` is for rated dialogues only (1, 2, 3, 5 and 10 by default). Where there was only one persona, the
    number that is sought is that of dialogues with it; where there was only one preference or rater the answer is for
    that one. Numbers that cannot be enough are left out.

    Raises InputError for arguments out of range and for raters where nobody rated; CannotEstimateError for a
    comparison without variance components, and where nothing within ``most_personas`` is enough.
    """
    _check(comparison, difference, power, alpha)
    rated = _is_rated(comparison)
    if n_raters is not None and not rated:
        raise InputError("nobody rated these dialogues; leave the number of raters out")
    alone = {name for name in (PERSONA, PREFERENCE, RATER) if comparison.left_out.get(name) == only_one(name)}
    options = [1] if PREFERENCE in alone else n_preferences
    of_raters = (n_raters or RATERS) if rated and RATER not in alone else (1,)
    require_count("the largest number of personas", most_personas, 2)
    averaged = _averaged(comparison)
    found = []
    for raters in of_raters:
        for preferences in options:
            require_count("the number of raters", raters, 1)
            require_count("the number of preferences", preferences, 1)
            n = _least(averaged, preferences, raters, (abs(difference), power, alpha), most_personas)
            if n is not None:
                personas = 1 if PERSONA in alone else n
                design = NeededDesign(difference, power, alpha, personas, preferences, n * preferences, None)
                found.append((raters, design))
    if not found:
        raise _never(averaged, difference, most_personas)
    found.sort(key=lambda pair: (pair[1].n_dialogues, pair[0], pair[1].n_preferences))
    return tuple(
        NeededDesign(d.difference, d.power, d.alpha, d.n_personas, d.n_preferences, d.n_dialogues, r if rated else None)
        for r, d in found
    )


def _check(comparison: Comparison, difference: float, power: float, alpha: float) -> None:
    if difference == 0.0 or not math.isfinite(difference):
        raise InputError(f"the difference to be shown must not be 0, got {difference}")
    require_open("alpha", alpha, 0.0, 1.0)
    require_open("the power", power, alpha / 2.0, 1.0)
    if not comparison.variance:
        raise CannotEstimateError(
            "this comparison has no variance components to plan from",
            remedy="plan with a measure that has one value per dialogue or rating",
        )

    for name, reason in comparison.left_out.items():
        if absorbers(reason) == ("system",):
            raise CannotEstimateError(
                f"each system has a {name} of its own, so what another would do is unknown",
                remedy="let all systems meet the same personas, preferences and raters",
            )


def _is_rated(comparison: Comparison) -> bool:
    return any(RATER in names for names in (comparison.variance, comparison.left_out))


def _averaged(comparison: Comparison) -> Mapping[str, tuple[float, tuple[str, ...]]]:
    """Return each variance with the components that it may stand for."""
    found = {name: [name] for name in comparison.variance}
    for name, reason in comparison.left_out.items():
        for holder in absorbers(reason):
            if holder in found:
                found[holder].append(name)
    return {name: (comparison.variance[name], tuple(names)) for name, names in found.items()}


def _least(
    averaged: Mapping[str, tuple[float, tuple[str, ...]]],
    preferences: int,
    raters: int,
    goal: tuple[float, float, float],
    most: int,
) -> int | None:
    """Return the least number of personas that is enough, or None."""

    def enough(personas: int) -> bool:
        return power_of(averaged, _Size(personas, preferences, raters), goal[0], goal[2]) >= goal[1]

    low, high = 1, 2
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def power_of(
    averaged: Mapping[str, tuple[float, tuple[str, ...]]], size: _Size, difference: float, alpha: float
) -> float:
    """Return the probability that ``difference`` > 0 is shown, in the right direction."""
    variance: dict[str, float] = {}
    for value, names in averaged.values():
        worst = min(names, key=size.divisor)
        variance[worst] = variance.get(worst, 0.0) + value
    squares = size.mean_squares(variance)
    if any(degrees < 1.0 for _, degrees in squares):
        return 0.0
    total = sum(square for square, _ in squares)
    if total <= 0.0:
        return 1.0
    df = total**2 / sum(square**2 / degrees for square, degrees in squares)
    noncentrality = difference / math.sqrt(2.0 * total / size.cells)
    if noncentrality > CERTAIN:
        return 1.0
    return 1.0 - float(nctdtr(df, noncentrality, stdtrit(df, 1.0 - alpha / 2.0)))


def _never(averaged: Mapping[str, tuple[float, tuple[str, ...]]], difference: float, most: int) -> CannotEstimateError:
    """Return the refusal, with the component that stays however many dialogues there are."""
    left = {name: variance for name, (variance, _) in averaged.items() if name.endswith(BY_SYSTEM) and variance > 0.0}
    worst = f", where {max(left, key=lambda name: left[name])} varies most" if left else ""
    return CannotEstimateError(
        f"no design with up to {most} personas shows a difference of {difference:g}{worst}",
        remedy="allow more personas, preferences or raters, or plan for a larger difference",
    )
