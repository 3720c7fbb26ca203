"""A probe for a terminal."""

from dialgauge.analyse.probing.records import ProbeReport, Shift
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.probe.words import (
    LEGEND,
    conclude_probe,
    describe_probe,
    name_injection,
    say_missing_of,
    say_movement,
    write_landed,
    write_shift,
)
from dialgauge.report.text import ELLIPSIS, clean, shorten_all

NARROW, SHORT_NAME = 64, 18
"""Columns of a terminal below which names are cut shorter, and how short."""

LONGEST_NAME = 30


def render_probe(report: ProbeReport, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return the table of shifts as text; no line is wider than ``width`` (44 to 100)."""
    lines = Lines(width=width, ascii_only=ascii_only)
    lines.say(describe_probe(report), style="dim")
    lines.line()
    lines.say(conclude_probe(report), style="bold")
    for rater in report.raters:
        _add_rater(lines, report, rater)
    lines.line()
    lines.say(LEGEND, style="dim")
    missing = [
        f"{clean(row.rater)}, {name_injection(row)}: {say_missing_of(row)}."
        for row in report.shifts
        if say_missing_of(row)
    ]
    lines.section("Missing ratings", missing)
    return lines.to_text(styled=styled)


def _add_rater(lines: Lines, report: ProbeReport, rater: str) -> None:
    rows = [row for row in report.shifts if row.rater == rater]
    room = SHORT_NAME if lines.width < NARROW else LONGEST_NAME
    lines.line()
    lines.table(
        [
            Column((clean(rater)[:room], "text (pushes)"), _cut(rows, room, lines), left=True),
            Column(
                ("", f"shift, {report.level * 100:g}% interval"), [write_shift(row) for row in rows], left=True, rank=1
            ),
            Column(("", "verdict"), [say_movement(row) for row in rows], left=True),
            Column(("at the", "value"), [write_landed(row.landed) for row in rows], rank=2),
            Column(("without", "text"), [write_landed(row.landed_neutral) for row in rows], rank=3),
        ],
        bold={0},
    )


def _cut(rows: list[Shift], room: int, lines: Lines) -> list[str]:
    return shorten_all([name_injection(row) for row in rows], room, lines.write(ELLIPSIS))
