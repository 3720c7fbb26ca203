"""Many raters are looked at, so some would stand out by chance alone: p-values adjusted for their number."""

import numpy as np

from dialgauge.stats.arrays import Floats


def adjust_p(p: Floats) -> Floats:
    """Return the p-values of Benjamini and Hochberg (1995): below q, at most a share q is expected to be by chance.

    NaN stays NaN and does not count.
    """
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known])[::-1]]
    n = len(order)
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum.accumulate(np.minimum(p[order] * n / np.arange(n, 0, -1), 1.0))
    return adjusted
