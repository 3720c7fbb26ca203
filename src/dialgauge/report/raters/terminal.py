"""The table of raters for a terminal: those most worth a look first, 100 columns, in ASCII where it must be."""

from collections.abc import Sequence

from dialgauge.analyse.raters.findings import say_changes
from dialgauge.analyse.raters.parts import Severity
from dialgauge.analyse.raters.records import RaterQuality, RaterReport
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.numerals import DASH, decimal, percent
from dialgauge.report.raters.gaps import list_rater_gaps, say_who
from dialgauge.report.raters.numbers import say_seconds, say_severity, say_straight, say_value
from dialgauge.report.raters.rasch import add_rasch
from dialgauge.report.raters.words import describe_raters, say_k, say_rules
from dialgauge.report.text import ELLIPSIS, clean, shorten, shorten_all, typeset
from dialgauge.stats.estimate import Estimate

MOST_ROWS = 20
MOST_REASONS = 6
LONGEST_NAME, LONGEST_RULES = 18, 24
LOOK = "worth a look"


def render_raters(report: RaterReport, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return notes, table, findings, the reasons of the first raters and what could not be computed as text.

    At most 20 raters have a row. No line is wider than ``width`` (44 to 100; a narrow table leaves columns out and says
    so). ``styled`` adds the codes of terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    lines = Lines(width=width, ascii_only=ascii_only)
    for note in report.notes:
        lines.say(typeset(clean(note)), style="dim")
    if report.notes:
        lines.line()
    lines.say(describe_raters(report), style="bold")
    lines.line()
    _add_table(lines, report)
    lines.section("Findings", [typeset(clean(finding)) for finding in report.findings])
    _add_reasons(lines, report)
    gaps = [
        f"{say_who(gap)}, {gap.what}: {gap.reason}. What would help: {gap.remedy}." for gap in list_rater_gaps(report)
    ]
    lines.section("What could not be computed, why, and what would help", gaps)
    if report.rasch is not None:
        add_rasch(lines, report.rasch)
    return lines.to_text(styled=styled)


def _add_table(lines: Lines, report: RaterReport) -> None:
    shown, rest = report.raters[:MOST_ROWS], report.raters[MOST_ROWS:]
    flagged = [i for i, rater in enumerate(shown) if rater.flags]
    complete = lines.table(_columns(shown, report, lines.write(ELLIPSIS)), bold=flagged)
    if rest:
        look = sum(bool(rater.flags) for rater in rest)
        lines.say(f"and {len(rest):,} more, {look or 'none'} of them worth a look; CSV, JSON and page have all.")
    lines.line()
    lines.say(_legend(report), style="dim")
    if not complete:
        lines.say("Some columns do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")


def _columns(shown: Sequence[RaterQuality], report: RaterReport, ellipsis: str) -> list[Column]:
    severities = [say_severity(rater.severity) for rater in shown]
    widest = max(len(value) for value, _ in severities)
    names = shorten_all([clean(rater.name) for rater in shown], LONGEST_NAME, ellipsis)
    columns = [
        Column(("", "rater"), names, left=True),
        Column(("", "targets"), [f"{rater.n_targets:,}" for rater in shown], rank=6),
        Column(
            ("severity", f"[{report.level * 100:g}%]"),
            [f"{value:>{widest}} {interval}".rstrip() for value, interval in severities],
            left=True,
            rank=1,
        ),
        Column(("scatter", "× others"), [say_value(rater.consistency, ratio=True) for rater in shown], rank=2),
        Column(("agrees", "r"), [say_value(rater.agreement) for rater in shown], rank=3),
        Column(("one", "value"), [say_straight(rater.straight_lining) for rater in shown], rank=5),
        Column(("", "halo"), [say_value(rater.halo) for rater in shown], rank=7),
        Column(("median", "seconds"), [say_seconds(rater.speed) for rater in shown], rank=4),
        Column(("", LOOK), [shorten(say_rules(rater) or DASH, LONGEST_RULES, ellipsis) for rater in shown], left=True),
    ]
    return [
        column for column in columns if column.heads[1] in {"rater", LOOK} or any(cell != DASH for cell in column.cells)
    ]


def _legend(report: RaterReport) -> str:
    norms, raters = report.norms, report.raters
    usual = [
        *([] if norms.agreement is None else [f"r {decimal(norms.agreement, 2)}"]),
        *([] if norms.straight is None else [f"one value for {percent(norms.straight)}% of the targets"]),
        *([] if norms.halo is None else [f"halo {decimal(norms.halo, 2)}"]),
        *([] if norms.seconds is None else [f"{norms.seconds:,.0f} seconds"]),
    ]
    columns = {
        "scatter: residual variance over that of the other raters": any(
            isinstance(rater.consistency, Estimate) for rater in raters
        ),
        "r: correlation with the others’ means": any(isinstance(rater.agreement, Estimate) for rater in raters),
        "one value: targets with one value for all dimensions": norms.straight is not None,
    }
    shown = []
    if any(isinstance(rater.severity, Severity) for rater in raters):
        shown.append(f"Severity in {norms.unit}: below 0 stricter than the mean of these raters, above 0 more lenient.")
    if any(columns.values()):
        words = "; ".join(words for words, holds in columns.items() if holds)
        shown.append(f"{words[0].upper()}{words[1:]}.")
    if usual:
        shown.append(f"Usual here: {', '.join(usual)}.")
    if report.flagged and report.k:
        shown.append(f"Rel(k): reliability of the mean of {say_k(report)} raters.")
    return " ".join(shown)


def _add_reasons(lines: Lines, report: RaterReport) -> None:
    sentences = []
    for rater in report.flagged[:MOST_REASONS]:
        reasons = "; ".join(typeset(clean(flag.reason)) for flag in rater.flags)
        without = f" Without: {clean(say_changes(rater.without))}." if rater.without else ""
        sentences.append(f"{clean(rater.name)}: {reasons}.{without}")
    left = len(report.flagged) - len(sentences)
    if left > 0:
        sentences.append(f"{left} more; the page, CSV and JSON have their reasons.")
    lines.section("Why these raters, and what leaving one out would change", sentences)
