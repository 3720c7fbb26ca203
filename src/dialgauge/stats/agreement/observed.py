"""Agreement as it is seen, with no correction for chance."""

import math

import numpy as np
from scipy.special import ndtri

from dialgauge.stats.agreement.correction import THESE_RATERS, check_paired, linearised, observe
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_open


def percent_agreement(counts: Counts, weights: Floats | None = None, *, level: float = 0.95) -> Estimate:
    """Return the share (0 to 1) of agreeing pairs of ratings, averaged over targets with at least two ratings.

    ``weights`` (q, q) let near misses count in part. Raises ``CannotEstimateError`` unless two targets have two
    ratings. Source: Fleiss (1971); Gwet (2014) for the standard error.
    """
    seen = observe(counts, check_weights(weights, counts.n_categories))
    terms = seen.by_target * (len(seen.paired) / seen.paired.sum())
    return linearised(seen.value, terms, n=counts.n_ratings, name="percent agreement of pairs", level=level)


def exact_agreement(counts: Counts, *, level: float = 0.95) -> Estimate:
    """Return the share (0 to 1) of targets whose raters all agree, among targets with at least two ratings.

    The interval is Wilson's (1927) for a proportion. Raises ``CannotEstimateError`` unless two targets have two
    ratings.
    """
    require_open("level", level, 0.0, 1.0)
    r = counts.per_target
    n = int(np.sum(r >= 2))
    check_paired(n)
    p = float(np.sum((counts.table.max(axis=1) == r) & (r >= 2)) / n)
    z = float(ndtri(0.5 + level / 2))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return Estimate(p, low, high, level, "share of targets rated alike by all; Wilson", THESE_RATERS, counts.n_ratings)
