"""What the numbers are called."""

from collections.abc import Mapping
from typing import Literal

from dialgauge.analyse.results import Coefficient, DimensionReliability
from dialgauge.stats.design import Design

CoefficientName = Literal[
    "rel_single",
    "rel_k",
    "rel_single_relative",
    "rel_k_relative",
    "icc1",
    "icc1_k",
    "icc1_anova",
    "icc1_k_anova",
    "alpha_ordinal",
    "alpha_interval",
    "percent_agreement",
]

COEFFICIENTS: Mapping[CoefficientName, str] = {
    "rel_single": "Rel(1), absolute",
    "rel_k": "Rel(k), absolute",
    "rel_single_relative": "Rel(1), relative",
    "rel_k_relative": "Rel(k), relative",
    "icc1": "ICC(1), REML",
    "icc1_k": "ICC(1,k), REML",
    "icc1_anova": "ICC(1), mean squares",
    "icc1_k_anova": "ICC(1,k), mean squares",
    "alpha_ordinal": "Krippendorff’s alpha, ordinal",
    "alpha_interval": "Krippendorff’s alpha, interval",
    "percent_agreement": "Percent agreement",
}
"""The coefficients of a dimension in the order in which they are shown, with their titles."""

MODELS = {
    "crossed": "crossed (target + rater + residual)",
    "crossed_replicated": "crossed with replication (target + rater + target × rater + residual)",
    "one_way": "one-way (target + residual; strict raters count as noise)",
    "nested": "nested (target + rater within target + residual)",
}

FACETS = {"target": "target", "rater": "rater", "target_x_rater": "target × rater", "residual": "residual"}

FLAGS = {
    "boundary": "a variance was estimated at zero, the edge of what is possible",
    "few_raters": "fewer than six raters: rater variance is hardly identified",
    "disconnected": "raters and targets fall into groups that share nothing",
    "approximate": "the interval rests on an approximation",
    "no_interval": "no interval could be formed",
}

KINDS = {
    "complete": "complete",
    "sparse_crossed": "sparse crossed",
    "nested": "nested",
    "replicated": "replicated",
    "disconnected": "disconnected",
    "unidentified": "no target with two raters",
}

BANDS = ((0.50, "moderate"), (0.75, "good"), (0.90, "excellent"))
"""Where the words for a reliability begin (Koo and Li 2016); below the first it is poor."""


def say_kind(design: Design) -> str:
    """Return the word for a design; where nothing can be told from it, why."""
    if design.kind == "unidentified" and design.n_informative:
        return "one target only"
    return KINDS[design.kind]


def coefficient_of(dimension: DimensionReliability, name: CoefficientName) -> Coefficient:
    """Return the coefficient of ``dimension`` that is called ``name``."""
    found: Coefficient = getattr(dimension, name)
    return found
