"""The number of raters that the k forms average over, in words."""

from statistics import median

from dialgauge.analyse.results import Reliability

LITTLE = 0.05
"""Where the k of all dimensions lie within this share of each other, one rounded number speaks for them."""


def asks_for_k(analysis: Reliability) -> bool:
    """Whether k was asked for rather than taken from the design."""
    return any(d.k != d.design.k_harmonic for d in analysis.dimensions)


def write_k(k: float) -> str:
    """Write a number of raters with two decimals at most: ``3``, ``5.2``, ``4.79``."""
    return f"{k:.2f}".rstrip("0").rstrip(".") if k >= 0.01 else f"{k:g}"


def say_k(analysis: Reliability) -> str:
    """Return k as ``5.2``; one rounded number where dimensions differ a little, a range (``4 to 6``) where more."""
    ks = _all(analysis)
    low, high = write_k(min(ks)), write_k(max(ks))
    if is_about(analysis):
        return write_k(round(median(ks), 1))
    return low if low == high else f"{low} to {high}"


def is_about(analysis: Reliability) -> bool:
    """Whether `say_k` is rounded, since the dimensions differ a little."""
    ks = _all(analysis)
    low, high = min(ks), max(ks)
    return write_k(low) != write_k(high) and high - low <= LITTLE * high


def equate_k(analysis: Reliability) -> str:
    """Return ``k = 5.2``, or ``k ≈ 4.8`` where the number is rounded."""
    return f"k {'≈' if is_about(analysis) else '='} {say_k(analysis)}"


def say_mean(analysis: Reliability) -> str:
    """Say whose reliability Rel(k) is: ``the mean of 5.2 raters``, ``the mean of about 4.8 raters``, ``one rater``."""
    k = say_k(analysis)
    if k == "1":
        return "one rater"
    return f"the mean of {'about ' if is_about(analysis) else ''}{k} raters"


def _all(analysis: Reliability) -> list[float]:
    return [d.k for d in analysis.dimensions] or [analysis.design.k_harmonic]
