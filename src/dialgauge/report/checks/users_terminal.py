"""The section on simulated users for a terminal."""

from dialgauge.report.checks.users import ALL, ON_ICC, OUTCOMES, UserSummary
from dialgauge.report.lines import Column, Lines
from dialgauge.report.text import ELLIPSIS, shorten_all

LONGEST_NAME = 16

NARROW, SHORT_CHECK = 64, 16
"""Columns of a terminal below which the names of checks are cut, and how short."""


def add_users(lines: Lines, users: UserSummary) -> None:
    """Add the section on simulated users: verdicts, systems, replicates, what failed and what was not made."""
    lines.line()
    lines.say(f"Simulated users. {users.size} {users.score[0].upper()}{users.score[1:]}", style="bold")
    lines.line()
    checks = [row.check for row in users.rows]
    if lines.width < NARROW:
        checks = shorten_all(checks, SHORT_CHECK, lines.write(ELLIPSIS))
    lines.table(
        [
            Column(("", "check"), checks, left=True),
            Column(("", "outcome"), [row.word for row in users.rows], left=True),
            Column(("", "counted"), [row.count for row in users.rows], left=True, rank=1),
            Column(("", f"share, {users.level}%"), [row.found for row in users.rows], left=True),
        ],
        bold={i for i, row in enumerate(users.rows) if row.failed},
    )
    if users.systems:
        _add_systems(lines, users)
    if users.replicates:
        _add_replicates(lines, users)
    if users.notes:
        lines.line()
    for note in users.notes:
        lines.say(note, style="dim")
    lines.section("Failed: simulated users", users.failed)
    lines.section("Not made: simulated users", users.not_made)


def _add_systems(lines: Lines, users: UserSummary) -> None:
    rows = users.systems
    heads = [("obeys the", "preference"), ("not", "recommended"), ("", "premature")]
    lines.line()
    lines.table(
        [
            _names([row.system for row in rows], lines),
            Column(("", "acceptances"), [row.acceptances for row in rows], rank=3),
            *(Column(head, [row.shares[i] for row in rows], left=True, rank=i) for i, head in enumerate(heads)),
        ]
    )


def _add_replicates(lines: Lines, users: UserSummary) -> None:
    rows = users.replicates
    names = [row.system for row in rows]
    lines.line()
    lines.table(
        [
            _names(names, lines),
            Column(("replicates", "end alike"), [row.same for row in rows], left=True),
            Column(("by", "chance"), [row.chance for row in rows], rank=4),
            *(
                Column(("", word), [row.icc[i] for row in rows], left=True, rank=i + 1)
                for i, word in enumerate(OUTCOMES.values())
            ),
        ]
    )
    if names != [ALL] or any(cell != "–" for cell in rows[0].icc):
        lines.say(ON_ICC, style="dim")


def _names(names: list[str], lines: Lines) -> Column:
    return Column(("", "system"), shorten_all(names, LONGEST_NAME, lines.write(ELLIPSIS)), left=True)
