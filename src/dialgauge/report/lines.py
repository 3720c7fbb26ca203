"""Lines of bounded width for a terminal: sentences, headings, tables; in ASCII where it must be."""

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dialgauge.report.text import to_ascii

WIDTH = 100
"""Columns of the widest line; also used where the output is no terminal."""

NARROWEST = 44
GAP = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """Cells below two lines of heading; in a narrow terminal the columns of the highest ``rank`` go first."""

    heads: tuple[str, str]
    cells: Sequence[str]
    left: bool = False
    rank: int = 0

    @property
    def width(self) -> int:
        """Cells of the widest entry."""
        return max(map(cell_len, (*self.heads, *self.cells)))

    def lines(self, width: int = 0) -> list[str]:
        """Return heading and cells, all of one width."""
        full = max(self.width, width)
        return [pad(text, full, left=self.left) for text in (*self.heads, *self.cells)]

    @classmethod
    def group(cls, head: str, parts: Sequence[Self], *, rank: int = 0) -> Self:
        """Return ``parts`` side by side as one column below ``head``; of their own headings the second counts."""
        _, second, *cells = (" ".join(row) for row in zip(*(part.lines() for part in parts), strict=True))
        return cls((head, second), cells, left=True, rank=rank)


class Lines:
    """Collects styled lines, none wider than ``width`` (kept between 44 and 100)."""

    def __init__(self, *, width: int, ascii_only: bool) -> None:
        self.width = max(min(width, WIDTH), NARROWEST)
        self._ascii = ascii_only
        self._console = Console(width=self.width, file=io.StringIO(), force_terminal=True, color_system="standard")
        self._lines: list[Text] = []

    def to_text(self, *, styled: bool) -> str:
        """Return all lines, with the codes of terminals for bold and dim if ``styled``."""
        if not styled:
            return "".join(f"{line.plain}\n" for line in self._lines)
        with self._console.capture() as capture:
            for line in self._lines:
                self._console.print(line, no_wrap=True, crop=False, overflow="ignore")
        return capture.get()

    def section(self, title: str, sentences: Sequence[str]) -> None:
        """Add ``sentences`` as a list below ``title``; nothing where there are none."""
        if sentences:
            self.line()
            self.say(title, style="bold")
        for sentence in sentences:
            self.say(sentence, bullet="- ")

    def say(self, text: str, *, style: str = "", bullet: str = "") -> None:
        """Wrap a sentence to the width, the lines after the first below the text and not below its bullet."""
        for number, line in enumerate(self.wrap(text, self.width - len(bullet))):
            self.line((" " * len(bullet) if number else bullet) + line, style=style)

    def wrap(self, text: str, width: int) -> list[str]:
        """Break ``text`` into lines of at most ``width`` cells."""
        return [line.plain.rstrip() for line in Text(self.write(text)).wrap(self._console, width)]

    def line(self, text: str = "", *, style: str = "") -> None:
        """Add one line as it is."""
        self._lines.append(Text(text.rstrip(), style=style))

    def table(self, columns: Sequence[Column], *, bold: Collection[int] = ()) -> bool:
        """Add ``columns`` side by side, the rows ``bold`` in bold; return whether all had room."""
        kept = drop_to_fit([self.translate(column) for column in columns], self.width)
        rows = [GAP.join(cells) for cells in zip(*(column.lines() for column in kept), strict=True)]
        for head in rows[:2]:
            if head.strip():
                self.line(head, style="bold")
        self.rule(total_width(kept))
        for number, row in enumerate(rows[2:]):
            self.line(row, style="bold" if number in bold else "")
        return len(kept) == len(columns)

    def rule(self, width: int = 0) -> None:
        """Add a line across, as wide as all or as ``width``."""
        self.line(self.write("─") * (width or self.width))

    def translate(self, column: Column) -> Column:
        """Return ``column`` with all signs as they can be written."""
        first, second = map(self.write, column.heads)
        return Column((first, second), [self.write(cell) for cell in column.cells], column.left, column.rank)

    def write(self, text: str) -> str:
        """Return ``text`` in ASCII where it must be."""
        return to_ascii(text) if self._ascii else text


def drop_to_fit(columns: Sequence[Column], room: int) -> list[Column]:
    """Leave out the columns of the highest rank until the others fit into ``room``."""
    kept = list(columns)
    while total_width(kept) > room and any(column.rank for column in kept):
        kept.remove(max(kept, key=lambda column: column.rank))
    return kept


def total_width(columns: Sequence[Column]) -> int:
    """Return the cells that ``columns`` take side by side."""
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


def pad(text: str, width: int, *, left: bool) -> str:
    """Fill ``text`` with blanks to ``width`` cells."""
    blanks = " " * (width - cell_len(text))
    return text + blanks if left else blanks + text
