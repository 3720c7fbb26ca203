"""How severe each rater is: best linear unbiased predictions with their prediction errors."""

from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.raters.inverse import Inverse
from dialgauge.stats.reml.fit import RATER, RemlFit


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """The effect of each rater, in units of the ratings, all arrays of shape (n_raters,).

    ``effect`` is the best linear unbiased prediction of how far a rater's ratings lie above (or below) those that other
    raters would give. Three standard deviations of effect minus prediction, the variance components taken as known:
    ``se`` with the uncertainty of the mean over all raters there could be; ``se_known_mean`` without it (that of lme4's
    ``condVar``); ``se_among`` for the distance from the mean of the raters at hand. Predictions sum to zero, so the
    effect itself predicts that distance too.
    """

    effect: Floats
    se: Floats
    se_known_mean: Floats
    se_among: Floats


def predict_raters(inverse: Inverse) -> Predictions:
    """Return the prediction of each rater's effect in the fit of ``inverse``.

    Raises ``CannotEstimateError`` where the model has no rater effect, and where the variance of raters is zero.
    """
    fit = inverse.fit
    require_rater_effect(fit)
    if fit.ratios[RATER] == 0.0:
        raise CannotEstimateError(
            "the variance between raters is estimated as zero: their severities cannot be told apart",
            remedy="nothing needs to be done; more ratings per rater would show smaller differences",
        )
    known, full, taken = inverse.rater_known(), inverse.rater_errors(), inverse.rater_takes()
    shared = _row_means(inverse) + taken * taken.mean() / inverse.total
    among = np.maximum(full - 2.0 * shared + shared.mean(), 0.0)
    return Predictions(
        effect=fit.rater_effect,
        se=np.sqrt(fit.residual * full),
        se_known_mean=np.sqrt(fit.residual * known),
        se_among=np.sqrt(fit.residual * among),
    )


def require_rater_effect(fit: RemlFit) -> None:
    """Raise ``CannotEstimateError`` where the model of ``fit`` has no rater effect."""
    if fit.rater is not None:
        return
    panel = fit.panel
    per_rater = np.bincount(panel.small if panel.small_is_rater else panel.big)
    if per_rater.max() < 2:
        raise CannotEstimateError(
            "each rater rated one target only, so severity cannot be told from noise",
            remedy="let each rater rate several targets that others rate too",
        )
    raise CannotEstimateError(
        "the crossed model cannot be estimated here, so severity cannot be told from noise",
        remedy="let raters rate more of the same targets",
    )


def _row_means(inverse: Inverse) -> Floats:
    """Return the row means of the prediction error covariance of raters given the mean, shape (n_raters,)."""
    if inverse.panel.small_is_rater:
        return np.asarray(inverse.small.mean(axis=1))
    pull = inverse.pull
    through = pull * np.asarray(inverse.table @ (inverse.small @ np.asarray(inverse.table.T @ pull)))
    return np.asarray((pull + through) / inverse.panel.n_big)
