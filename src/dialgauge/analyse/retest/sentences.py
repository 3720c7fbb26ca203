"""The hypotheses answered with counts, and what changes the reading of them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from dialgauge.analyse.retest.across import HIGH
from dialgauge.analyse.retest.classes import KAPPA_BANDS, NMAE_BANDS, ReliabilityClass
from dialgauge.analyse.retest.records import (
    Form,
    GroupSummary,
    Measure,
    Part,
    Repeat,
    Universality,
    ValueAgreement,
)
from dialgauge.stats.estimate import Estimate

APART = 0.01
"""Difference of the two forms that is worth a sentence."""

MOST_NAMES = 4

SAYS: dict[Part, str] = {"single": "for one rating", "mean": "for the mean of the replicates"}

MEASURES: dict[Measure, str] = {"nmae": "nMAE", "kappa": "kappa", "weighted_kappa": "weighted kappa"}


def answer_hypotheses(
    summaries: Sequence[GroupSummary], universality: Sequence[Universality], values: ValueAgreement
) -> tuple[str, str, str]:
    """Return a sentence each: repeatable within a rater, reliable alike by all, equal in value."""
    return _repeatable(summaries), _consistent(universality), _stable(values)


def _repeatable(summaries: Sequence[GroupSummary]) -> str:
    whole = [s for s in summaries if s.group is None]
    raters = list(dict.fromkeys(s.rater for s in whole))
    parts = []
    for rater in raters:
        single, mean = (next(s for s in whole if s.rater == rater and s.part == part) for part in ("single", "mean"))
        n = sum(single.counts.values())
        high, sure, high_mean = (_high(c) for c in (single.counts, single.supported, mean.counts))
        sizes = f"{high} of {_dimensions(n)} {'is' if n == 1 else 'are'} at least excellent {SAYS['single']} ({sure} by"
        of_mean = f"{high_mean} of {sum(mean.counts.values())} {SAYS['mean']}"  # categories have no mean
        parts.append(f"{rater}: {sizes} the lower limit), {of_mean}, {single.counts['poor']} poor")
    return f"H1, repeatable within a rater. {'; '.join(parts)}."


def _consistent(universality: Sequence[Universality]) -> str:
    head = "H2, consistent across raters."
    if not universality:
        return f"{head} There is one rater, so it cannot be answered."
    sentences = []
    for found in universality:
        whole = found.groups[-1]
        alike = whole.counts[-1] if whole.counts else 0
        sentences.append(
            f"{SAYS[found.part].capitalize()}, {alike} of {_dimensions(whole.n)} with a class by every rater "
            f"{'is' if alike == 1 else 'are'} in one and the same class by all raters, and {whole.excellent} at least "
            f"excellent by all ({whole.supported} by the lower limits)."
        )
    return " ".join([head, *sentences])


def _stable(values: ValueAgreement) -> str:
    head = "H3, stable when the rater changes."
    if values.why_none:
        return f"{head} {values.why_none}"
    scope = "excellent by all raters" if values.scope == "excellent" else "compared"
    sentences = [f"Of {_dimensions(len(values.dimensions))} {scope}:"]
    for found in values.bands:
        best = NMAE_BANDS[0] if found.measure == "nmae" else KAPPA_BANDS[0]
        sentences.append(
            f"by {MEASURES[found.measure]} {found.in_all[0]} of {found.n_dimensions} {best} in all pairs of raters, "
            f"{sum(found.in_all)} in one band in all pairs;"
        )
    return f"{head} {' '.join(sentences).rstrip(';')}."


def find_findings(
    repeats: Sequence[Repeat], form: Form, dominant: float, *, once: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the sentences that change the reading of the tables, the weightiest first."""
    found = [
        *([f"Left out, as they rated no target twice: {', '.join(once)}."] if once else []),
        *_excluded(repeats, dominant),
        *_refused(repeats),
        *_missing(repeats),
        *_left_out(repeats),
        *_forms(repeats, form),
        *_exact(repeats),
        *_categories(repeats),
    ]
    return tuple(found)


