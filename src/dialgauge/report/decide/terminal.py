"""The table of verdicts for a terminal: a row per dimension, a column per use, the reasons below."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from dialgauge.decide.decisions import Decision, Decisions
from dialgauge.decide.judge import Verdict
from dialgauge.decide.policy import Use
from dialgauge.report.decide.verdicts import LEGEND, say_reason, say_reasons, say_verdict, split_uses
from dialgauge.report.decide.words import conclude_decisions, describe_decisions, say_gates, say_rater
from dialgauge.report.grouping import shorten_list
from dialgauge.report.lines import GAP, WIDTH, Column, Lines, drop_to_fit, total_width
from dialgauge.report.numerals import DASH
from dialgauge.report.text import ELLIPSIS, clean, shorten_all, typeset

LONGEST_NAME = 24
UNSAID = (" to rule out", " targets")
MOST_NAMES = 4
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
    said, n = [typeset(clean(finding)) for finding in decisions.findings], decisions.n_leading
    lines.section("Findings", [*said[:n], conclude_decisions(decisions), *said[n:]])
    return lines.to_text(styled=styled)


def _add_table(lines: Lines, decisions: Decisions) -> None:
    rows = decisions.rows()
    shown = rows[:MOST_ROWS]
    uses, unknown = split_uses(decisions)
    several = any(rater for _, rater in rows)
    whole = [lines.write(clean(dimension)) for dimension, _ in shown]
    least = lines.width // 5 if several else min(LONGEST_NAME, lines.width // 4)
    least = min(least, max(map(cell_len, [*whole, "dimension"])))
    raters = []
    if several:
        names = shorten_all(
            [say_rater(rater, decisions) for _, rater in shown], lines.width // 7, lines.write(ELLIPSIS)
        )
        raters = [Column(("", "rater"), names, left=True)]
    cells = {(d.dimension, d.rater, d.use): say_verdict(d, short=True) for d in decisions.decisions}
    room = lines.width - least - len(GAP)
    beside = [*raters, *_verdict_columns(cells, uses, shown)]
    for unsaid in UNSAID:  # words that the legend can stand for, where there is no room for them
        if total_width([lines.translate(column) for column in beside]) > room:
            cells = {place: words.replace(unsaid, "") for place, words in cells.items()}
            beside = [*raters, *_verdict_columns(cells, uses, shown)]
    kept = drop_to_fit([lines.translate(column) for column in beside], room)
    room = max(least, lines.width - total_width(kept) - len(GAP))
    names = shorten_all(whole, room, lines.write(ELLIPSIS))
    lines.table([Column(("", "dimension"[:room]), names, left=True), *kept])
    for sentence in unknown:
        lines.say(sentence)
    lines.say(LEGEND, style="dim")
    if len(rows) > len(shown):
        lines.say(f"and {len(rows) - len(shown):,} more rows; page, CSV and JSON have all.", style="dim")
    if len(kept) < len(beside):
        lines.say("Some uses do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")


def _verdict_columns(
    cells: Mapping[tuple[str, str, str], str], uses: Sequence[Use], rows: Sequence[tuple[str, str]]
) -> list[Column]:
    return [
        Column(("", clean(use.name)), [cells.get((*row, use.name), DASH) for row in rows], left=True, rank=rank)
        for rank, use in enumerate(uses)
    ]


def _add_reasons(lines: Lines, decisions: Decisions) -> None:
    """Show each reason once: failed checks, then what collecting or averaging would do, what is trusted last."""
    uses = {use.name for use in split_uses(decisions)[0]}
    whole = sorted(decisions.decisions, key=lambda d: (_ORDER.index(d.verdict), d.undecided))
    vetoes: dict[str, list[Decision]] = {}
    said: dict[str, list[Decision]] = {}
    for decision in whole:
        for veto in decision.vetoes:
            vetoes.setdefault(say_reason(veto), []).append(decision)
        if decision.use in uses:
            said.setdefault(say_reasons(decision, vetoes=False), []).append(decision)
    every = [f"{veto} That vetoes every verdict{_say_vetoed(found, decisions)}." for veto, found in vetoes.items()]
    reasons = [f"{_say_where(found, decisions)}: {reason}" for reason, found in said.items() if reason]
    left = len(reasons) - MOST_REASONS
    if left > 1:  # one more takes no more room than to say so
        reasons = [*reasons[:MOST_REASONS], f"{left} more; page, CSV and JSON have all reasons."]
    lines.section("Why", [*every, *reasons])


def _say_vetoed(found: list[Decision], decisions: Decisions) -> str:
    """Say which verdicts a failed check vetoes: of a rater among several, of some dimensions; nothing where all."""
    raters = {d.rater for d in found}
    several = len({rater for _, rater in decisions.rows()}) > 1
    of = f" of {', '.join(map(clean, sorted(raters)))}" if several and all(raters) else ""
    names = list(dict.fromkeys(clean(d.dimension) for d in found))
    every = {d.dimension for d in decisions.decisions if d.rater in raters}
    return of if len(names) == len(every) else f"{of} on {shorten_list(names, MOST_NAMES)}"


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
