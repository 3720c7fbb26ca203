"""The sentences about agreement that are made of the numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dialgauge.analyse.agreement import Agreement, RaterScope
from dialgauge.analyse.bands import KRIPPENDORFF
from dialgauge.report.agreement.words import WEIGHTS, estimate_of, title_of
from dialgauge.report.grouping import Finding, group_findings
from dialgauge.report.numerals import decimal, plural
from dialgauge.report.text import clean, typeset
from dialgauge.report.words import say_kind
from dialgauge.stats.estimate import Refusal

SCOPES: Mapping[RaterScope, str] = {
    "random": "new targets and new raters",
    "these": "new targets rated by these raters",
}


@dataclass(frozen=True, slots=True)
class AgreementGap:
    """What could not be computed (nothing named: whole dimensions), of which dimensions, why, and what would help."""

    what: tuple[str, ...]
    dimensions: tuple[str, ...]
    reason: str
    remedy: str


def say_ratings(analysis: Agreement) -> str:
    """Return the number of ratings of a dimension, such as ``1,053``, or ``297 to 302`` where dimensions differ."""
    designs = [*(d.design for d in analysis.dimensions), *(d.design for d in analysis.refused)] or [analysis.design]
    low, high = (f"{end(design.n_ratings for design in designs):,}" for end in (min, max))
    return low if low == high else f"{low} to {high}"


def describe_agreement(analysis: Agreement) -> str:
    """Say in one line who rated what, on which scale."""
    design = analysis.design
    parts = [
        f"{plural(design.n_targets, 'target')} × {plural(design.n_raters, 'rater')}",
        f"{say_ratings(analysis)} ratings per dimension",
        say_kind(design),
        f"scale {analysis.scale}",
    ]
    return clean(", ".join(parts))


def say_weights(analysis: Agreement) -> str:
    """Say how near misses count."""
    return " or ".join(dict.fromkeys(WEIGHTS[d.weights] for d in analysis.dimensions)) or WEIGHTS["identity"]


def conclude_agreement(analysis: Agreement) -> str:
    """Say in two sentences how closely raters agree."""
    alphas = {d.name: a for d in analysis.dimensions if (a := estimate_of(d.get("alpha"))) is not None}
    shares = [p.value for d in analysis.dimensions if (p := estimate_of(d.get("percent_agreement"))) is not None]
    if not alphas and not shares:
        return "No coefficient could be computed; the reasons are given below."
    first = ""
    if shares:
        low, high = decimal(min(shares), 2), decimal(max(shares), 2)
        first = (
            f"Two raters of a target give the same value in {low if low == high else f'{low} to {high}'} of the cases."
        )
    if not alphas:
        return f"{first} Whether that is more than chance would give cannot be told."
    firm, tentative = (limit for limit, _ in KRIPPENDORFF[:2])
    if len(alphas) == 1:
        ((_, only),) = alphas.items()
        word = next(word for limit, word in KRIPPENDORFF if only.value >= limit)
        return f"{first} Alpha is {decimal(only.value)}: {word} after Krippendorff.".strip()
    best = max(alphas, key=lambda name: alphas[name].value)
    highest = f"the highest is {decimal(alphas[best].value)} ({clean(best)})"
    if alphas[best].value < tentative:
        return f"{first} Alpha stays below {decimal(tentative)} on all {len(alphas)} dimensions; {highest}.".strip()
    counted = [sum(a.value >= limit for a in alphas.values()) for limit in (firm, tentative)]
    whole = sum(a.low is not None and a.low >= tentative for a in alphas.values())
    return (
        f"{first} Alpha is at least {decimal(firm)} on {counted[0]} and at least {decimal(tentative)} on {counted[1]} "
        f"of {len(alphas)} dimensions (with the whole interval on {whole}); {highest}."
    ).strip()


def group_agreement_findings(analysis: Agreement) -> list[Finding]:
    """Return the findings in their order; what holds for several dimensions with other numbers stands together."""
    found = group_findings(analysis)
    return [replace(one, sentence=print_sentence(one.sentence)) for one in found]


def scope_of(analysis: Agreement) -> RaterScope:
    """Return for whom the intervals hold: two raters tell nothing about others, whatever was asked for."""
    most = max((d.design.n_raters for d in analysis.dimensions), default=0)
    return "these" if most <= 2 else analysis.raters


def print_sentence(sentence: str) -> str:
    """Write apostrophes and minus signs as printers do."""
    return typeset(clean(sentence)).replace("Fleiss' ", "Fleiss’ ")


def list_agreement_gaps(analysis: Agreement) -> list[AgreementGap]:
    """Return what could not be computed: whole dimensions first, then coefficients, like reasons together."""
    found: dict[tuple[str, str, bool], tuple[dict[str, None], dict[str, None]]] = {}
    for refused in analysis.refused:
        found.setdefault((refused.reason, refused.remedy, True), ({}, {}))[1][refused.name] = None
    for d in analysis.dimensions:
        for c in d.coefficients:
            if isinstance(c.result, Refusal):
                titles, names = found.setdefault((c.result.reason, c.result.remedy, False), ({}, {}))
                titles[title_of(d, c)] = None
                names[d.name] = None
    return [
        AgreementGap(tuple(titles), tuple(map(clean, names)), print_sentence(reason), print_sentence(remedy))
        for (reason, remedy, _), (titles, names) in found.items()
    ]
