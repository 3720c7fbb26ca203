"""Numbers of checks as they are printed."""

from dialgauge.analyse.results import Coefficient
from dialgauge.report.numerals import DASH, decimal
from dialgauge.stats.estimate import Estimate


def write_estimate(found: Coefficient | None, *, signed: bool = False) -> str:
    """Write a value with its interval: ``.94 [.81, 1.00]``; a dash where there is none."""
    if not isinstance(found, Estimate):
        return DASH
    value = f"{'+' if signed and found.value >= 0.005 else ''}{two_digits(found.value)}"
    if found.low is None or found.high is None:
        return value
    return f"{value} [{two_digits(found.low)}, {two_digits(found.high)}]"


def two_digits(value: float) -> str:
    """Write a share or a difference; what rounds to 0 has no sign."""
    return decimal(0.0 if abs(value) < 0.005 else value, 2)
