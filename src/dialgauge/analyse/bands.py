"""Words for coefficients. They describe; decisions use intervals."""

from collections.abc import Sequence

KOO_LI: Sequence[tuple[float, str]] = ((0.90, "excellent"), (0.75, "good"), (0.50, "moderate"), (-float("inf"), "poor"))
"""Words for a reliability (Koo and Li 2016)."""

KRIPPENDORFF: Sequence[tuple[float, str]] = (
    (0.800, "reliable"),
    (0.667, "tentative conclusions only"),
    (-float("inf"), "not reliable"),
)
"""Words for alpha (Krippendorff 2004)."""

LANDIS_KOCH: Sequence[tuple[float, str]] = (
    (0.81, "almost perfect"),
    (0.61, "substantial"),
    (0.41, "moderate"),
    (0.21, "fair"),
    (0.0, "slight"),
    (-float("inf"), "poor"),
)
"""Words for kappa (Landis and Koch 1977)."""


def band(value: float, bands: Sequence[tuple[float, str]] = KOO_LI) -> str:
    """Return the word for ``value``: the first band whose lower limit it reaches."""
    return next(word for limit, word in bands if value >= limit)
