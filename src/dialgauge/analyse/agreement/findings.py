"""Plain sentences for what changes a conclusion about agreement: of one dimension, and of all of them together."""

from collections.abc import Mapping, Sequence

import numpy as np

from dialgauge.analyse.agreement.case import Case
from dialgauge.analyse.agreement.records import AgreementCoefficient, CoefficientName, DimensionAgreement, RaterScope
from dialgauge.analyse.bands import KRIPPENDORFF
from dialgauge.analyse.dominance import find_dominant, say_dominant
from dialgauge.analyse.width import say_wide
from dialgauge.stats.agreement.chance import brennan_prediger, gwet_ac
from dialgauge.stats.agreement.counts import tabulate
from dialgauge.stats.agreement.weights import rating_weights
from dialgauge.stats.design import FEW_RATERS
from dialgauge.stats.estimate import Estimate

SKEWED = 0.80
"""Share of the most frequent category from which kappa-type coefficients hang on few ratings."""

APART = 0.10
"""Difference of coefficients on the same data that needs an explanation."""

OWN_MARGINALS = 0.03
"""Difference of Conger's and Fleiss' kappa that tells of raters with distributions of their own."""

SURE = 0.05
MOST_NAMES = 4

WORDS: dict[CoefficientName, str] = {
    "fleiss_kappa": "Fleiss' kappa",
    "brennan_prediger": "Brennan-Prediger",
    "gwet_ac1": "AC1",
    "gwet_ac2": "AC2",
}


def findings_of(d: DimensionAgreement, case: Case) -> tuple[str, ...]:
    """Return the sentences that change the reading of one dimension."""
    found = [
        *_constant(d),
        *_skewed(d),
        *_unused(d, case),
        *_below_chance(d),
        *_wide(d),
        *_dominant(d, case),
        *_own_marginals(d, case),
        *_two_raters(d),
        *_replicates(d, case),
    ]
    if d.n_missing:
        verb = "is missing and was" if d.n_missing == 1 else "are missing and were"
        found.append(f"{d.n_missing} of {d.n_missing + d.design.n_ratings} ratings {verb} left out.")
    return tuple(found)


def findings_across(dimensions: Sequence[DimensionAgreement], raters: RaterScope) -> tuple[str, ...]:
    """Return the sentences that hold for the whole table, the weightiest first."""
    if not dimensions:
        return ()
    return (
        *_few_raters(dimensions, raters),
        *_trust(dimensions),
        *_why_they_differ(dimensions),
        *_these_raters(dimensions, raters),
    )


def number(value: float) -> str:
    """Write a coefficient with three decimals and no leading zero."""
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1.0 else text


def say_p(p: float) -> str:
    """Write a p-value as journals do."""
    return f"p = {number(p)}" if p >= 0.001 else "p < .001"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES} more"


def _mode(d: DimensionAgreement) -> tuple[str, float]:
    """Return the most frequent category and its share of the ratings."""
    label, count = max(d.marginals, key=lambda pair: pair[1])
    return label, count / max(sum(count for _, count in d.marginals), 1)


def _constant(d: DimensionAgreement) -> list[str]:
    used = [label for label, count in d.marginals if count]
    if len(used) != 1:
        return []
    sentence = (
        f"All {d.design.n_ratings} ratings are “{used[0]}”: raters agree, but nothing shows that they would tell "
        "targets apart, so every coefficient that is corrected for chance is undefined."
    )
    return [sentence]


def _skewed(d: DimensionAgreement) -> list[str]:
    label, share = _mode(d) if d.marginals else ("", 0.0)
    fleiss = d.get("fleiss_kappa")
    if share < SKEWED or fleiss is None or fleiss.expected is None:
        return []
    steps = 1.0 / (1.0 - fleiss.expected)
    sentence = (
        f"{share:.0%} of the ratings are “{label}”: chance alone gives an agreement of {number(fleiss.expected)}, so "
        f"one percentage point of observed agreement moves Fleiss' kappa by {steps:.1f} points. Kappa and alpha "
        "hang on few ratings here: read percent agreement and AC beside them, or rate targets that differ more."
    )
    return [sentence]


