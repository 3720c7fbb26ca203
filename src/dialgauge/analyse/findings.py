"""Plain sentences for what changes a conclusion: about one dimension, and about all of them together."""

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import median

from scipy.special import ndtri

from dialgauge.analyse.bands import KOO_LI, band
from dialgauge.analyse.results import DimensionReliability
from dialgauge.analyse.width import say_wide
from dialgauge.stats.estimate import Estimate

SEVERE = 0.10
"""Share of the variance from which rater severity is worth a sentence."""

NORMAL_95 = 1.959964
MOST_NAMES = 4
MANY_PAIRS = 3
"""Below this number of pairs of dimensions their order needs no sentence."""


def findings_of(d: DimensionReliability) -> tuple[str, ...]:
    """Return the sentences that change the reading of one dimension."""
    found = [*_boundary(d), *_band_by_model(d), *_severity(d), *_raters_fixed(d), *_gaps(d)]
    if isinstance(d.alpha_ordinal, Estimate):
        found += say_wide(d.alpha_ordinal, "ordinal alpha")
    if d.n_missing:
        verb = "is missing and was" if d.n_missing == 1 else "are missing and were"
        found.append(f"{d.n_missing} of {d.n_missing + d.design.n_ratings} ratings {verb} left out.")
    return tuple(found)


def findings_across(dimensions: Sequence[DimensionReliability]) -> tuple[str, ...]:
    """Return the sentences that hold for the whole table, the weightiest first."""
    if not dimensions:
        return ()
    return (
        *_few_raters(dimensions),
        *_disconnected(dimensions),
        *_trust(dimensions),
        *_uncertain_bands(dimensions),
        *_order(dimensions),
        *_estimators(dimensions),
        *_severity_across(dimensions),
    )


def number(value: float) -> str:
    """Write a coefficient as this field prints it: three decimals, no leading zero."""
    text = f"{value:.3f}".replace("-", "−")
    return text.replace("0.", ".", 1) if abs(value) < 1.0 else text


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "without an interval"
    return f"{estimate.level:.0%} interval {number(estimate.low)} to {number(estimate.high)}"


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole} dimensions" if whole > 1 else "the one dimension"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES} more"


def _boundary(d: DimensionReliability) -> list[str]:
    words = {"target": "between targets", "rater": "between raters", "cell": "of targets by raters"}
    if d.model == "nested":
        words["cell"] = "between raters within targets"
    found = []
    for facet in d.fit.boundary:
        sentence = f"The variance {words[facet]} is estimated as exactly zero, the edge of what is possible"
        if facet == "target":
            limit = f"{d.rel_k.level:.0%} upper limit of Rel(k): {_upper(d.rel_k)}"
            sentence += f": these ratings do not tell the targets apart ({limit})"
        found.append(sentence + ".")
    return found


def _upper(estimate: Estimate) -> str:
    return "unknown" if estimate.high is None else number(estimate.high)


def _band_by_model(d: DimensionReliability) -> list[str]:
    """Say where the word for the averaged score depends on whether severity is modelled."""
    one_way, crossed = d.icc1_k, d.rel_k
    if d.model != "crossed":  # with replicates the two average different things
        return []
    before, after = band(one_way.value), band(crossed.value)
    if before == after:
        return []
    if _straddles(crossed):
        sentence = (
            f"Rel(k) {number(crossed.value)} is {after} and ICC(1,k) {number(one_way.value)} is {before}: "
            f"modelling severity changes the word, but the {_interval(crossed)} does not settle it."
        )
    else:
        sentence = (
            f"Modelling severity changes the word from {before} (ICC(1,k) {number(one_way.value)}) "
            f"to {after} (Rel(k) {number(crossed.value)})."
        )
    return [sentence]


def _severity(d: DimensionReliability) -> list[str]:
    relative, absolute = d.rel_k_relative, d.rel_k
    before, after = band(absolute.value), band(relative.value)
    share = d.variance.shares().get("rater", 0.0)
    if before == after or share < SEVERE:
        return []
    figures = f"{number(relative.value)} ({after}; {_interval(relative)})"
    if d.design.kind == "complete":
        return [f"For comparing these targets only, severity cancels: Rel(k) is then {figures}."]
    sentence = (
        f"Raters differ in severity ({share:.0%} of the variance). For comparing targets that the same raters rated, "
        f"Rel(k) would be {figures}; absolute scores still carry the severity."
    )
    return [sentence]


def _raters_fixed(d: DimensionReliability) -> list[str]:
    """With few raters their variance is hardly identified: give the figure that does not need it."""
    if "few_raters" not in d.flags:
        return []
    relative = d.rel_k_relative
    figure = f"{number(relative.value)} ({_interval(relative)})"
    return [f"With the severity of the {d.design.n_raters} raters taken out, Rel(k) is {figure}."]


def _gaps(d: DimensionReliability) -> list[str]:
    return [
        f"Check: {c.name} give {number(c.first)} and {number(c.second)}, further apart than usual: "
        f"the two weigh targets with different numbers of ratings differently."
        for c in d.checks
        if not c.holds
    ]


