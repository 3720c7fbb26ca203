"""Classes of reliability and bands of agreement, and what they permit."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from dialgauge.analyse.bands import LANDIS_KOCH
from dialgauge.analyse.results import Coefficient
from dialgauge.stats.estimate import Estimate

ReliabilityClass = Literal["perfect", "excellent", "good", "moderate", "poor"]

CLASSES: tuple[ReliabilityClass, ...] = get_args(ReliabilityClass)
"""From the best to the worst."""

LOWEST: Mapping[ReliabilityClass, float] = {"excellent": 0.90, "good": 0.75, "moderate": 0.50, "poor": -float("inf")}
"""Where the classes below perfect begin (Koo and Li 2016); perfect is a repetition without any difference."""

NMAE: Sequence[tuple[float, str]] = ((0.05, "near-ideal"), (0.10, "moderate"), (0.20, "low"))
"""Up to where the bands of nMAE reach (Krzemińska et al. 2026)."""

NOT_ACCEPTABLE = "not acceptable"

NMAE_BANDS = (*(word for _, word in NMAE), NOT_ACCEPTABLE)
KAPPA_BANDS = tuple(word for _, word in LANDIS_KOCH)

Use = Literal["real-time", "aggregate", "descriptive only"]

TRUSTED = LOWEST["excellent"]
"""What the lower limit of a coefficient must reach for the use that it stands for."""


def classify(coefficient: Coefficient, *, exact: bool) -> ReliabilityClass | None:
    """Return the class of a coefficient by its value; ``None`` where it was refused."""
    if not isinstance(coefficient, Estimate):
        return None
    if exact:
        return "perfect"
    return next(name for name, lowest in LOWEST.items() if coefficient.value >= lowest)


def is_supported(coefficient: Coefficient, name: ReliabilityClass | None) -> bool | None:
    """Tell whether the lower limit reaches the class called ``name``; ``None`` where there is no class.

    No interval can show a perfect repetition: its lower limit has to reach excellent. Every coefficient supports poor.
    """
    if not isinstance(coefficient, Estimate) or name is None:
        return None
    if name == "poor":
        return True
    return coefficient.low is not None and coefficient.low >= LOWEST["excellent" if name == "perfect" else name]


def permit_use(single: Coefficient, mean: Coefficient) -> Use:
    """Return what a dimension may be used for, by the lower limits of the coefficients of one rating and of the mean.

    Real-time use rests on one rating, aggregate use on the mean of k. This describes; policies decide.
    """
    if _trusted(single):
        return "real-time"
    return "aggregate" if _trusted(mean) else "descriptive only"


def _trusted(coefficient: Coefficient) -> bool:
    return isinstance(coefficient, Estimate) and coefficient.low is not None and coefficient.low >= TRUSTED


def band_error(nmae: float) -> str:
    """Return the band of an nMAE."""
    return next((word for limit, word in NMAE if nmae <= limit), NOT_ACCEPTABLE)
