"""What an interval leaves open: nearly everything, where it is almost as wide as the coefficient can be."""

from dialgauge.stats.estimate import Estimate

WIDE = 1.5
"""Width from which an interval of a coefficient between −1 and 1 holds nearly all that is possible."""


def say_wide(estimate: Estimate, name: str) -> list[str]:
    """Say that an interval of the coefficient called ``name``, between −1 and 1, tells next to nothing."""
    low, high = estimate.low, estimate.high
    if low is None or high is None or high - low < WIDE:
        return []
    interval = f"{estimate.level:.0%} interval of {name}, {_number(low)} to {_number(high)}"
    return [f"The {interval}, spans nearly the whole range: these ratings say nothing about {name}."]


def _number(value: float) -> str:
    text = f"{value:.3f}".replace("-", "−")
    return text.replace("0.", ".", 1) if abs(value) < 1.0 else text
