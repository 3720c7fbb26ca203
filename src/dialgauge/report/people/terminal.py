"""How far people and dialogues are, for a terminal."""

from dialgauge.collect.people import PersonProgress
from dialgauge.collect.web.progress import Progress, say_unanswered, sum_up
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.numerals import plural
from dialgauge.report.people.record import Found
from dialgauge.report.text import ELLIPSIS, clean, shorten_all

LONGEST = 30
"""Cells of a name or a code."""


def render_people(found: Found, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return who completed how much, and how many raters the dialogues have and lack, as text."""
    targets, people = found
    lines = Lines(width=width, ascii_only=ascii_only)
    sums = sum_up(targets)
    share = f"{sums.done:,} of {plural(sums.wanted, 'task')} completed"
    lines.say(f"{share}: {plural(sums.targets, 'dialogue')}, {_say_finished(sums)}", style="bold")
    lines.line()
    if people:
        ellipsis = lines.write(ELLIPSIS)
        lines.table(
            [
                Column(("", "rater"), shorten_all([clean(one.rater) for one in people], LONGEST, ellipsis), left=True),
                Column(("", "code"), shorten_all([_say_code(one) for one in people], LONGEST, ellipsis), left=True),
                Column(("", "completed"), [f"{one.completed:,}" for one in people]),
                Column(("", "holds"), [f"{one.reserved:,}" for one in people]),
                Column(("median", "seconds"), [_say_seconds(one) for one in people], rank=1),
                Column(("given", "back"), [f"{one.given_back:,}" for one in people], rank=2),
                Column(("", "revised"), [f"{one.revised:,}" for one in people], rank=4),
                Column(("first seen", "(UTC)"), [f"{one.first_seen:%m-%d %H:%M}" for one in people], rank=3),
                Column(("last seen", "(UTC)"), [f"{one.last_seen:%m-%d %H:%M}" for one in people], rank=1),
            ]
        )
        if gone := [clean(one.rater) for one in people if one.withdrew is not None]:
            lines.line()
            lines.say(f"Withdrew, and counted nowhere else: {', '.join(gone)}.")
    else:
        lines.say("Nobody has entered yet.")
    lines.line()
    lines.say(_say_raters(sums), style="dim")
    if sums.unanswered:
        lines.line()
        lines.say(say_unanswered(sums.unanswered))
    return lines.to_text(styled=styled)


def _say_code(one: PersonProgress) -> str:
    return clean(one.code) or "(erased)"


def _say_seconds(one: PersonProgress) -> str:
    """Say the median seconds of a dialogue, where there is one without a pause."""
    return "-" if one.seconds is None else f"{one.seconds:,.0f}"


def _say_finished(sums: Progress) -> str:
    if not sums.targets:
        return "none to rate"
    verb = "has" if sums.finished == 1 else "have"
    return "all with their raters" if sums.finished == sums.targets else f"{sums.finished:,} {verb} all their raters"


def _say_raters(sums: Progress) -> str:
    """Say how many dialogues were completed by how many raters."""
    parts = [f"{plural(n, 'dialogue')} by {plural(raters, 'rater')}" for raters, n in sums.by_count]
    text = f"Completed: {', '.join(parts)}." if parts else "There are no dialogues."
    held = f" {plural(sums.reserved, 'dialogue')} held just now." if sums.reserved else ""
    return text + held + (f" {sums.beyond:,} beyond what is wanted now." if sums.beyond else "")
