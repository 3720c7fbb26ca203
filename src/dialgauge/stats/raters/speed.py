"""How fast each rater is beside the panel."""

from dataclasses import dataclass

import numpy as np

from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.raters.straight import each_rater


@dataclass(frozen=True, slots=True, eq=False)
class Speed:
    """Seconds of each rater; arrays of shape (n_raters,), NaN for raters without any.

    ``n`` counts the timed ratings, ``median`` is in seconds, ``fast`` is the share below ``threshold`` (0 to 1).
    ``panel`` is the median over raters of their medians, in seconds.
    """

    n: Codes
    median: Floats
    fast: Floats
    panel: float
    threshold: float


def time_raters(rater: Codes, seconds: Floats, *, fraction: float, n_raters: int) -> Speed:
    """Compare ``seconds`` (n,), at least one, of each ``rater`` (n,) with ``fraction`` of the panel's median."""
    median = np.full(n_raters, np.nan)
    for j, rows in each_rater(rater, n_raters):
        median[j] = np.median(seconds[rows])
    panel = float(np.nanmedian(median))
    n = np.bincount(rater, minlength=n_raters)
    below = sum_by(rater, (seconds < fraction * panel).astype(np.float64), n_raters)
    fast = np.divide(below, n, out=np.full(n_raters, np.nan), where=n > 0)
    return Speed(n=n, median=median, fast=fast, panel=panel, threshold=fraction * panel)
