"""Ordinal sensitivity: does the verdict hold when the points of the scale need not be equally far apart."""

import numpy as np

from dialgauge.analyse.bands import band
from dialgauge.analyse.results import Coefficient, Model
from dialgauge.analyse.tables import Block
from dialgauge.errors import CannotEstimateError
from dialgauge.model import Scale
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.ordinal.clmm import fit_clmm
from dialgauge.stats.ordinal.latent import latent_odds, latent_reliability


def latent_rel_k(block: Block, values: Floats, scale: Scale, *, model: Model, k: float, level: float) -> Coefficient:
    """Return Rel(k) on the latent logit scale of a cumulative link mixed model with the facets of ``model``.

    ``values`` has shape (n,), in the order of ``block``. It needs a scale with points, and a model without replicates.
    """
    if scale.points is None:
        return Refusal("the scale is continuous: there are no categories to order", "read Rel(k) by REML")
    if model not in ("crossed", "one_way"):
        return Refusal("the ordinal model has no component for replicates", "average the replicates first")
    points = np.asarray(scale.points)
    categories = np.searchsorted(points, values)
    if np.any(points[np.minimum(categories, len(points) - 1)] != values):
        return Refusal("averaged ratings lie between the points of the scale", "keep duplicates another way")
    try:
        fit = fit_clmm(categories, len(points), target=block.target, rater=block.rater if model == "crossed" else None)
        odds = latent_odds(fit, interval="wald", level=level)
        return latent_reliability(fit, odds, k=k)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def compare_verdicts(rel_k: Estimate, ordinal: Coefficient) -> str:
    """Say whether the word for Rel(k) changes on the ordinal scale."""
    if isinstance(ordinal, Refusal):
        return f"On the ordinal scale Rel(k) cannot be estimated: {ordinal.reason}."
    before, after = band(rel_k.value), band(ordinal.value)
    value = f"{ordinal.value:.3f}".removeprefix("0")
    if before == after:
        return f"The verdict does not change on the ordinal scale (Rel(k) {value} there, {after} too)."
    return f"The verdict changes on the ordinal scale: Rel(k) is {value} there, {after} and not {before}."
