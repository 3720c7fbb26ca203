"""The sentences that are made of the numbers."""

from dataclasses import dataclass

from dialgauge.analyse.results import Reliability
from dialgauge.report.numerals import decimal, plural
from dialgauge.report.text import clean, join
from dialgauge.report.words import BANDS, COEFFICIENTS, KINDS, coefficient_of
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
    designs = [*(d.design for d in analysis.dimensions), *(d.design for d in analysis.refused)] or [analysis.design]
    low, high = (f"{end(design.n_ratings for design in designs):,}" for end in (min, max))
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
