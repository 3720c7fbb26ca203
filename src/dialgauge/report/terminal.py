"""The reliability table for a terminal: 100 columns, readable without colour, in ASCII where it must be."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dialgauge.analyse.results import Coefficient, DimensionReliability, Reliability
from dialgauge.report.numerals import DASH, decimal, fixed, percent
from dialgauge.report.sentences import describe_design, group_findings, list_gaps, say_k
from dialgauge.report.text import ELLIPSIS, clean, join, shorten_all, to_ascii
from dialgauge.stats.estimate import Estimate

WIDTH = 100
"""Columns of the widest line; also used where the output is no terminal."""

NARROWEST = 44
SHORTEST_NAME = 14
GAP = "  "
MOST_NAMES = 4
SHARES = "variance in %"

_SHARES = {"target": "target", "rater": "rater", "target_x_rater": "t×r", "residual": "rest"}


@dataclass(frozen=True, slots=True)
class _Column:
    """Cells below two lines of heading; in a narrow terminal the columns of the highest ``rank`` go first."""

    heads: tuple[str, str]
    cells: Sequence[str]
    left: bool = False
    rank: int = 0

    @property
    def width(self) -> int:
        return max(map(cell_len, (*self.heads, *self.cells)))

    def lines(self, width: int = 0) -> list[str]:
        """Return heading and cells, all of one width."""
        full = max(self.width, width)
        return [_pad(text, full, left=self.left) for text in (*self.heads, *self.cells)]


def render(analysis: Reliability, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return the notes, the table, the findings and what could not be computed as text.

    No line is wider than ``width`` (44 to 100; a narrow table leaves columns out and says so). ``styled`` adds the
    codes of terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=max(min(width, WIDTH), NARROWEST), ascii_only=ascii_only)
    writer.add_head(analysis)
    if analysis.dimensions:
        writer.add_table(analysis)
    writer.add_findings(analysis)
    writer.add_gaps(analysis)
    return writer.to_text(styled=styled)


class _Writer:
    """Collects styled lines of bounded width."""

    def __init__(self, *, width: int, ascii_only: bool) -> None:
        self._width = width
        self._ascii = ascii_only
        self._console = Console(width=width, file=io.StringIO(), force_terminal=True, color_system="standard")
        self._lines: list[Text] = []

    def to_text(self, *, styled: bool) -> str:
        if not styled:
            return "".join(f"{line.plain}\n" for line in self._lines)
        with self._console.capture() as capture:
            for line in self._lines:
                self._console.print(line, no_wrap=True, crop=False, overflow="ignore")
        return capture.get()

    def add_head(self, analysis: Reliability) -> None:
        for note in analysis.notes:
            self._say(clean(note), style="dim")
        if analysis.notes:
            self._line()
        self._say(describe_design(analysis), style="bold")
        self._line()

    def add_table(self, analysis: Reliability) -> None:
        columns = [self._translate(column) for column in _columns(analysis)]
        kept = _drop_to_fit(columns, self._width - SHORTEST_NAME - 1)
        room = self._width - _total(kept) - 1
        names = shorten_all([self._write(clean(d.name)) for d in analysis.dimensions], room, self._write(ELLIPSIS))
        first = _Column(("", "dimension"), names, left=True)
        rows = zip(first.lines(room), *(column.lines() for column in kept), strict=True)
        lines = [f"{name} {GAP.join(cells)}" for name, *cells in rows]
        for head in lines[:2]:
            self._line(head, style="bold")
        self._line(self._write("─") * self._width)
        for line in lines[2:]:
            self._line(line)
        self._line()
        self._say(_legend(analysis, shares=any(column.heads[0] == SHARES for column in kept)), style="dim")
        if len(kept) < len(columns):
            self._say("Some columns do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")

    def add_findings(self, analysis: Reliability) -> None:
        self._section(
            "Findings",
            [f"{_some(names)}: {sentence}" if names else sentence for sentence, names in group_findings(analysis)],
        )

    def add_gaps(self, analysis: Reliability) -> None:
        sentences = []
        for gap in list_gaps(analysis):
            what = f", {gap.what}" if gap.what else ""
            sentences.append(f"{_some(gap.dimensions)}{what}: {gap.reason}. What would help: {gap.remedy}.")
        self._section("What could not be computed, why, and what would help", sentences)

    def _section(self, title: str, sentences: Sequence[str]) -> None:
        if sentences:
            self._line()
            self._say(title, style="bold")
        for sentence in sentences:
            self._say(sentence, bullet="- ")

    def _say(self, text: str, *, style: str = "", bullet: str = "") -> None:
        """Wrap a sentence to the width, the lines after the first below the text and not below its bullet."""
        wrapped = Text(self._write(text)).wrap(self._console, self._width - len(bullet))
        for number, line in enumerate(wrapped):
            self._line((" " * len(bullet) if number else bullet) + line.plain, style=style)

    def _line(self, text: str = "", *, style: str = "") -> None:
        self._lines.append(Text(text.rstrip(), style=style))

    def _translate(self, column: _Column) -> _Column:
        first, second = map(self._write, column.heads)
        return _Column((first, second), [self._write(cell) for cell in column.cells], column.left, column.rank)

    def _write(self, text: str) -> str:
        return to_ascii(text) if self._ascii else text


def _columns(analysis: Reliability) -> list[_Column]:
    """Return the columns to the right of the names."""
    rows = analysis.dimensions
    level = f"[{analysis.level * 100:g}%]"
    return [
        _Column(("", "mean"), [fixed(d.mean.value) for d in rows], rank=2),
        _shares(rows),
        _Column(("one rater", f"Rel(1) {level}"), _intervals([d.rel_single for d in rows]), left=True, rank=1),
        _Column((f"k = {say_k(analysis)}", f"Rel(k) {level}"), _intervals([d.rel_k for d in rows]), left=True),
        _Column(("alpha", "ord."), [_value(d.alpha_ordinal) for d in rows], rank=3),
        _Column(("", "band"), [d.band or DASH for d in rows], left=True),
    ]


def _shares(rows: Sequence[DimensionReliability]) -> _Column:
    """Return the shares of variance as one column under a common heading."""
    shares = [d.variance.shares() for d in rows]
    facets = [facet for facet in _SHARES if any(facet in share for share in shares)]
    parts = [
        _Column(("", _SHARES[facet]), [percent(share[facet]) if facet in share else DASH for share in shares])
        for facet in facets
    ]
    _, second, *cells = (" ".join(row) for row in zip(*(part.lines() for part in parts), strict=True))
    return _Column((SHARES, second), cells, left=True, rank=4)


def _intervals(coefficients: Sequence[Coefficient]) -> list[str]:
    """Write value and interval of each coefficient, decimal points below each other."""
    estimates = [c for c in coefficients if isinstance(c, Estimate)]
    ends = [[decimal(end) if end is not None else DASH for end in (e.low, e.high)] for e in estimates]
    widths = [max((len(pair[i]) for pair in ends), default=1) for i in (0, 1)]
    left = max((len(_value(c)) for c in coefficients), default=1)
    cells = []
    for coefficient in coefficients:
        cell = _value(coefficient).rjust(left)
        if isinstance(coefficient, Estimate):
            low, high = (decimal(end) if end is not None else DASH for end in (coefficient.low, coefficient.high))
            cell += f" [{low:>{widths[0]}}, {high:>{widths[1]}}]"
        cells.append(cell)
    return cells


def _value(coefficient: Coefficient) -> str:
    return decimal(coefficient.value) if isinstance(coefficient, Estimate) else DASH


def _legend(analysis: Reliability, *, shares: bool) -> str:
    covers = list(dict.fromkeys(d.rel_k.covers for d in analysis.dimensions))
    sources = f", covering the sampling of {join(covers, 'or')}" if covers else ""
    return (
        f"In brackets: {analysis.level * 100:g}% interval{sources}. {'rest: residual variance. ' if shares else ''}"
        "band: word for Rel(k) after Koo and Li, moderate from .50, good from .75, excellent from .90."
    )


def _drop_to_fit(columns: Sequence[_Column], room: int) -> list[_Column]:
    """Leave out the columns of the highest rank until the others fit into ``room``."""
    kept = list(columns)
    while _total(kept) > room and any(column.rank for column in kept):
        kept.remove(max(kept, key=lambda column: column.rank))
    return kept


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


def _pad(text: str, width: int, *, left: bool) -> str:
    blanks = " " * (width - cell_len(text))
    return text + blanks if left else blanks + text


def _some(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMES:
        return join(names)
    return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
