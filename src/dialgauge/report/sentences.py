"""The sentences that are made of the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.analyse.bands import band
from dialgauge.analyse.results import DimensionReliability, Reliability
from dialgauge.report.average import asks_for_k, equate_k, say_mean
from dialgauge.report.numerals import decimal, plural
from dialgauge.report.text import clean, join, typeset
from dialgauge.report.words import BANDS, COEFFICIENTS, coefficient_of, say_kind
from dialgauge.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be computed: for which dimensions, why, and what would help.

    ``what`` is the title of a coefficient, or empty where a dimension as a whole was refused.
    """

    what: str
    dimensions: tuple[str, ...]
    reason: str
    remedy: str


def say_ratings(analysis: Reliability) -> str:
    """Return the number of ratings of a dimension, such as ``1,053``, or ``297 to 302`` where dimensions differ."""
    designs = [*(d.design for d in analysis.dimensions), *(d.design for d in analysis.refused)] or [analysis.design]
    low, high = (f"{end(design.n_ratings for design in designs):,}" for end in (min, max))
    return low if low == high else f"{low} to {high}"


def describe_design(analysis: Reliability) -> str:
    """Say in one line who rated what, on which scale."""
    design = analysis.design
    k_origin = "asked for" if asks_for_k(analysis) else "harmonic mean"
    parts = [
        f"{plural(design.n_targets, 'target')} × {plural(design.n_raters, 'rater')}",
        f"{say_ratings(analysis)} ratings per dimension",
        f"{equate_k(analysis)} ({k_origin})",
        say_kind(design),
    ]
    if design.kind != "disconnected":
        parts.append("connected" if design.connected else f"{design.n_components} groups that share nothing")
    return clean(", ".join([*parts, f"scale {analysis.scale}"]))


def conclude(analysis: Reliability) -> str:
    """Say in two or three sentences what the ratings can carry, by the estimates and by their lower limits."""
    if not analysis.dimensions:
        return "No reliability could be computed; the reasons are given below."
    if len(analysis.dimensions) == 1:
        return _conclude_one(analysis, analysis.dimensions[0])
    total = len(analysis.dimensions)
    best = max(analysis.dimensions, key=lambda d: d.rel_single.value)
    alone = f"One rating alone reaches {decimal(best.rel_single.value)} at best ({clean(best.name)})."
    reached = _count_bands([d.rel_k.value for d in analysis.dimensions])
    if not reached:
        return f"The reliability of {say_mean(analysis)} is poor in all {total} dimensions. {alone}"
    counted = join([f"{reached[0]} of {total} dimensions", *reached[1:]])
    sure = join(_count_bands([_low(d.rel_k) for d in analysis.dimensions])) or "moderate in none"
    level = f"{analysis.level * 100:g}% interval"
    return (
        f"The reliability of {say_mean(analysis)} is {counted}. "
        f"Counted by the lower limit of its {level}, it is {sure}. {alone}"
    )


def _conclude_one(analysis: Reliability, only: DimensionReliability) -> str:
    rel = only.rel_k
    mean = say_mean(analysis)
    value = f"{mean[0].upper()}{mean[1:]} has a reliability of {decimal(rel.value)} ({only.band})"
    if rel.low is None or rel.high is None:
        return f"{value}; no interval could be formed."
    interval = f"{analysis.level * 100:g}% interval, {decimal(rel.low)} to {decimal(rel.high)}"
    low, high = band(rel.low), band(rel.high)
    return f"{value}; the {interval}, {f'is {low} throughout' if low == high else f'reaches from {low} to {high}'}."


def _count_bands(values: Sequence[float]) -> list[str]:
    """Say how many of ``values`` reach each band, as far as any does."""
    counts = [(word, sum(value >= limit for value in values)) for limit, word in BANDS]
    top = BANDS[-1][1]
    return [f"{'' if word == top else 'at least '}{word} in {count}" for word, count in counts if count]


def _low(estimate: Estimate) -> float:
    return float("-inf") if estimate.low is None else estimate.low


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
        Gap(
            what=what, dimensions=tuple(map(clean, names)), reason=typeset(clean(reason)), remedy=typeset(clean(remedy))
        )
        for (what, reason, remedy), names in found.items()
    ]