def _excluded(repeats: Sequence[Repeat], dominant: float) -> list[str]:
    by_rater = Counter(r.rater for r in repeats if r.status == "excluded")
    if not by_rater:
        return []
    counts = ", ".join(f"{n} by {rater}" for rater, n in by_rater.items())
    return [f"Excluded, as one value takes at least {100 * dominant:g}% of the ratings: {counts}."]


def _refused(repeats: Sequence[Repeat]) -> list[str]:
    refused = [r for r in repeats if r.status == "refused"]
    reasons = Counter(r.reason for r in refused)
    return [
        f"No coefficient for {n} pair{'' if n == 1 else 's'} of dimension and rater: {reason}."
        for reason, n in reasons.most_common()
    ]


def _missing(repeats: Sequence[Repeat]) -> list[str]:
    sentences = []
    for rater in dict.fromkeys(r.rater for r in repeats):
        reasons: Counter[str] = Counter()
        for r in repeats:
            if r.rater == rater:
                reasons.update(r.missing)
        total = sum(reasons.values()) + sum(r.n_ratings for r in repeats if r.rater == rater)
        if reasons:
            said = ", ".join(f"{n:,} {reason}" for reason, n in reasons.most_common())
            sentences.append(f"{rater}: {sum(reasons.values()):,} of {total:,} ratings have no value ({said}).")
    return sentences


def _left_out(repeats: Sequence[Repeat]) -> list[str]:
    some = [r for r in repeats if r.left_out and r.status == "ok"]
    if not some:
        return []
    most = max(some, key=lambda r: len(r.left_out))
    worst = f"at most {len(most.left_out)} of {len(most.left_out) + most.n_targets} ({most.dimension} by {most.rater})"
    fitted = [r for r in some if isinstance(r.reml_single, Estimate)]
    gap = max((abs(_value(r.reml_single) - _consistency(r)) for r in fitted), default=0.0)
    beside = f" REML on all ratings stands beside {len(fitted)} of them, at most {gap:.3f} away." if fitted else ""
    pairs = f"{len(some)} of {len(repeats)} pairs of dimension and rater"
    return [f"In {pairs}, targets without all replicates were left out: {worst}.{beside}"]


def _consistency(r: Repeat) -> float:
    """Return the coefficient in the form of Shrout and Fleiss, which is REML's."""
    covers_shifts = isinstance(r.single, Estimate) and "two-way" in r.single.method
    return _value(r.single if covers_shifts else r.other_single)


def _value(coefficient: object) -> float:
    return coefficient.value if isinstance(coefficient, Estimate) else 0.0


def _forms(repeats: Sequence[Repeat], form: Form) -> list[str]:
    both = [
        (abs(r.single.value - r.other_single.value), r)
        for r in repeats
        if isinstance(r.single, Estimate) and isinstance(r.other_single, Estimate) and r.coefficient == "icc"
    ]
    if not both:
        return []
    largest, where = max(both, key=lambda pair: pair[0])
    apart = sum(gap >= APART for gap, _ in both)
    forms = ("the printed form (mean square within targets)", "that of Shrout and Fleiss (residual mean square)")
    first, second = forms if form == "printed" else forms[::-1]
    sentence = (
        f"ICC(3,1) is in {first}; {second} differs by at most {largest:.3f} ({where.dimension} by {where.rater}), by "
        f"{APART:g} or more in {apart} of {len(both)}. They part where whole replicates are shifted."
    )
    return [sentence]


def _exact(repeats: Sequence[Repeat]) -> list[str]:
    n = sum(r.exact for r in repeats)
    if not n:
        return []
    sentence = (
        f"In {n} pairs of dimension and rater every target got the same value in all replicates (1.0, exact); their "
        "lower limit says what further targets could bring it down to at the worst."
    )
    return [sentence]


def _categories(repeats: Sequence[Repeat]) -> list[str]:
    names = list(dict.fromkeys(r.dimension for r in repeats if r.coefficient == "alpha"))
    if not names:
        return []
    some = ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
    return [f"Categories without an order have no ICC; nominal alpha over replicates stands in its place: {some}."]


def _high(counts: Mapping[ReliabilityClass, int]) -> int:
    return sum(counts[name] for name in HIGH)


def _dimensions(n: int) -> str:
    return f"{n} dimension{'' if n == 1 else 's'}"
