"""The table of agreement for a terminal: 100 columns, readable without colour, in ASCII where it must be."""

from collections.abc import Sequence

from dialgauge.analyse.agreement import Agreement, AgreementCoefficient, DimensionAgreement
from dialgauge.report.agreement.sentences import (
    SCOPES,
    describe_agreement,
    group_agreement_findings,
    list_agreement_gaps,
    say_weights,
)
from dialgauge.report.agreement.words import (
    SHORT_CHANCE,
    WEIGHTS,
    estimate_of,
    main_ac,
    say_tests,
    short_band,
    title_of,
    title_of_ac,
    title_of_metrics,
)
from dialgauge.report.grouping import say_finding
from dialgauge.report.lines import GAP, WIDTH, Column, Lines, drop_to_fit, total_width
from dialgauge.report.numerals import DASH, decimal
from dialgauge.report.text import ELLIPSIS, clean, join, shorten_all

SHORTEST_NAME = 14
MOST_NAMES = 4
MOST_IN_DETAIL = 3
"""Up to so many dimensions have a table of all their coefficients."""


def render_agreement(analysis: Agreement, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return notes, table, details of few dimensions, findings and what could not be computed as text.

    No line is wider than ``width`` (44 to 100; a narrow table leaves columns out and says so). ``styled`` adds the
    codes of terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=width, ascii_only=ascii_only)
    for note in analysis.notes:
        writer.say(clean(note), style="dim")
    if analysis.notes:
        writer.line()
    writer.say(describe_agreement(analysis), style="bold")
    writer.line()
    if analysis.dimensions:
        writer.add_table(analysis)
    if len(analysis.dimensions) <= MOST_IN_DETAIL:
        for d in analysis.dimensions:
            writer.add_detail(d, analysis.level)
    found, names = group_agreement_findings(analysis), [clean(d.name) for d in analysis.dimensions]
    writer.section("Findings", [say_finding(finding, names, MOST_NAMES) for finding in found])
    writer.add_gaps(analysis)
    return writer.to_text(styled=styled)


class _Writer(Lines):
    """Writes the parts of an analysis."""

    def add_table(self, analysis: Agreement) -> None:
        columns = [self.translate(column) for column in _columns(analysis)]
        kept = drop_to_fit(columns, self.width - SHORTEST_NAME - len(GAP))
        room = self.width - total_width(kept) - len(GAP)
        names = shorten_all([self.write(clean(d.name)) for d in analysis.dimensions], room, self.write(ELLIPSIS))
        self.table([Column(("", "dimension"), names, left=True), *kept])
        self.line()
        self.say(_legend(analysis), style="dim")
        if len(kept) < len(columns):
            self.say("Some columns do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")

    def add_detail(self, d: DimensionAgreement, level: float) -> None:
        counts = ", ".join(f"{clean(label)}: {count:,}" for label, count in d.marginals)
        self.line()
        self.say(f"{clean(d.name)}: {WEIGHTS[d.weights]}" + (f"; ratings {counts}" if counts else ""), style="bold")
        cells = list(d.coefficients)
        self.table(
            [
                Column(("", "coefficient"), [title_of(d, c, short=True) for c in cells], left=True),
                Column(("", f"value [{level * 100:g}%]"), say_intervals(cells), left=True),
                Column(("", "observed"), [_part(c.observed) for c in cells], rank=3),
                Column(("", "by chance"), [_part(c.expected) for c in cells], rank=2),
                Column(("what", "chance does"), [SHORT_CHANCE.get(c.name, "") for c in cells], left=True, rank=4),
                Column(("", "word"), [short_band(c) for c in cells], left=True, rank=5),
            ]
        )
        for test in say_tests(d):
            self.say(f"Test {test}.", style="dim")

    def add_gaps(self, analysis: Agreement) -> None:
        sentences = []
        for gap in list_agreement_gaps(analysis):
            what = f", {join(gap.what)}" if gap.what else ""
            sentences.append(f"{_some(gap.dimensions)}{what}: {gap.reason}. What would help: {gap.remedy}.")
        self.section("What could not be computed, why, and what would help", sentences)


def say_intervals(coefficients: Sequence[AgreementCoefficient | None]) -> list[str]:
    """Write value and interval of each coefficient, decimal points below each other."""
    found = [estimate_of(c) for c in coefficients]
    values = [decimal(e.value) if e else DASH for e in found]
    ends = [tuple(decimal(x) if x is not None else DASH for x in (e.low, e.high)) if e else ("", "") for e in found]
    first, low, high = (max(map(len, texts), default=0) for texts in (values, *zip(*ends, strict=True)))
    return [
        f"{value:>{first}} [{a:>{low}}, {b:>{high}}]" if a else value.rjust(first)
        for value, (a, b) in zip(values, ends, strict=True)
    ]


def _columns(analysis: Agreement) -> list[Column]:
    """Return the columns to the right of the names."""
    rows, level = analysis.dimensions, f"[{analysis.level * 100:g}%]"
    alphas, acs = [d.get("alpha") for d in rows], [main_ac(d) for d in rows]
    columns = [Column(("same", "value"), [_value(d.get("percent_agreement")) for d in rows], rank=3)]
    if any(d.get("percent_weighted") for d in rows):
        columns.append(Column(("near", "too"), [_value(d.get("percent_weighted")) for d in rows], rank=4))
    return [
        *columns,
        Column(("alpha", f"{title_of_metrics(analysis)} {level}"), say_intervals(alphas), left=True),
        Column(("", "Fleiss"), [_value(d.get("fleiss_kappa")) for d in rows], rank=2),
        Column(("", "B-P"), [_value(d.get("brennan_prediger")) for d in rows], rank=5),
        Column(("Gwet", f"{title_of_ac(analysis)} {level}"), say_intervals(acs), left=True, rank=1),
        Column(("word for", "alpha"), [short_band(c) or DASH for c in alphas], left=True),
    ]


def _value(coefficient: AgreementCoefficient | None) -> str:
    found = estimate_of(coefficient)
    return DASH if found is None else decimal(found.value)


def _part(share: float | None) -> str:
    return "" if share is None else decimal(share)


def _legend(analysis: Agreement) -> str:
    covers = list(
        dict.fromkeys(e.covers for d in analysis.dimensions if (e := estimate_of(d.get("alpha"))) is not None)
    )
    sources = f", covering the sampling of {join(covers, 'or')}" if covers else f", for {SCOPES[analysis.raters]}"
    weighted = any(d.weights != "identity" for d in analysis.dimensions)
    pairs = "Same value, near too: shares" if weighted else "Same value: share"
    near = f"Near too, Fleiss, B-P and AC2 count near misses by {say_weights(analysis)}. " if weighted else ""
    return (
        f"In brackets: {analysis.level * 100:g}% interval{sources}. {pairs} of the pairs of ratings of a target. "
        f"Fleiss: his kappa; B-P: that of Brennan and Prediger. {near}Word: after Krippendorff, tentative from .667, "
        "reliable from .800."
    )


def _some(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMES:
        return join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