def _unused(d: DimensionAgreement, case: Case) -> list[str]:
    unused = [label for label, count in d.marginals if not count]
    used = np.flatnonzero([count for _, count in d.marginals])
    if not unused or len(used) < 2 or d.value("brennan_prediger") is None:
        return []
    ac: CoefficientName = "gwet_ac1" if d.weights == "identity" else "gwet_ac2"
    counts = case.count()
    codes = np.searchsorted(used, counts.category)
    fewer = tabulate(counts.target, codes, n_categories=len(used), rater_codes=counts.rater)
    weights = rating_weights(d.weights, case.points[used])
    found = {"brennan_prediger": brennan_prediger(fewer, weights).value, ac: gwet_ac(fewer, weights).value}
    told = " and ".join(
        f"{WORDS[name]} {number(value)} instead of {number(d.value(name) or 0.0)}"
        for name in WORDS
        if (value := found.get(name)) is not None
    )
    sentence = (
        f"Never used: {_some(unused)}. Brennan-Prediger and AC count declared points as chances to miss, used or not; "
        f"on a scale without them they would be {told}. Alpha does not depend on them."
    )
    return [sentence]


def _wide(d: DimensionAgreement) -> list[str]:
    alpha = d.get("alpha")
    return say_wide(alpha.result, "alpha") if alpha is not None and isinstance(alpha.result, Estimate) else []


def _below_chance(d: DimensionAgreement) -> list[str]:
    alpha = d.get("alpha")
    if alpha is None or not isinstance(alpha.result, Estimate) or alpha.result.value >= 0.0:
        return []
    high = alpha.result.high
    if high is not None and high >= 0.0:
        how = "as much as ratings of different targets do, within sampling error"
    else:
        how = "more than ratings of different targets do: look for a turned scale or mixed-up targets"
    return [f"Alpha is below zero ({number(alpha.result.value)}): ratings of one target differ {how}."]


def _dominant(d: DimensionAgreement, case: Case) -> list[str]:
    alpha = d.value("alpha")
    return [] if alpha is None else say_dominant(case.block, case.values, metric=case.metric, alpha=alpha)


def _own_marginals(d: DimensionAgreement, case: Case) -> list[str]:
    """Say that raters use the scale differently, unless a few targets weigh more in one kappa than in the other."""
    fleiss, conger = d.value("fleiss_kappa"), d.value("conger_kappa")
    if fleiss is None or conger is None or conger - fleiss < OWN_MARGINALS or len(find_dominant(case.block)):
        return []
    sentence = (
        f"Conger's kappa {number(conger)} is above Fleiss' {number(fleiss)}: raters use the scale differently, and "
        "Conger's does not count that as agreement lost to chance."
    )
    return [sentence]


def _two_raters(d: DimensionAgreement) -> list[str]:
    test = d.homogeneity
    if test is None or test.p >= SURE or len(d.rater_marginals) != 2:
        return []
    (first, a), (second, b) = d.rater_marginals
    worst = int(np.argmax(np.abs(np.array(a) / sum(a) - np.array(b) / sum(b))))
    sentence = (
        f"{first} and {second} do not use the points equally often (Stuart-Maxwell chi2 = {test.chi2:.2f}, {test.df} "
        f"df, {say_p(test.p)}): {first} gives “{d.marginals[worst][0]}” {a[worst]} times, {second} {b[worst]} times."
    )
    return [sentence]


def _replicates(d: DimensionAgreement, case: Case) -> list[str]:
    if d.design.replicates_max < 2:
        return []
    cells = np.unique(case.block.target * d.design.n_raters + case.block.rater, return_counts=True)[1]
    per_target = np.bincount(case.block.target)
    own = float(np.sum(cells * (cells - 1)) / max(np.sum(per_target * (per_target - 1)), 1))
    sentence = (
        f"{own:.0%} of the compared pairs are two ratings by one rater: that is agreement with oneself, and it counts "
        "in all coefficients. To compare raters only, keep one rating of each."
    )
    return [sentence]


