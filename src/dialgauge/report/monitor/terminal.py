"""The table of what is watched for a terminal: what changed first."""

from dialgauge.analyse.monitor.records import Monitoring
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.monitor.words import (
    conclude_monitoring,
    describe_monitoring,
    say_difference,
    say_event,
    say_p,
    say_reliability,
    say_state,
    say_watch,
)
from dialgauge.report.numerals import DASH
from dialgauge.report.text import ELLIPSIS, clean, shorten, shorten_all, typeset
from dialgauge.stats.estimate import Refusal

LONGEST_NAME, LONGEST_RATER, LONGEST_OCCASION = 24, 14, 16
MOST_ROWS = 40
MOST_SENTENCES = 12


def render_monitoring(found: Monitoring, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return notes, the table, what changed, events and findings as text.

    At most 40 rows are shown, what changed first. No line is wider than ``width`` (44 to 100; a narrow table leaves
    columns out). ``styled`` adds the codes of terminals for bold and dim; ``ascii_only`` writes all signs in ASCII.
    """
    lines = Lines(width=width, ascii_only=ascii_only)
    for note in found.notes:
        lines.say(typeset(clean(note)), style="dim")
    if found.notes:
        lines.line()
    lines.say(describe_monitoring(found), style="bold")
    lines.line()
    _add_table(lines, found)
    told = [w for w in found.watches if w.state != "steady"]
    told.sort(key=lambda w: not w.alarm)
    sentences = [f"{clean(w.dimension)} by {clean(w.rater)}: {say_watch(w)}" for w in told[:MOST_SENTENCES]]
    if len(told) > len(sentences):
        sentences.append(f"{len(told) - len(sentences)} more; page and JSON have all.")
    lines.section("What changed, or cannot be told", sentences)
    lines.section("Events", [say_event(event) for event in found.events])
    lines.section("Findings", [conclude_monitoring(found), *(typeset(clean(f)) for f in found.findings)])
    return lines.to_text(styled=styled)


def _add_table(lines: Lines, found: Monitoring) -> None:
    ordered = sorted(found.watches, key=lambda w: not w.alarm)
    rows = ordered[:MOST_ROWS]
    latest = [w.latest for w in rows]
    last = shorten(f"occasion {clean(found.occasions[-1])}", LONGEST_OCCASION, lines.write(ELLIPSIS))
    shifts = [DASH if c is None else say_difference(c.shift) for c in latest]
    iccs = [DASH if c is None or isinstance(c.icc, Refusal) else say_reliability(c.icc) for c in latest]
    complete = lines.table(
        [
            Column(
                ("", "dimension"),
                shorten_all([clean(w.dimension) for w in rows], LONGEST_NAME, lines.write(ELLIPSIS)),
                left=True,
            ),
            Column(
                ("", "rater"),
                shorten_all([clean(w.rater) for w in rows], LONGEST_RATER, lines.write(ELLIPSIS)),
                left=True,
            ),
            Column(("", "state"), [say_state(w) for w in rows], left=True),
            Column((f"shift on {last}", f"[{found.level * 100:g}%]"), shifts, left=True, rank=1),
            Column(("", "p"), [DASH if c is None else say_p(c.p_shift) for c in latest], rank=2),
            Column(("ICC", "before"), [say_reliability(w.icc) for w in rows], rank=4),
            Column(("ICC on", last), iccs, rank=3),
            Column(("", "p"), [DASH if c is None else say_p(c.p_reliability) for c in latest], rank=5),
        ],
        bold=[i for i, w in enumerate(rows) if w.alarm],
    )
    if len(ordered) > len(rows):
        lines.say(f"and {len(ordered) - len(rows):,} more rows; page and JSON have all.", style="dim")
    lines.say(
        "p: holds for all occasions so far at once, and for all rows. Intervals of shifts: for this occasion alone.",
        style="dim",
    )
    if not complete:
        lines.say("Some columns do not fit this terminal; the page and JSON have all of them.", style="dim")
