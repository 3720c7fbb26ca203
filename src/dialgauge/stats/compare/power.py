r"""With which probability a planned study shows a difference of two systems: a decision study.

Where two systems hold the same n dialogues of :math:`n_p` personas about :math:`n_q` preferences, and r of
:math:`n_r` raters rate every dialogue, the main effects of all three cancel, and the variance of the difference is

.. math::
    V = 2 \Bigl( \frac{\sigma^2_{ps}}{n_p} + \frac{\sigma^2_{qs}}{n_q} + \frac{\sigma^2_{rs}}{n_r}
      + \frac{\sigma^2_d}{n} + \frac{\sigma^2_e}{n r} \Bigr)

(Brennan 2001, ch. 4). The power is that of a t test with noncentrality \|difference\| / :math:`\sqrt{V}` and degrees of
freedom by Satterthwaite (1946) from the mean squares that V is made of in such a study. As in a fit, a component at
zero has no mean square of its own.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from scipy.special import nctdtr, stdtrit

from dialgauge.stats.compare.terms import BY_SYSTEM, DIALOGUE, PERSONA, PREFERENCE, RATER, RESIDUAL

CERTAIN = 30.0
"""A noncentrality at which the power is 1, as far as it can be written."""

Held = Mapping[str, tuple[float, tuple[str, ...]]]
"""Each variance component with the components that it may stand for, itself among them."""


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of personas, preferences of each, raters of each dialogue, and of different preferences and raters.

    The last two, ``pool`` and ``panel``, are 0 where all personas have the same preferences, all dialogues the same
    raters.
    """

    personas: int
    preferences: int
    raters: int
    pool: int = 0
    panel: int = 0

    @property
    def dialogues(self) -> int:
        """The dialogues of each system."""
        return self.personas * self.preferences

    @property
    def different(self) -> int:
        """The different preferences."""
        return self.pool or self.preferences

    @property
    def different_raters(self) -> int:
        """The different raters."""
        return max(self.panel, self.raters)

    def divisor(self, name: str) -> float:
        """Return by how much the component ``name`` is averaged; infinite where it cancels."""
        return {
            PERSONA + BY_SYSTEM: self.personas,
            PREFERENCE + BY_SYSTEM: self.different,
            RATER + BY_SYSTEM: self.different_raters,
            DIALOGUE: self.dialogues,
            RESIDUAL: self.dialogues * self.raters,
        }.get(name, math.inf)

    def mean_squares(self, variance: Mapping[str, float]) -> list[tuple[float, float]]:
        """Return the mean squares whose sum is V times half the dialogues, signed, each with its degrees of freedom."""
        error = variance.get(RESIDUAL, 0.0) / self.raters
        cell = variance.get(DIALOGUE, 0.0) + error
        personas, preferences, raters = (variance.get(name + BY_SYSTEM, 0.0) for name in (PERSONA, PREFERENCE, RATER))
        n, found = self.dialogues, []
        if personas > 0.0:
            found.append((cell + self.preferences * personas, self.personas - 1.0))
        if preferences > 0.0:
            found.append((cell + n / self.different * preferences, self.different - 1.0))
        if personas > 0.0 and preferences > 0.0:
            found.append((-cell, n - self.personas - self.different + 1.0))
        if not found:
            found.append((cell, n - 1.0))
        if raters > 0.0:
            different = self.different_raters
            left = n * (self.raters - 1.0) - different + 1.0
            own = error if left >= 1.0 else 0.0  # one rating of each dialogue tells no noise from the dialogue
            found.append((own + n * raters / different, different - 1.0))
            if own:
                found.append((-own, left))
        return found


def power_of(held: Held, size: Size, difference: float, alpha: float) -> float:
    """Return the probability that ``difference`` > 0 is shown, in the right direction, at the two-sided ``alpha``.

    A component that may be several is taken to be the one that is averaged least.
    """
    variance: dict[str, float] = {}
    for value, names in held.values():
        worst = min(names, key=size.divisor)
        variance[worst] = variance.get(worst, 0.0) + value
    squares = size.mean_squares(variance)
    if any(degrees < 1.0 for _, degrees in squares):
        return 0.0
    total = sum(square for square, _ in squares)
    if total <= 0.0:
        return 1.0
    df = total**2 / sum(square**2 / degrees for square, degrees in squares)
    return power_of_t(difference / math.sqrt(2.0 * total / size.dialogues), df, alpha)


def power_of_t(noncentrality: float, df: float, alpha: float) -> float:
    """Return the power of a two-sided t test, counting the right direction alone."""
    if noncentrality > CERTAIN:
        return 1.0
    return 1.0 - float(nctdtr(df, noncentrality, stdtrit(df, 1.0 - alpha / 2.0)))
