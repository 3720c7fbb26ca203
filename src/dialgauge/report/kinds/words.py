"""What is said about kinds of rater, and what could not be computed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dialgauge.analyse.kinds import DimensionKinds, KindReliability, KindsComparison, PairOfKinds
from dialgauge.report.numerals import decimal, plural
from dialgauge.report.text import clean, join, typeset
from dialgauge.stats.estimate import Estimate, Refusal

BASES: Mapping[str, str] = {
    "raters": "raters who share targets",
    "replicates": "repeated ratings by one rater per target",
    "identical": "repeated ratings that are all equal",
    "single": "nothing: each target has one rating",
}
"""What noise is told from targets by."""

MOST_PAIRS = 3
"""Pairs of kinds that the verdict speaks of."""


@dataclass(frozen=True, slots=True)
class KindsGap:
    """What could not be computed: of which kind or pair, which numbers, on which dimensions, why, what would help."""

    who: str
    what: tuple[str, ...]
    dimensions: tuple[str, ...]
    reason: str
    remedy: str


def say_kinds(comparison: KindsComparison) -> str:
    """Return the kinds with their raters: ``human (8 raters), llm (2 raters)``."""
    return ", ".join(f"{clean(kind)} ({plural(n, 'rater')})" for kind, n in comparison.kinds.items())


def say_pair(pair: PairOfKinds) -> str:
    """Return the names of both kinds."""
    return f"{clean(pair.first)} and {clean(pair.second)}"


def describe_kinds(comparison: KindsComparison) -> str:
    """Say in one line who rated what, on which scale."""
    n = len(comparison.dimensions) + len(comparison.refused)
    parts = [say_kinds(comparison), plural(comparison.n_targets, "target"), plural(n, "dimension")]
    return clean(", ".join([*parts, f"scale {comparison.scale}"]))


def conclude_kinds(comparison: KindsComparison) -> str:
    """Say in a sentence for each pair with the reference how far the two kinds see the same."""
    found: dict[tuple[str, str], list[Estimate]] = {}
    for d in comparison.dimensions:
        for pair in d.pairs:
            if isinstance(pair.correlation, Estimate):
                found.setdefault((pair.first, pair.second), []).append(pair.correlation)
    if not found:
        return "How far the kinds see the same cannot be told without noise; the reasons are given below."
    sentences = [
        f"Once noise is taken out, what {clean(first)} and {clean(second)} see in the targets {_correlates(some)}."
        for (first, second), some in list(found.items())[:MOST_PAIRS]
    ]
    return " ".join(sentences)


def _correlates(correlations: list[Estimate]) -> str:
    values = sorted(rho.value for rho in correlations)
    if len(values) == 1:
        (rho,) = correlations
        ends = "" if rho.low is None or rho.high is None else f", interval {decimal(rho.low)} to {decimal(rho.high)}"
        return f"correlates {decimal(rho.value)}{ends}"
    lows = [rho.low for rho in correlations if rho.low is not None]
    wide = f"; the lowest end of an interval is {decimal(min(lows))}" if lows else ""
    return f"correlates {decimal(values[0])} to {decimal(values[-1])} over {len(values)} dimensions{wide}"


def sentences_of(d: DimensionKinds) -> tuple[str, ...]:
    """Return the findings of a dimension, its pairs first, ready to print."""
    return tuple(print_sentence(text) for text in (*(f for pair in d.pairs for f in pair.findings), *d.findings))


def print_sentence(sentence: str) -> str:
    """Write apostrophes and minus signs as printers do, and nothing that could steer a terminal."""
    return typeset(clean(sentence))


def list_kinds_gaps(comparison: KindsComparison) -> list[KindsGap]:
    """Return what could not be computed: whole dimensions first, then kinds, then pairs; like reasons together."""
    found: dict[tuple[str, str, str], tuple[dict[str, None], dict[str, None]]] = {}

    def add(who: str, what: str, dimension: str, refusal: Refusal) -> None:
        whats, names = found.setdefault((who, refusal.reason, refusal.remedy), ({}, {}))
        whats |= {what: None} if what else {}
        names[clean(dimension)] = None

    for refused in comparison.refused:
        add("", "", refused.name, Refusal(refused.reason, refused.remedy))
    for d in comparison.dimensions:
        for left in d.left_out:
            add(clean(left.kind), "left out", d.name, Refusal(left.reason, left.remedy))
        for kind in d.kinds:
            for what, refusal in _refused_of_kind(kind):
                add(clean(kind.kind), what, d.name, refusal)
        for pair in d.pairs:
            for what, refusal in _refused_of_pair(pair):
                add(say_pair(pair), what, d.name, refusal)
    return [
        KindsGap(who, tuple(whats), tuple(names), print_sentence(reason), print_sentence(remedy))
        for (who, reason, remedy), (whats, names) in found.items()
    ]


def say_gap(gap: KindsGap, *, most: int = 4) -> str:
    """Say what a gap is about, in few words."""
    names = list(gap.dimensions[:most])
    if len(gap.dimensions) > most:
        names.append(f"{len(gap.dimensions) - most} more")
    parts = [gap.who, join(gap.what)] if gap.who else []
    return ": ".join([join(names), *([", ".join(part for part in parts if part)] if parts else [])])


def _refused_of_kind(kind: KindReliability) -> Iterator[tuple[str, Refusal]]:
    named = {
        "variance of severity": kind.variance.rater,
        "variance of noise": kind.variance.residual,
        "reliability for fresh raters": kind.rel_single,
        "reliability of this rater": kind.this_rater_only,
    }
    for what, value in named.items():
        if isinstance(value, Refusal):
            yield what, value


def _refused_of_pair(pair: PairOfKinds) -> Iterator[tuple[str, Refusal]]:
    named: Mapping[str, object] = {
        "correlation without noise": pair.correlation,
        "correlation as rated": pair.correlation_as_rated,
        "test of a perfect correlation": pair.perfect,
        "observed correlation": pair.observed,
        "difference of means": pair.difference,
        "worth in raters": pair.worth,
    }
    for what, value in named.items():
        if isinstance(value, Refusal):
            yield what, value
