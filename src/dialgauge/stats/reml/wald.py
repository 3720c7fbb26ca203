"""Wald intervals on the log odds of true to error variance, from the average information.

The log of the odds is the logit of the reliability of one rater, so the interval is the Wald interval on the logit. It
is quick and does well away from zero; the profile does better near it.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from dialgauge.stats.arrays import Floats
from dialgauge.stats.reml.fit import TARGET, RemlFit
from dialgauge.stats.reml.odds import Form, Odds, error_weights, odds_of

LONGEST = 700.0
"""Next to zero the interval reaches over all odds; its exponential must stay finite."""


def wald_odds(
    fits: Sequence[RemlFit], *, form: Form = "absolute", replicates: float = 1.0, level: float = 0.95
) -> list[Odds]:
    """Return the odds of each fit with their Wald interval; without one where the target variance is zero."""
    return [_wald(fit, form, replicates, float(ndtri(0.5 + level / 2.0))) for fit in fits]


def ratio_covariance(fit: RemlFit) -> Floats:
    """Return the asymptotic covariance of the ratios (target, rater, cell), shape (3, 3).

    Rows of ratios that are zero or not in the model are zero.
    """
    information = fit.evaluate(fit.ratios[None]).information[0]
    free = [i for i in fit.active if fit.ratios[i] > 0.0]
    covariance = np.zeros((3, 3))
    # the criterion is minus twice the log likelihood: its second derivative is twice the information
    covariance[np.ix_(free, free)] = 2.0 * np.linalg.inv(information[np.ix_(free, free)])
    return covariance


def _wald(fit: RemlFit, form: Form, replicates: float, reach: float) -> Odds:
    weights = error_weights(fit.active, form, replicates)
    value = float(odds_of(fit.ratios, weights))
    if fit.ratios[TARGET] == 0.0:
        return Odds(value=value, low=None, high=None, method="Wald on the logit (none at zero)")
    slope = -weights.ratios / float(weights.of(fit.ratios))
    slope[TARGET] += 1.0 / fit.ratios[TARGET]
    se = math.sqrt(float(slope @ ratio_covariance(fit) @ slope))
    low, high = (value * math.exp(min(side * reach * se, LONGEST)) for side in (-1.0, 1.0))
    return Odds(value=value, low=low, high=high, method="Wald on the logit")
