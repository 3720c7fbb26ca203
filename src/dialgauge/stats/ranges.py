"""Refuse arguments that lie outside the range for which a formula is meant."""

import math

from dialgauge.errors import InputError

LOWEST_LEVEL, HIGHEST_LEVEL = 0.001, 0.9999


def require_open(name: str, value: float, low: float, high: float) -> None:
    """Raise ``InputError`` unless ``low < value < high``."""
    if not low < value < high:
        raise InputError(f"{name} must lie between {low:g} and {high:g}, both excluded, got {value}")


def require_level(level: float) -> None:
    """Raise ``InputError`` unless ``level`` is a confidence level whose quantiles can be computed: .001 to .9999."""
    if not LOWEST_LEVEL <= level <= HIGHEST_LEVEL:
        possible = f"and {LOWEST_LEVEL:g} to {HIGHEST_LEVEL:g} can be computed"
        raise InputError(f"the confidence level must lie between 0 and 1, {possible}, got {level}")


def require_share(name: str, value: float) -> None:
    """Raise ``InputError`` unless ``0 <= value < 1``."""
    if not 0.0 <= value < 1.0:
        raise InputError(f"{name} must be at least 0 and below 1, got {value}")


def require_above(name: str, value: float, low: float) -> None:
    """Raise ``InputError`` unless ``value`` is finite and above ``low``."""
    if not (math.isfinite(value) and value > low):
        raise InputError(f"{name} must be above {low:g}, got {value}")


def require_count(name: str, value: int, least: int) -> None:
    """Raise ``InputError`` unless ``value`` is a whole number of at least ``least``."""
    if not math.isfinite(value) or value != int(value) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {value}")
