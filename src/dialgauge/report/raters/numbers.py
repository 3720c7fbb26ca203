"""Numbers of a rater as every output writes them."""

from dialgauge.analyse.raters.parts import Change, RaterSpeed, Severity, StraightLining
from dialgauge.analyse.results import Coefficient
from dialgauge.report.numerals import DASH, MINUS, decimal, fixed
from dialgauge.stats.estimate import Estimate, Refusal


def signed(value: float) -> str:
    """Write a difference in scale units: ``+0.81``, ``−0.81``, ``+0.00``."""
    return f"{value:+z.2f}".replace("-", MINUS)


def change_of(pair: tuple[float, float | None]) -> str:
    """Write by how much a coefficient changes: ``+.012``; a dash where there is nothing after."""
    before, after = pair
    if after is None:
        return DASH
    text = decimal(after - before)
    return text if text.startswith(MINUS) else f"+{text}"


def say_severity(severity: Severity | Refusal) -> tuple[str, str]:
    """Return value and interval; a dash and nothing where there are none."""
    if isinstance(severity, Refusal):
        return DASH, ""
    return signed(severity.estimate.value), say_interval(severity.estimate, signed_ends=True)


def say_value(coefficient: Coefficient, *, ratio: bool = False) -> str:
    """Write a coefficient, or a ratio with two decimals."""
    if isinstance(coefficient, Refusal):
        return DASH
    return fixed(coefficient.value) if ratio else decimal(coefficient.value, 2)


def say_interval(estimate: Estimate, *, signed_ends: bool = False, ratio: bool = False) -> str:
    """Write an interval in brackets."""
    if estimate.low is None or estimate.high is None:
        return "no interval"
    ends = (signed(e) if signed_ends else fixed(e) if ratio else decimal(e, 2) for e in (estimate.low, estimate.high))
    return f"[{', '.join(ends)}]"


def say_straight(lines: StraightLining | Refusal) -> str:
    """Write for how many of the targets one value was given throughout: ``3 of 9``."""
    return DASH if isinstance(lines, Refusal) else f"{lines.n_straight} of {lines.n_targets}"


def say_seconds(speed: RaterSpeed | Refusal) -> str:
    """Write the median seconds of an answer."""
    if isinstance(speed, Refusal):
        return DASH
    return f"{speed.median:,.0f}" if speed.median >= 10.0 else fixed(speed.median, 1)


def say_change(change: Change) -> str:
    """Write a word before and after, or the one that stays."""
    before, after = change.band
    return before if after == before else f"{before} → {after or 'not estimated'}"
