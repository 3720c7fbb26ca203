"""The abilities of CONCEPT as functions of measures (Huang et al. 2024), and what they are worth with their intervals.

Shares lie in 0 to 1, rated measures in 1 to 5, abilities in 0 to 5. Each formula is linear in each of its arguments.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.abilities.twoway import (
    METHOD,
    Crossing,
    Linear,
    check_within,
    combine,
    correlate,
)
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate

TOP = 5.0


@dataclass(frozen=True, slots=True)
class Formula:
    """An ability: the ``measures`` it takes in their order, the ``function`` of them, and the range it can have."""

    name: str
    measures: tuple[str, ...]
    function: Callable[..., float]
    bounds: tuple[float, float]


def quality(acceptance: float, recall: float, recommender: float, conversation: float) -> float:
    """Return 5/3 (acceptance + recall as a share of its ceiling + mean success rate of recommender and conversation).

    The sources name the three parts but not their weights; these are equal here.
    """
    return TOP * (acceptance + recall + success(recommender, conversation)) / 3.0


def success(recommender: float, conversation: float) -> float:
    """Return the mean success rate of recommender and conversation, the part of Quality without the user's consent."""
    return (recommender + conversation) / 2.0


def reliability(harmful_change: float) -> float:
    """Return 5 (1 - inconsistent x sensitive); the product is the share of changed pairs with items that do not fit."""
    return TOP * (1.0 - harmful_change)


def sincerity(deceptive: float, non_existent: float) -> float:
    """Return 5 (1 - (deceptive + non-existent) / 2)."""
    return TOP * (1.0 - (deceptive + non_existent) / 2.0)


def cooperation(
    manner: float, response_quality: float, relevance: float, deceptive: float, non_existent: float
) -> float:
    """Return the mean of Manner, Sincerity, Response quality and Relevance."""
    return (manner + sincerity(deceptive, non_existent) + response_quality + relevance) / 4.0


def social_awareness(rated: float) -> float:
    """Return the rated measure itself."""
    return rated


def identity(persuasiveness: float, deceptive: float) -> float:
    """Return persuasiveness x (1 - deceptive)."""
    return persuasiveness * (1.0 - deceptive)


QUALITY = Formula(
    "quality",
    ("acceptance", "recall_of_ceiling@50", "recommender_sr@10", "conversation_sr@10"),
    quality,
    (0.0, TOP),
)
SUCCESS = Formula("success", ("recommender_sr@10", "conversation_sr@10"), success, (0.0, 1.0))
RELIABILITY = Formula("reliability", ("harmful_change",), reliability, (0.0, TOP))
SINCERITY = Formula("sincerity", ("deceptive", "non_existent"), sincerity, (0.0, TOP))
COOPERATION = Formula(
    "cooperation", ("manner", "response_quality", "relevance", "deceptive", "non_existent"), cooperation, (0.75, TOP)
)
SOCIAL_AWARENESS = Formula("social_awareness", ("social_awareness",), social_awareness, (1.0, TOP))
IDENTITY = Formula("identity", ("persuasiveness", "deceptive"), identity, (0.0, TOP))

FORMULAS: Mapping[str, Formula] = {
    formula.name: formula for formula in (QUALITY, RELIABILITY, COOPERATION, SINCERITY, SOCIAL_AWARENESS, IDENTITY)
}
"""Every ability but Coordination, which compares personas; Sincerity is a part of Cooperation."""


def apply_formula(formula: Formula, parts: Sequence[Linear]) -> Linear:
    """Return the ability with the influence of each row, by the delta method.

    ``parts`` are the measures in the order of the formula, on one set of rows. The partial derivatives are central
    differences, which are exact for a function that is linear in each argument.
    """
    values = [part.value for part in parts]
    return combine(formula.function(*values), parts, _slopes(formula, values))


def estimate_formula(
    formula: Formula, parts: Sequence[Linear], own: Sequence[Estimate], crossing: Crossing, *, covers: str, level: float
) -> Estimate:
    """Return the ability with its interval; ``own`` are the measures with theirs.

    On each side, the distances from the measures to the ends of their own intervals, times the slopes, are added up
    with the correlations of the measures (variance estimates recovery, Zou and Donner 2008). A measure whose rows do
    not differ, such as a share of 0, has the distance of its exact bound. How it is correlated is not known: it is
    taken to be independent of those that vary, and to move with others that do not, as what breaks one may break all.
    No interval where a measure has none. ``n`` is that of the measure with the fewest rows.
    """
    found = apply_formula(formula, parts)
    value = check_within(found.value, formula.bounds)
    lacking = [name.replace("_", " ") for name, one in zip(formula.measures, own, strict=True) if one.low is None]
    if lacking:
        method = f"value without an interval: {' and '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} none"
        return Estimate(value, None, None, level, method, covers, found.n, ("no_interval",))
    slopes = np.array(_slopes(formula, [part.value for part in parts]))
    alike = correlate(parts, crossing)
    ends = np.array([(one.value - (one.low or 0.0), (one.high or 0.0) - one.value) for one in own])
    below, above = (
        math.sqrt(max(float(moved @ alike @ moved), 0.0))
        for moved in (slopes * np.where(slopes > 0.0, ends[:, side], ends[:, 1 - side]) for side in (0, 1))
    )
    low, high = max(value - below, formula.bounds[0]), min(value + above, formula.bounds[1])
    method = f"{METHOD}, recovered from the intervals of the measures (Zou and Donner)"
    return Estimate(value, low, high, level, method, covers, found.n)


def _slopes(formula: Formula, values: Sequence[float]) -> list[float]:
    """Return the partial derivatives of the formula."""
    slopes = []
    for i in range(len(values)):
        above, below = ([*values[:i], values[i] + step, *values[i + 1 :]] for step in (0.5, -0.5))
        slopes.append(formula.function(*above) - formula.function(*below))
    return slopes


def spread_of(values: Floats) -> float:
    """Return (highest - lowest) / mean of an ability over personas: 0 where all are served alike.

    It grows with the number of personas and with the noise of each. Raises CannotEstimateError for fewer than two
    personas, and for a mean that is not above 0.
    """
    if values.size < 2:
        raise CannotEstimateError(
            f"{values.size} persona with a value, and a range takes two", remedy="simulate more personas"
        )
    mean = float(values.mean())
    if not mean > 0.0:
        raise CannotEstimateError("the mean over personas is 0", remedy="look at the values of the ability itself")
    return float(values.max() - values.min()) / mean
