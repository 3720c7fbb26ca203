"""Numbers of a plan as every output writes them."""

import math

from dialgauge.analyse.planning import Answer
from dialgauge.report.numerals import DASH, decimal
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan.simulation import MonteCarlo

SMALL = 0.1
"""Coefficients below this have three significant digits."""


def say_answer(answer: Answer) -> str:
    """Write the value of ``answer``: ``.350``, ``.0604``, ``>.999``, ``1,000``; a dash where there is none."""
    if isinstance(answer.value, Refusal):
        return DASH
    if answer.unit:
        return say_amount(answer.value)
    if answer.key == "icc_width":
        return say_width(answer.value)
    return say_power(answer.value) if "power" in answer.key else say_coefficient(answer.value)


def say_coefficient(value: float) -> str:
    """Write a reliability, a correlation or a width: ``.350``, ``.0604``."""
    return decimal(value, 4 if 0.0 < abs(value) < SMALL else 3)


def say_goal(share: float) -> str:
    """Write a share that somebody chose: ``.80``, or ``.975`` where two decimals are not enough."""
    return decimal(share, 2 if round(share, 2) == share else 3)


def say_width(value: float) -> str:
    """Write the width of an interval by formula; one wider than from 0 to 1 tells nothing."""
    return ">1" if value > 1.0 else decimal(value)


def say_power(value: float) -> str:
    """Write a probability; one that is not 0 or 1 is never printed as if it were."""
    if value > 0.9995:
        return ">.999"
    return "<.001" if value < 0.0005 else decimal(value)


def say_amount(value: float) -> str:
    """Write a count or a cost: ``1,000``, ``12.5``."""
    whole, _, rest = f"{value:,.2f}".partition(".")
    rest = rest.rstrip("0")
    return f"{whole}.{rest}" if rest else whole


def say_monte_carlo(number: MonteCarlo | None) -> str:
    """Write a number with its Monte Carlo standard error: ``.950 ± .007``."""
    if number is None:
        return DASH
    error = decimal(number.standard_error) if math.isfinite(number.standard_error) else DASH
    return f"{decimal(number.value)} ± {error}"
