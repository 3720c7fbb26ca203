"""Many raters, one distribution for chance: Fleiss' kappa, Brennan and Prediger's, Gwet's AC1 and AC2."""

import math

import numpy as np
from scipy.special import ndtr

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.agreement.correction import ZeroTest, check_expected, check_variation, correct, observe
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.agreement.expected import expected_agreement, mean_shares
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate


def fleiss_kappa(counts: Counts, weights: Floats | None = None, *, level: float = 0.95) -> Estimate:
    """Return Fleiss' kappa: chance draws two ratings from the mean distribution over targets.

    ``weights`` (q, q) let near misses count in part. Targets may have different numbers of ratings: those with one
    rating count for chance only. Raises ``CannotEstimateError`` for constant ratings and unless two targets have two
    ratings. Source: Fleiss (1971), Scott (1955) for two raters; Gwet (2014) for missing ratings and the standard error.
    """
    W = check_weights(weights, counts.n_categories)
    by_target = _shares(counts) @ (W @ mean_shares(counts))
    return correct(
        counts,
        W,
        expected=expected_agreement(counts, "fleiss", W),
        expected_by_target=by_target,
        name="Fleiss' kappa",
        level=level,
    )


def brennan_prediger(counts: Counts, weights: Floats | None = None, *, level: float = 0.95) -> Estimate:
    """Return Brennan and Prediger's kappa: chance picks each declared category equally often.

    It depends on the number of declared categories, used or not. Raises as ``fleiss_kappa``. Source: Brennan and
    Prediger (1981); Gwet (2014).
    """
    W = check_weights(weights, counts.n_categories)
    return correct(
        counts,
        W,
        expected=expected_agreement(counts, "brennan_prediger", W),
        expected_by_target=None,
        name="Brennan-Prediger kappa",
        level=level,
    )


def gwet_ac(counts: Counts, weights: Floats | None = None, *, level: float = 0.95) -> Estimate:
    """Return Gwet's AC1, or AC2 with ``weights``: chance agreement is what raters would reach on hard targets only.

    It depends on the number of declared categories, used or not. Raises as ``fleiss_kappa``. Source: Gwet (2008, 2014).
    """
    W = check_weights(weights, counts.n_categories)
    q = counts.n_categories
    scale = W.sum() / (q * (q - 1))
    return correct(
        counts,
        W,
        expected=expected_agreement(counts, "gwet", W),
        expected_by_target=scale * (_shares(counts) @ (1 - mean_shares(counts))),
        name="Gwet's AC1" if np.array_equal(W, np.eye(q)) else "Gwet's AC2",
        level=level,
    )


def fleiss_test(counts: Counts) -> ZeroTest:
    """Test that Fleiss' kappa (unweighted) is zero, with the standard error that holds if it is.

    Every target needs the same number of ratings: otherwise, and for constant ratings, ``CannotEstimateError``. Source:
    Fleiss, Nee and Landis (1979).
    """
    check_variation(counts, "Fleiss' kappa")
    r = counts.per_target
    k, n = int(r[0]), len(r)
    if np.any(r != k):
        raise CannotEstimateError(
            f"targets have from {r.min()} to {r.max()} ratings, and the test needs equal numbers",
            remedy="use the interval of fleiss_kappa, which does not",
        )
    seen = observe(counts, np.eye(counts.n_categories)).value
    p = mean_shares(counts)
    expected = float(p @ p)
    check_expected(expected, "Fleiss' kappa")
    spread = np.sum(p * (1 - p))
    variance = 2 / (n * k * (k - 1)) * (spread**2 - np.sum(p * (1 - p) * (1 - 2 * p))) / spread**2
    value = (seen - expected) / (1 - expected)
    se = math.sqrt(variance)
    return ZeroTest(value, se, value / se, float(2 * ndtr(-abs(value / se))))


def _shares(counts: Counts) -> Floats:
    return counts.table / counts.per_target[:, None]
