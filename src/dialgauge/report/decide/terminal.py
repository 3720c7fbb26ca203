"""The table of verdicts for a terminal: a row per dimension, a column per use, the reasons below."""

from collections.abc import Sequence

from dialgauge.decide.decisions import Decision, Decisions
from dialgauge.decide.judge import Verdict
from dialgauge.report.decide.words import (
    LEGEND,
    conclude_decisions,
    describe_decisions,
    say_gates,
    say_rater,
    say_reasons,
    say_verdict,
)
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.numerals import DASH
from dialgauge.report.text import ELLIPSIS, clean, shorten_all, typeset

LONGEST_NAME = 24
MOST_ROWS = 40
MOST_REASONS = 12
MOST_GATES = 8

_ORDER: Sequence[Verdict] = ("collect n more", "average k raters", "do not use", "trust")


def render_decisions(
    decisions: Decisions, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False
) -> str:
    """Return notes, the table, gates, reasons and findings as text.

    At most 40 rows and 12 reasons are shown: page, CSV and JSON have all. No line is wider than ``width`` (44 to 100; a
    narrow table leaves uses out and says so). ``styled`` adds the codes of terminals for bold and dim; ``ascii_only``
    writes all signs and names in ASCII.
    """
    lines = Lines(width=width, ascii_only=ascii_only)
    for note in decisions.notes:
        lines.say(typeset(clean(note)), style="dim")
    if decisions.notes:
        lines.line()
    lines.say(describe_decisions(decisions), style="bold")
    lines.line()
    _add_table(lines, decisions)
    lines.section("Gates", say_gates(decisions, MOST_GATES))
    _add_reasons(lines, decisions)
    lines.section("Findings", [conclude_decisions(decisions), *(typeset(clean(f)) for f in decisions.findings)])
    return lines.to_text(styled=styled)


def _add_table(lines: Lines, decisions: Decisions) -> None:
    rows = decisions.rows()
    shown = rows[:MOST_ROWS]
    cells = {(d.dimension, d.rater, d.use): say_verdict(d, short=True) for d in decisions.decisions}
    several = any(rater for _, rater in rows)
    room = lines.width // 5 if several else min(LONGEST_NAME, lines.width // 4)
    names = shorten_all([clean(dimension) for dimension, _ in shown], room, lines.write(ELLIPSIS))
    columns = [Column(("", "dimension"[:room]), names, left=True)]
    if several:
        raters = shorten_all([say_rater(rater) for _, rater in shown], lines.width // 7, lines.write(ELLIPSIS))
        columns.append(Column(("", "rater"), raters, left=True))
    columns += [
        Column(("", clean(use.name)), [cells.get((*row, use.name), DASH) for row in shown], left=True, rank=rank)
        for rank, use in enumerate(decisions.uses)
    ]
    complete = lines.table(columns)
    lines.say(LEGEND, style="dim")
    if len(rows) > len(shown):
        lines.say(f"and {len(rows) - len(shown):,} more rows; page, CSV and JSON have all.", style="dim")
    if not complete:
        lines.say("Some uses do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")


def _add_reasons(lines: Lines, decisions: Decisions) -> None:
    """Show each reason once: what collecting or averaging would do first, what is trusted last."""
    whole = sorted(decisions.decisions, key=lambda d: (_ORDER.index(d.verdict), d.undecided))
    said: dict[str, list[Decision]] = {}
    for decision in whole:
        said.setdefault(say_reasons(decision), []).append(decision)
    sentences = [f"{_say_where(found, decisions)}: {reason}" for reason, found in list(said.items())[:MOST_REASONS]]
    left = len(said) - len(sentences)
    if left > 0:
        sentences.append(f"{left} more; page, CSV and JSON have all reasons.")
    lines.section("Why", sentences)


def _say_where(found: list[Decision], decisions: Decisions) -> str:
    first = found[0]
    if len(found) > 1:
        uses = ", ".join(dict.fromkeys(clean(d.use) for d in found))
        if len(found) == sum(d.use in {f.use for f in found} for d in decisions.decisions):
            return f"all, {uses}"
        names = list(dict.fromkeys(clean(d.dimension) for d in found))
        return f"{', '.join(names[:4])}{f' and {len(names) - 4} more' if len(names) > 4 else ''}, {uses}"
    by = f" by {clean(first.rater)}" if first.rater else ""
    return f"{clean(first.dimension)}{by}, {clean(first.use)}"
