"""What the numbers are called, and the sentences that are made of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dialgauge.analyse.results import Coefficient, DimensionReliability, Reliability
from dialgauge.report.text import clean, decimal, join, plural
from dialgauge.stats.estimate import Estimate

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


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be computed: for which dimensions, why, and what would help.

    ``what`` is the title of a coefficient, or empty where a dimension as a whole was refused.
    """

    what: str
    dimensions: tuple[str, ...]
    reason: str
    remedy: str


def coefficient_of(dimension: DimensionReliability, name: CoefficientName) -> Coefficient:
    """Return the coefficient of ``dimension`` that is called ``name``."""
    found: Coefficient = getattr(dimension, name)
    return found


def asks_for_k(analysis: Reliability) -> bool:
    """Whether k was asked for rather than taken from the design."""
    return any(d.k != d.design.k_harmonic for d in analysis.dimensions)


def say_k(analysis: Reliability) -> str:
    """Return the number of raters that the k forms average over, such as ``5.20``, or ``4.00 to 5.20``."""
    ks = [d.k for d in analysis.dimensions] or [analysis.design.k_harmonic]
    low, high = (f"{k:g}" if asks_for_k(analysis) else f"{k:.2f}" for k in (min(ks), max(ks)))
    return low if low == high else f"{low} to {high}"


def say_ratings(analysis: Reliability) -> str:
    """Return the number of ratings of a dimension, such as ``1,053``, or ``297 to 302`` where dimensions differ."""
    counts = [d.design.n_ratings for d in (*analysis.dimensions, *analysis.refused)] or [analysis.design.n_ratings]
    low, high = f"{min(counts):,}", f"{max(counts):,}"
    return low if low == high else f"{low} to {high}"


def describe_design(analysis: Reliability) -> str:
    """Say in one line who rated what, on which scale."""
    design = analysis.design
    k_origin = "asked for" if asks_for_k(analysis) else "harmonic"
    parts = [
        f"{plural(design.n_targets, 'target')} × {plural(design.n_raters, 'rater')}",
        f"{say_ratings(analysis)} ratings per dimension",
        f"k = {say_k(analysis)} ({k_origin})",
        KINDS[design.kind],
    ]
    if design.kind != "disconnected":
        parts.append("connected" if design.connected else f"{design.n_components} groups that share nothing")
    return clean(", ".join([*parts, f"scale {analysis.scale}"]))


def conclude(analysis: Reliability) -> str:
    """Say in two sentences what the ratings can carry; "surely" speaks of the whole interval."""
    if not analysis.dimensions:
        return "No reliability could be computed; the reasons are given below."
    averaged = f"the mean of {say_k(analysis)} raters"
    if len(analysis.dimensions) == 1:
        only = analysis.dimensions[0].rel_k
        value = f"has a reliability of {decimal(only.value)} ({analysis.dimensions[0].band})"
        surely = next((word for limit, word in reversed(BANDS) if _low(only) >= limit), None)
        return f"{averaged.capitalize()} {value}" + (
            f", surely {surely} or better." if surely else "; it may be poor (below .50)."
        )
    total = len(analysis.dimensions)
    levels: list[str] = []
    for limit, word in BANDS:
        reached = sum(d.rel_k.value >= limit for d in analysis.dimensions)
        sure = sum(_low(d.rel_k) >= limit for d in analysis.dimensions)
        of_all = "" if levels else f" of {total} dimensions"
        if not reached:
            levels.append(f"{word} in none{of_all}")
            break
        levels.append(f"{'' if word == BANDS[-1][1] else 'at least '}{word} in {reached}{of_all} (surely in {sure})")
    best = max(analysis.dimensions, key=lambda d: d.rel_single.value)
    alone = f"One rating alone reaches {decimal(best.rel_single.value)} at best ({clean(best.name)})."
    return f"The reliability of {averaged} is {join(levels)}. {alone}"


def _low(estimate: Estimate) -> float:
    return float("-inf") if estimate.low is None else estimate.low


def group_findings(analysis: Reliability) -> list[tuple[str, tuple[str, ...]]]:
    """Return the findings in their order, each sentence once, with the dimensions it speaks of (none: all)."""
    found: dict[str, list[str]] = {sentence: [] for sentence in analysis.findings}
    for dimension in analysis.dimensions:
        for sentence in dimension.findings:
            found.setdefault(sentence, []).append(dimension.name)
    return [(clean(sentence), tuple(map(clean, names))) for sentence, names in found.items()]


def list_gaps(analysis: Reliability) -> list[Gap]:
    """Return what could not be computed: whole dimensions first, then single coefficients, like reasons together."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for refused in analysis.refused:
        found.setdefault(("", refused.reason, refused.remedy), []).append(refused.name)
    for dimension in analysis.dimensions:
        for name, title in COEFFICIENTS.items():
            coefficient = coefficient_of(dimension, name)
            if not isinstance(coefficient, Estimate):
                key = (title, coefficient.reason, coefficient.remedy)
                found.setdefault(key, []).append(dimension.name)
    return [
        Gap(what=what, dimensions=tuple(map(clean, names)), reason=clean(reason), remedy=clean(remedy))
        for (what, reason, remedy), names in found.items()
    ]