def _few_raters(dimensions: Sequence[DimensionReliability]) -> list[str]:
    few = [d for d in dimensions if "few_raters" in d.flags]
    if not few:
        return []
    raters = min(d.design.n_raters for d in few)
    sentence = (
        f"With {raters} raters their variance is hardly identified: the intervals are wide, and the relative "
        "coefficients, with severity taken out, are the safer reading. Of 95% intervals of alpha from so few raters 92 "
        "to 99% hold the true value, by simulation; those of Rel keep their promise."
    )
    return [sentence]


def _disconnected(dimensions: Sequence[DimensionReliability]) -> list[str]:
    apart = [d for d in dimensions if "disconnected" in d.flags]
    if not apart:
        return []
    sentence = (
        f"Raters and targets fall into {apart[0].design.n_components} groups that share no rating: comparing targets "
        "of different groups rests on the assumption that all raters come from one population; group means also differ "
        "by the luck of which raters a group got."
    )
    return [sentence]


def _trust(dimensions: Sequence[DimensionReliability]) -> list[str]:
    """How many dimensions are good enough on the lower limit, the only honest reading of a threshold."""
    n = len(dimensions)
    sure = [d.name for d in dimensions if _low(d.rel_k) >= KOO_LI[2][0]]
    poor = [d.name for d in dimensions if d.rel_k.high is not None and d.rel_k.high < KOO_LI[2][0]]
    found = [
        f"Rel(k) is at least moderate (.50) beyond sampling error for {len(sure)} of {n} dimension{'s' * (n > 1)}"
        + (f": {_some(sure)}." if sure and len(sure) < n else ".")
    ]
    if poor:
        found.append(f"Poor beyond sampling error (upper limit below .50): {_some(poor)}.")
    return found


def _low(estimate: Estimate) -> float:
    return float("-inf") if estimate.low is None else estimate.low


def _straddles(estimate: Estimate) -> bool:
    return estimate.low is None or estimate.high is None or band(estimate.low) != band(estimate.high)


def _uncertain_bands(dimensions: Sequence[DimensionReliability]) -> list[str]:
    open_words = [d.name for d in dimensions if _straddles(d.rel_k)]
    if not open_words:
        return []
    sentence = (
        f"For {_of(len(open_words), len(dimensions))} the interval of Rel(k) spans more than one word "
        f"(poor, moderate, good, excellent): {_some(open_words)}. Their word is not certain."
    )
    return [sentence]


def _order(dimensions: Sequence[DimensionReliability]) -> list[str]:
    ends = [(d.rel_k.low, d.rel_k.high) for d in dimensions if d.rel_k.low is not None and d.rel_k.high is not None]
    pairs = list(combinations(ends, 2))
    apart = sum(one[0] > two[1] or two[0] > one[1] for one, two in pairs)
    if len(pairs) < MANY_PAIRS or apart == len(pairs):
        return []
    sentence = (
        f"Of {len(pairs)} pairs of dimensions, {apart} have intervals of Rel(k) that do not overlap; the order of the "
        "others is not established."
    )
    return [sentence]


def _standard_error(estimate: Estimate) -> float | None:
    """Return the standard error behind an interval; none where the interval touches zero."""
    if estimate.low is None or estimate.high is None or estimate.low <= 0.0:
        return None
    return (estimate.high - estimate.low) / (2.0 * float(ndtri(0.5 + estimate.level / 2.0)))


def _inside(value: float, estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= value <= estimate.high


def _estimators(dimensions: Sequence[DimensionReliability]) -> list[str]:
    """Rel(1) and ICC(1) describe nearly the same thing: their gap must be read against sampling error."""
    compared = [d for d in dimensions if d.model == "crossed"]
    near = [d for d in compared if _inside(d.rel_single.value, d.icc1) and _inside(d.icc1.value, d.rel_single)]
    errors = [error for d in near if (error := _standard_error(d.rel_single)) is not None]
    found = []
    if near and errors:
        gap = max(abs(d.rel_single.value - d.icc1.value) for d in near)
        first, error = near[0], median(errors)
        found.append(
            f"Rel(1) and ICC(1) are within sampling error of each other for {_of(len(near), len(compared))}: "
            f"each lies in the other's interval ({first.name}: {number(first.rel_single.value)} and "
            f"{number(first.icc1.value)}; largest gap {number(gap)}; one standard error of Rel(1) is about "
            f"{number(error)}). Report Rel(1). Between dimensions, differences of Rel(1) below about "
            f"{number(NORMAL_95 * math.sqrt(2.0) * error)} are not established."
        )
    beyond = [d.name for d in compared if d not in near]
    if beyond:
        found.append(
            f"Rel(1) and ICC(1) differ by more than their intervals for {_some(beyond)}: ICC(1) is biased where the "
            "same raters rated every target or raters are not spread over targets at random; read Rel(1)."
        )
    return found


def _severity_across(dimensions: Sequence[DimensionReliability]) -> list[str]:
    shares = {d.name: d.variance.shares()["rater"] for d in dimensions if d.variance.rater is not None}
    if not shares or max(shares.values()) < SEVERE:
        return []
    most = max(shares, key=lambda name: shares[name])
    low, high = f"{min(shares.values()):.0%}", f"{shares[most]:.0%}"
    range_ = high if low == high else f"{low} to {high}, most for {most}"
    sentence = (
        f"Raters differ in severity (share of the variance: {range_}). Rel counts that as error (fresh raters each "
        "time); the relative forms do not."
    )
    return [sentence]
