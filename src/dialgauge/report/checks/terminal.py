"""Checks of model raters for a terminal."""

from dialgauge.analyse.checking.records import RaterChecks
from dialgauge.analyse.users import UserChecks
from dialgauge.report.checks.biases import BiasSummary, summarise_biases
from dialgauge.report.checks.users import summarise_users
from dialgauge.report.checks.users_terminal import add_users
from dialgauge.report.checks.words import conclude_checks, list_rows, say_check, say_not_made
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.text import ELLIPSIS, shorten_all

LONGEST_NAME, LONGEST_CHECK = 16, 33
NARROW, SHORT_NAME, SHORT_CHECK = 64, 11, 23
"""Columns of a terminal below which names are cut shorter, and how short."""

BIASES = 80
"""Columns of a terminal below which biases are sentences and no table."""

MOST_SENTENCES = 12


def render_checks(
    found: RaterChecks,
    *,
    users: UserChecks | None = None,
    width: int = WIDTH,
    styled: bool = False,
    ascii_only: bool = False,
    brief: bool = False,
) -> str:
    """Return the table of checks, what failed, (unless ``brief``) what was not made, and simulated users, as text.

    No line is wider than ``width`` (44 to 100).
    """
    lines = Lines(width=width, ascii_only=ascii_only)
    lines.say(("Checks of the raters. " if brief else "") + conclude_checks(found), style="bold")
    rows = list_rows(found)
    if rows:
        longest = (SHORT_NAME, SHORT_CHECK) if lines.width < NARROW else (LONGEST_NAME, LONGEST_CHECK)
        names, checks = (
            shorten_all(cells, room, lines.write(ELLIPSIS))
            for cells, room in zip(([row.rater for row in rows], [row.check for row in rows]), longest, strict=True)
        )
        lines.line()
        lines.table(
            [
                Column(("", "rater"), names, left=True),
                Column(("", "check"), checks, left=True),
                Column(("", "failed"), [f"{row.failed} of {row.passed + row.failed}" for row in rows]),
                Column(("", f"found, {found.level * 100:g}% interval"), [row.found for row in rows], left=True, rank=1),
            ],
            bold={i for i, row in enumerate(rows) if row.failed},
        )
    biases = None if brief else summarise_biases(found)
    if biases is not None:
        _add_biases(lines, biases)
    sentences = [say_check(check) for check in found.failed]
    more = len(sentences) - MOST_SENTENCES
    shown = sentences[:MOST_SENTENCES] + ([f"{more} more; all are in the page and the JSON."] if more > 0 else [])
    lines.section("Failed", shown)
    if not brief:
        lines.section("Not made", say_not_made(found))
    if users is not None:
        add_users(lines, summarise_users(users))
    return lines.to_text(styled=styled)


def _add_biases(lines: Lines, biases: BiasSummary) -> None:
    rows = biases.rows
    if lines.width < BIASES:
        lines.section("Biases", [f"{row.rater}, {row.bias}: {row.words}." for row in rows])
    else:
        lines.line()
        lines.say("Biases", style="bold")
        names = shorten_all([row.rater for row in rows], LONGEST_NAME, lines.write(ELLIPSIS))
        numbers = {
            "own": Column(("", "this rater"), [row.own for row in rows], left=True, rank=1),
            "others": Column(("", "others"), [row.others for row in rows], left=True, rank=2),
            "difference": Column(("", f"difference, {biases.level}%"), [row.difference for row in rows], left=True),
        }
        lines.table(
            [
                Column(("", "rater"), names, left=True),
                Column(("", "bias"), [row.bias for row in rows], left=True),
                *(numbers[name] for name in biases.columns),
            ],
            bold={i for i, row in enumerate(rows) if row.failed},
        )
    for note in biases.notes:
        lines.say(note)
