"""Conger's kappa: many raters, each with a distribution of their own."""

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.agreement.correction import correct
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.agreement.expected import expected_agreement
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Floats, sum_by
from dialgauge.stats.estimate import Estimate


def conger_kappa(counts: Counts, weights: Floats | None = None, *, level: float = 0.95) -> Estimate:
    """Return Conger's kappa: chance draws from the distributions of two different raters, averaged over pairs.

    With two raters it is Cohen's kappa. Each rater's distribution rests on their own ratings: with few ratings a rater
    it is noisy. ``weights`` (q, q) let near misses count in part. Raises ``CannotEstimateError`` for constant ratings,
    for a single rater, and unless two targets have two ratings. Source: Conger (1980); Gwet (2014) for weights,
    missing ratings and the standard error. Work grows with the number of ratings, not with targets x raters.
    """
    W = check_weights(weights, counts.n_categories)
    J, n = len(counts.rater_table), counts.n_targets
    if J < 2:
        raise CannotEstimateError("there is one rater only", remedy="let at least two raters rate the same targets")
    per_rater = counts.rater_table.sum(axis=1)
    P = counts.rater_table / per_rater[:, None]
    total = P.sum(axis=0)
    others = (total - P) @ W / (J * (J - 1))  # row g, category l: weighted chance of the others to match g's l
    own = np.sum(others * P, axis=1)
    surplus = (others[counts.rater, counts.category] - own[counts.rater]) * (n / per_rater[counts.rater])
    expected = expected_agreement(counts, "conger", W)
    by_target = expected + sum_by(counts.target, surplus, n)
    return correct(
        counts,
        W,
        expected=expected,
        expected_by_target=by_target,
        name="Conger's kappa",
        level=level,
    )
