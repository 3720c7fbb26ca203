"""One HTML page on agreement that stands alone: verdict, table, figures, details, methods, how ratings were read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from dialgauge.analyse.agreement import Agreement, AgreementCoefficient, DimensionAgreement
from dialgauge.report.agreement.charts import colours_of, draw_agreement_figures
from dialgauge.report.agreement.sentences import (
    SCOPES,
    conclude_agreement,
    group_agreement_findings,
    list_agreement_gaps,
    print_sentence,
    say_ratings,
    say_weights,
    scope_of,
)
from dialgauge.report.agreement.words import (
    CHANCE,
    WEIGHTS,
    estimate_of,
    main_ac,
    say_tests,
    short_band,
    title_of,
    title_of_ac,
    title_of_metrics,
)
from dialgauge.report.numerals import DASH, decimal
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source, typeset
from dialgauge.report.theme import say_undrawn
from dialgauge.report.words import FLAGS, say_kind

BAR_WIDTH, BAR_HEIGHT = 80, 12

_DF = re.compile(r"\bwith [\d.]+ df\b")
"""The part of a method that differs from dimension to dimension."""


@dataclass(frozen=True, slots=True)
class CoefficientCell:
    """A coefficient as it stands in a table: the value, its interval or why there is none, its parts."""

    title: str
    value: str
    interval: str
    observed: str
    expected: str
    chance: str
    band: str
    method: str
    covers: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """A dimension as it stands in the table and in its details; all texts are ready to print."""

    name: str
    bar: Markup
    cells: dict[str, CoefficientCell]
    all_cells: tuple[CoefficientCell, ...]
    counts: str
    weights: str
    marginals: tuple[tuple[str, str], ...]
    rater_marginals: tuple[tuple[str, tuple[int, ...]], ...]
    tests: tuple[str, ...]
    flags: tuple[str, ...]
    findings: tuple[str, ...]


def render_agreement_page(analysis: Agreement, *, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source.

    It asks nothing of the network; all names and notes in it are escaped.
    """
    return load_template("agreement/page.html.j2").render(
        verdict=conclude_agreement(analysis),
        title=name_source(analysis.source, title=title),
        source=clean(analysis.source) or "not named",
        level=f"{analysis.level * 100:g}",
        scope=SCOPES[scope_of(analysis)],
        scope_name=scope_of(analysis),
        weights=say_weights(analysis),
        weighted=any(d.weights != "identity" for d in analysis.dimensions),
        metrics=title_of_metrics(analysis),
        ac=title_of_ac(analysis),
        facts=_facts(analysis),
        findings=group_agreement_findings(analysis),
        rows=[_row(d) for d in analysis.dimensions],
        undrawn=say_undrawn(len(analysis.dimensions)),
        figures=[(figure, Markup(figure.svg)) for figure in draw_agreement_figures(analysis)],  # noqa: S704 (Vega escapes its texts)
        gaps=list_agreement_gaps(analysis),
        methods=_methods(analysis.dimensions),
        notes=[clean(note) for note in analysis.notes],
        versions=analysis.versions,
    )


def _facts(analysis: Agreement) -> list[tuple[str, str]]:
    design = analysis.design
    spread = f"{design.k_min} to {design.k_max}" if design.k_min != design.k_max else f"{design.k_min} each"
    return [
        ("targets", f"{design.n_targets:,}"),
        ("raters", f"{design.n_raters:,}"),
        ("ratings per dimension", say_ratings(analysis)),
        ("raters per target", spread),
        ("design", say_kind(design)),
        ("scale", clean(analysis.scale)),
        ("intervals for", SCOPES[scope_of(analysis)]),
    ]


def _row(d: DimensionAgreement) -> AgreementRow:
    main = {
        "same": d.get("percent_agreement"),
        "near": d.get("percent_weighted"),
        "alpha": d.get("alpha"),
        "fleiss": d.get("fleiss_kappa"),
        "conger": d.get("conger_kappa"),
        "brennan": d.get("brennan_prediger"),
        "ac": main_ac(d),
    }
    total = max(sum(count for _, count in d.marginals), 1)
    return AgreementRow(
        name=clean(d.name),
        bar=_bar(d),
        cells={key: _cell(d, c) for key, c in main.items()},
        all_cells=tuple(_cell(d, c) for c in d.coefficients),
        counts=f"{d.design.n_ratings:,} ratings of {d.design.n_targets:,} targets by {d.design.n_raters:,} raters, "
        f"{d.n_missing:,} missing; scale {clean(d.scale)}",
        weights=WEIGHTS[d.weights],
        marginals=tuple((clean(label), f"{count:,} ({count / total:.0%})") for label, count in d.marginals),
        rater_marginals=tuple((clean(name), counts) for name, counts in d.rater_marginals),
        tests=tuple(say_tests(d)),
        flags=tuple(FLAGS.get(flag, flag) for flag in d.flags),
        findings=tuple(map(print_sentence, d.findings)),
    )


def _cell(d: DimensionAgreement, c: AgreementCoefficient | None) -> CoefficientCell:
    found = estimate_of(c)
    if c is None or found is None:
        reason = clean(c.result.reason) if c is not None and not found and hasattr(c.result, "reason") else ""
        title = title_of(d, c) if c is not None else ""
        return CoefficientCell(title, DASH, reason, "", "", "", "", "", "")
    low, high = found.low, found.high
    return CoefficientCell(
        title=title_of(d, c),
        value=decimal(found.value),
        interval=f"[{decimal(low)}, {decimal(high)}]" if low is not None and high is not None else "no interval",
        observed="" if c.observed is None else decimal(c.observed),
        expected="" if c.expected is None else decimal(c.expected),
        chance=CHANCE.get(c.name, ""),
        band=short_band(c),
        method=typeset(clean(found.method).partition("; ")[2]),
        covers=clean(found.covers),
        flags=tuple(FLAGS[flag] for flag in found.flags),
    )


def _bar(d: DimensionAgreement) -> Markup:
    """Draw the marginals as a small stacked bar; its label says the counts."""
    total = sum(count for _, count in d.marginals)
    if not total:
        return Markup("")
    parts, x = [], 0.0
    for colour, (_, count) in zip(colours_of(d), d.marginals, strict=True):
        width = BAR_WIDTH * count / total
        parts.append(f'<rect x="{x:.2f}" width="{width:.2f}" height="{BAR_HEIGHT}" fill="{colour}"/>')
        x += width
    words = escape(", ".join(f"{clean(label)}: {count:,}" for label, count in d.marginals))
    shape = f'width="{BAR_WIDTH}" height="{BAR_HEIGHT}" viewBox="0 0 {BAR_WIDTH} {BAR_HEIGHT}"'
    label = f'role="img" aria-label="{words}"'
    return Markup(f'<svg class="marginals" {shape} {label}><title>{words}</title>{"".join(parts)}</svg>')  # noqa: S704 (escaped above)


def _methods(dimensions: Iterable[DimensionAgreement]) -> list[tuple[str, str, str]]:
    """Return each way in which value and interval of a coefficient were made, once: title, method, what it covers."""
    found: dict[tuple[str, str, str], None] = {}
    for d in dimensions:
        for c in d.coefficients:
            estimate = estimate_of(c)
            if estimate is not None:
                method = _DF.sub(
                    "with degrees of freedom of its own", typeset(clean(estimate.method).partition("; ")[2])
                )
                found[title_of(d, c), method, clean(estimate.covers)] = None
    return list(found)
