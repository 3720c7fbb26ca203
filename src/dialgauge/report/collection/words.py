"""Money, tokens and time as they are printed while ratings are collected."""

from dialgauge.report.numerals import DASH


def say_money(cost: float | None, currency: str) -> str:
    """Write an amount with its currency: cents where it is large, more digits where it is small."""
    if cost is None:
        return "unknown"
    if cost == 0.0:
        return f"0 {currency}"
    digits = 2 if cost >= 1.0 else 4
    smallest = 10.0**-digits
    return f"<{smallest:.{digits}f} {currency}" if cost < smallest else f"{cost:,.{digits}f} {currency}"


def say_tokens(tokens: int) -> str:
    """Write a count of tokens: ``812``, ``45.1 k``, ``3.20 M``."""
    if tokens < 10_000:
        return f"{tokens:,}"
    return f"{tokens / 1e3:,.1f} k" if tokens < 1_000_000 else f"{tokens / 1e6:,.2f} M"


def say_duration(seconds: float | None) -> str:
    """Write a time: ``4.2 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds is None:
        return DASH
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
