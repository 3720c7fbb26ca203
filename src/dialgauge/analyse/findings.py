"""Plain sentences for what changes a conclusion: about one dimension, and about all of them together."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from dialgauge.analyse.bands import KOO_LI, band
from dialgauge.analyse.results import DimensionReliability
from dialgauge.stats.estimate import Estimate

SEVERE = 0.10
"""Share of the variance from which rater severity is worth a sentence."""

NORMAL_95 = 1.959964
MOST_NAMES = 4


def findings_of(d: DimensionReliability) -> tuple[str, ...]:
    """Return the sentences that change the reading of one dimension."""
    found = [*_boundary(d), *_band_by_model(d), *_severity(d), *_raters_fixed(d), *_gaps(d)]
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


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES} more"


def _boundary(d: DimensionReliability) -> list[str]:
    words = {"target": "between targets", "rater": "between raters", "cell": "of targets by raters"}
    found = []
    for facet in d.fit.boundary:
        sentence = f"The variance {words[facet]} is estimated as exactly zero, the edge of what is possible"
        if facet == "target":
            sentence += f": these ratings do not tell the targets apart (Rel(k) at most {_upper(d.rel_k)})"
        found.append(sentence + ".")
    return found


def _upper(estimate: Estimate) -> str:
    return "unknown" if estimate.high is None else number(estimate.high)


def _band_by_model(d: DimensionReliability) -> list[str]:
    """Say where the word for the averaged score depends on whether severity is modelled."""
    one_way, crossed = d.icc1_k, d.rel_k
    if d.model == "one_way":
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
    if before == after or d.variance.shares().get("rater", 0.0) < SEVERE:
        return []
    sentence = (
        f"Raters differ in severity ({d.variance.shares()['rater']:.0%} of the variance). Were every target rated by "
        f"the same raters, Rel(k) would be {number(relative.value)} ({after}), not {number(absolute.value)} ({before})."
    )
    return [sentence]


def _raters_fixed(d: DimensionReliability) -> list[str]:
    """With few raters their variance is hardly identified: give the figure that does not need it."""
    if "few_raters" not in d.flags:
        return []
    relative = d.rel_k_relative
    return [f"For these {d.design.n_raters} raters only, Rel(k) is {number(relative.value)} ({_interval(relative)})."]


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
        "coefficients (these raters only) are the safer reading."
    )
    return [sentence]


def _disconnected(dimensions: Sequence[DimensionReliability]) -> list[str]:
    apart = [d for d in dimensions if "disconnected" in d.flags]
    if not apart:
        return []
    sentence = (
        f"Raters and targets fall into {apart[0].design.n_components} groups that share no rating: comparing targets "
        "of different groups rests on the assumption that the groups' raters are equally severe."
    )
    return [sentence]


def _trust(dimensions: Sequence[DimensionReliability]) -> list[str]:
    """How many dimensions are good enough on the lower limit, the only honest reading of a threshold."""
    n = len(dimensions)
    sure = [d.name for d in dimensions if _low(d.rel_k) >= KOO_LI[2][0]]
    poor = [d.name for d in dimensions if d.rel_k.high is not None and d.rel_k.high < KOO_LI[2][0]]
    found = [
        f"Rel(k) is at least moderate (.50) beyond sampling error for {len(sure)} of {n} dimensions"
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
        f"For {len(open_words)} of {len(dimensions)} dimensions the interval of Rel(k) spans more than one word "
        f"(poor, moderate, good, excellent): {_some(open_words)}. Their word is not certain."
    )
    return [sentence]


def _order(dimensions: Sequence[DimensionReliability]) -> list[str]:
    values = [d.rel_k for d in dimensions if d.rel_k.low is not None]
    pairs = list(pairwise(values))
    close = sum((upper.low or 0.0) <= (lower.high or 0.0) for upper, lower in pairs)
    if not pairs or not close:
        return []
    sentence = (
        f"The order of the dimensions is rough: in {close} of {len(pairs)} neighbouring pairs "
        "the intervals of Rel(k) overlap."
    )
    return [sentence]


def _standard_error(estimate: Estimate) -> float | None:
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / (2.0 * NORMAL_95)


def _estimators(dimensions: Sequence[DimensionReliability]) -> list[str]:
    """Rel(1) and ICC(1) estimate nearly the same thing; their gap must be read against sampling error."""
    rows = []
    for d in dimensions:
        if d.model != "one_way":
            error = _standard_error(d.rel_single)
            if error:
                rows.append((abs(d.rel_single.value - d.icc1.value), error, d))
    if not rows:
        return []
    within = [row for row in rows if row[0] <= NORMAL_95 * row[1]]
    beyond = [row for row in rows if row[0] > NORMAL_95 * row[1]]
    found = []
    if within:
        first = within[0][2]
        found.append(
            f"Rel(1) and ICC(1) lie within sampling error of each other for {len(within)} of {len(rows)} "
            f"dimensions ({first.name}: {number(first.rel_single.value)} and {number(first.icc1.value)}); one standard "
            f"error of Rel(1) is about {number(median(row[1] for row in within))}. Do not read such gaps, or gaps "
            "of that size between dimensions, as differences."
        )
    if beyond:
        found.append(
            f"Rel(1) and ICC(1) differ beyond sampling error for {_some([row[2].name for row in beyond])}: raters' "
            "severity is confounded with targets there; read Rel(1)."
        )
    return found


def _severity_across(dimensions: Sequence[DimensionReliability]) -> list[str]:
    shares = {d.name: d.variance.shares()["rater"] for d in dimensions if d.variance.rater is not None}
    if not shares or max(shares.values()) < SEVERE:
        return []
    most = max(shares, key=lambda name: shares[name])
    sentence = (
        f"Raters differ in severity: {min(shares.values()):.0%} to {max(shares.values()):.0%} of the variance, most "
        f"for {most}. Rel counts that as error (fresh raters each time); the relative forms do not."
    )
    return [sentence]