def _why_they_differ(dimensions: Sequence[DimensionAgreement]) -> list[str]:
    """Name the expected agreement of each coefficient, for the dimension where they are furthest apart."""
    n_apart = sum(_spread(d) >= APART for d in dimensions)
    if not n_apart:
        return []
    d = max(dimensions, key=_spread)
    shown = _explained(d)
    words = [f"{WORDS[c.name]} {number(c.value or 0.0)} (by chance {number(c.expected or 0.0)})" for c in shown]
    label, share = _mode(d)
    where, of = (f"on {n_apart} of {len(dimensions)} dimensions", f" of {d.name}") if len(dimensions) > 1 else ("", "")
    kind = "" if d.weights == "identity" else f", near misses counted by {d.weights} weights,"
    sentence = (
        f"Coefficients of the same ratings differ by .10 or more {where}".rstrip()
        + f". The observed agreement{of}, {number(shown[0].observed or 0.0)}{kind} gives {', '.join(words[:-1])} and "
        f"{words[-1]}: they differ in what chance would do. For Fleiss' kappa and alpha it draws from the ratings "
        f"({share:.0%} are “{label}”), so they ask whether raters tell these targets apart; for Brennan-Prediger "
        "chance picks every declared point alike; for AC raters guess on hard targets only. None is the true one: say "
        "which question is yours."
    )
    return [sentence]


def _explained(d: DimensionAgreement) -> list[AgreementCoefficient]:
    ac: CoefficientName = "gwet_ac1" if d.weights == "identity" else "gwet_ac2"
    found = [d.get(name) for name in ("fleiss_kappa", "brennan_prediger", ac)]
    return [c for c in found if c is not None and c.value is not None]


def _spread(d: DimensionAgreement) -> float:
    values = [c.value for c in _explained(d) if c.value is not None]
    return max(values) - min(values) if len(values) == 3 else 0.0


def _few_raters(dimensions: Sequence[DimensionAgreement], raters: RaterScope) -> list[str]:
    few = [d.design.n_raters for d in dimensions if d.design.n_raters < FEW_RATERS]
    if not few or raters == "these":
        return []
    if min(few) == 2:
        return ["Two raters say nothing about other raters: the intervals are for new targets rated by these two."]
    sentence = (
        f"With {min(few)} raters it is hardly known how closely others would agree: the intervals are wide, and with "
        "three raters those of percent agreement, Brennan-Prediger and AC still hold the true value too seldom (78 to "
        "96 instead of 95 % of the time in simulations). For new targets rated by these raters, ask for raters = these."
    )
    return [sentence]


def _trust(dimensions: Sequence[DimensionAgreement]) -> list[str]:
    """How many dimensions reach Krippendorff's limits, and on how many the whole interval does."""
    known = [c.result for d in dimensions if (c := d.get("alpha")) is not None and isinstance(c.result, Estimate)]
    n = len(known)
    if not n:
        return []
    limits = dict(zip(("conclusions", "tentative conclusions"), (limit for limit, _ in KRIPPENDORFF), strict=False))
    if all(a.value < limits["tentative conclusions"] for a in known):
        where = f" on all {n} dimensions" if n > 1 else ""
        lowest = number(limits["tentative conclusions"])
        return [f"Alpha is below {lowest}{where}, where Krippendorff lets tentative conclusions begin."]
    if n == 1:
        return [_reached(known[0], limits)]
    told = [
        f"{number(limit)} (for {what}) on {sum(a.value >= limit for a in known)} of {n} (with the whole interval "
        f"on {sum(a.low is not None and a.low >= limit for a in known)})"
        for what, limit in limits.items()
    ]
    return [f"Alpha reaches Krippendorff's limits: {'; '.join(told)}."]


def _reached(alpha: Estimate, limits: Mapping[str, float]) -> str:
    what, limit = next((what, limit) for what, limit in limits.items() if alpha.value >= limit)
    if alpha.low is None:
        beyond = "without an interval"
    elif alpha.low >= limit:
        beyond = "and so does its whole interval"
    else:
        beyond = f"but its interval goes down to {number(alpha.low)}"
    return f"Alpha {number(alpha.value)} reaches {number(limit)}, Krippendorff's limit for {what}, {beyond}."


def _these_raters(dimensions: Sequence[DimensionAgreement], raters: RaterScope) -> list[str]:
    """Name the dimensions with intervals for these raters although new ones were asked for."""
    if raters == "these":
        return []
    apart = [d.name for d in dimensions if d.design.n_raters > 2 and any(_fell_back(c) for c in d.coefficients)]
    if not apart:
        return []
    sentence = (
        f"For {_some(apart)} some intervals hold for these raters only, as their methods say: leaving out one target "
        "or rater leaves nothing that disagrees, or nothing to compare."
    )
    return [sentence]


def _fell_back(c: AgreementCoefficient) -> bool:
    return isinstance(c.result, Estimate) and "no two-way jackknife" in c.result.method
