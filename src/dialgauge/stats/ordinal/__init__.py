"""Models for ordered categories: cumulative link mixed models, and the many-facet Rasch model."""

from dialgauge.stats.ordinal.clmm import ClmmFit, fit_clmm
from dialgauge.stats.ordinal.latent import (
    ComponentTest,
    LatentOdds,
    latent_odds,
    latent_reliability,
    likelihood_ratio_test,
)
from dialgauge.stats.ordinal.rasch import FacetMeasures, RaschFit, fit_rasch

__all__ = [
    "ClmmFit",
    "ComponentTest",
    "FacetMeasures",
    "LatentOdds",
    "RaschFit",
    "fit_clmm",
    "fit_rasch",
    "latent_odds",
    "latent_reliability",
    "likelihood_ratio_test",
]
