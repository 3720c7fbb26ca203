"""Numbers as they are printed."""

import re

MINUS = "−"

DASH = "–"
"""Stands where a number is missing."""


_ZERO = re.compile(r"(?<![\w.,])0\.(?=\d)")
"""The zero of a number below 1, and not that within a number or a name."""


def decimal(value: float, digits: int = 3) -> str:
    """Write a coefficient the way psychometric papers do: ``.327``, ``−.012``, ``1.000``."""
    text = f"{abs(value):.{digits}f}"
    sign = MINUS if value < 0 and float(text) != 0.0 else ""
    return sign + text.removeprefix("0") if digits else sign + text


def fixed(value: float, digits: int = 2) -> str:
    """Write a quantity in scale units with a true minus sign."""
    return f"{value:.{digits}f}".replace("-", MINUS)


def tiny(value: float) -> str:
    """Write a quantity next to zero with two digits: ``3.0e−09``."""
    return f"{value:.1e}".replace("-", MINUS)


def percent(share: float) -> str:
    """Write a share (0 to 1) as a whole percentage without its sign."""
    return f"{100.0 * share:.0f}"


def drop_zeros(text: str) -> str:
    """Write the numbers below 1 in a sentence as tables do, without the zero before the point."""
    return _ZERO.sub(".", text)


def plural(count: int, noun: str) -> str:
    """Write a count with its noun: ``1 target``, ``1,053 ratings``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
