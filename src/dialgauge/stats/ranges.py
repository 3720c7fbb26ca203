"""Refuse arguments that lie outside the range for which a formula is meant."""

import math

from dialgauge.errors import InputError


def require_open(name: str, value: float, low: float, high: float) -> None:
    """Raise ``InputError`` unless ``low < value < high``."""
    if not low < value < high:
        raise InputError(f"{name} must lie between {low:g} and {high:g}, both excluded, got {value}")


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
