"""Systems compared, for a terminal: means, then differences with verdicts, then ranks."""

from collections.abc import Callable, Sequence

from dialgauge.analyse.compare import ComparedMeasure, Difference, SystemsComparison
from dialgauge.analyse.compare.records import SystemMean
from dialgauge.report.compare.designs import BASIS, say_designs, say_flags, sizes_of
from dialgauge.report.compare.words import (
    conclude,
    list_gaps,
    mean_of,
    say_family,
    say_margin,
    say_size,
    say_verdict,
    systems_of,
    title_of,
    word_of,
    write_ends,
    write_gap,
    write_mean,
    write_p,
    write_rank,
    write_value,
)
from dialgauge.report.lines import WIDTH, Column, Lines, drop_to_fit, total_width
from dialgauge.report.numerals import DASH, MINUS
from dialgauge.report.text import ELLIPSIS, clean, join, shorten, shorten_all, typeset
from dialgauge.stats.compare import NeededDesign

LONGEST_NAME = 17
LEAST_TITLE = 16
PAIR_SHARE, TITLE_SHARE = 0.14, 0.24


def render_comparison(
    found: Sequence[SystemsComparison], *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False
) -> str:
    """Return means, differences, ranks, findings and gaps of each data set as text.

    No line is wider than ``width`` (44 to 100; a narrow table leaves columns out and says so). ``styled`` adds the
    codes of terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=width, ascii_only=ascii_only)
    for number, each in enumerate(found):
        if number:
            writer.line()
        writer.add(each)
    return writer.to_text(styled=styled)


class _Writer(Lines):
    """Writes the parts of a comparison."""

    def add(self, found: SystemsComparison) -> None:
        for note in found.notes:
            self.say(typeset(clean(note)), style="dim")
        if found.notes:
            self.line()
        self.say(say_size(found), style="bold")
        self.say(conclude(found))
        if found.measures:
            self.add_systems(found, f"Means, {found.level * 100:g}% intervals", write_mean)
            self.add_differences(found)
            self.add_ranks(found)
            self.add_needed(found)
        self.section("Findings", [typeset(clean(sentence)) for sentence in found.findings])
        gaps = [f"{gap.what}: {gap.reason}. What would help: {gap.remedy}." for gap in list_gaps(found)]
        self.section("What could not be computed, why, and what would help", gaps)

    def add_systems(
        self, found: SystemsComparison, title: str, write: Callable[[SystemMean, ComparedMeasure], str]
    ) -> None:
        """Add the systems side by side, in as many tables as the width asks for."""
        self.line()
        self.say(title, style="bold")
        first = Column(("", "measure"), self._titles(found.measures), left=True)
        names = shorten_all(map(self.write, systems_of(found)), LONGEST_NAME, self.write(ELLIPSIS))
        others = [
            Column(("", name), [_cell(m, s.system, write) for m in found.measures], left=True)
            for name, s in zip(names, found.systems, strict=True)
        ]
        while others:
            n = len(others)
            while n > 1 and total_width([first, *map(self.translate, others[:n])]) > self.width:
                n -= 1
            self.table([first, *others[:n]])
            others = others[n:]
            if others:
                self.line()

    def add_differences(self, found: SystemsComparison) -> None:
        self.line()
        self.say(
            f"Differences, {found.level * 100:g}% intervals that hold for all pairs of systems together", style="bold"
        )
        rows = [(m, d) for m in found.measures for d in m.differences]
        titles = self._titles([m for m, _ in rows])
        first = ["" if i and rows[i - 1][0] is m else titles[i] for i, (m, _) in enumerate(rows)]
        pairs = [Column(("", "systems"), [self._pair(d) for _, d in rows], left=True)]
        alone = self._pair(rows[0][1]) if len(found.systems) == 2 and rows else ""
        columns = [
            Column(("", "measure"), first, left=True),
            *([] if alone else pairs),
            *_number_columns(rows, alone),
            Column(("", "verdict"), [self._verdict(d, m, found.margin) for m, d in rows], left=True),
        ]
        shown = {i for i, (_, d) in enumerate(rows) if d.verdict != "not shown"}
        gone = [" ".join(column.heads) for column in columns if column.rank]
        if self._fits(columns):
            kept = drop_to_fit([self.translate(column) for column in columns], self.width)
            gone = [name for name in gone if name not in {" ".join(column.heads) for column in kept}]
            self.table(columns, bold=shown)
        else:
            self._list(rows, found.margin)
        self.line()
        self.say(f"{say_family(found)} {_LEGEND}", style="dim")
        if lower := [title_of(m) for m in found.measures if m.direction == "lower_is_better"]:
            self.say(f"Lower is better: {', '.join(lower)}.", style="dim")
        if any(d.within_margin for _, d in rows):
            self.say("Within the margin: the whole interval for all pairs lies inside it.", style="dim")
        if gone:
            self.say(f"No room here for {join(gone)}; the page, CSV and JSON have all columns.", style="dim")

    def _fits(self, columns: Sequence[Column]) -> bool:
        """Whether the columns that never go have room."""
        return total_width([self.translate(column) for column in columns if not column.rank]) <= self.width

    def _list(self, rows: Sequence[tuple[ComparedMeasure, Difference]], margin: float | None) -> None:
        """Write each difference as a sentence, where a table has no room."""
        for i, (m, d) in enumerate(rows):
            if not i or rows[i - 1][0] is not m:
                self.say(title_of(m))
            number = f"{write_gap(d.difference.value, m)} {write_ends(d.simultaneous, m)}"
            said = f"{self._pair(d)}: {number}, {self._verdict(d, m, margin)}"
            self.say(said, bullet="  ", style="bold" if d.verdict != "not shown" else "")

    def add_ranks(self, found: SystemsComparison) -> None:
        """Add ranks where there are more than two systems."""
        if len(found.systems) < 3:
            return
        self.add_systems(found, f"Ranks, 1 is best, {found.level * 100:g}% intervals", _write_rank)
        self.say(
            "They follow from the verdicts: a rank is open as far as no difference is shown.",
            style="dim",
        )

    def add_needed(self, found: SystemsComparison) -> None:
        rows = [(m, n) for m in found.measures if isinstance(m.needed, tuple) for n in m.needed]
        if found.wanted is None or not rows:
            return
        wanted = write_value(found.wanted, rows[0][0])
        self.line()
        power = f"shown with a power of {found.power:g} by a verdict of this table"
        self.say(f"What a difference of {wanted} takes, {power}", style="bold")
        titles = self._titles([m for m, _ in rows])
        first = ["" if i and rows[i - 1][0] is m else titles[i] for i, (m, _) in enumerate(rows)]
        columns = [Column(("", "measure"), first, left=True), *_needed_columns(found, [n for _, n in rows])]
        if self._fits(columns):
            self.table(columns)
            self.line()
        else:
            for i, (_, n) in enumerate(rows):
                self.say(f"{titles[i]}: {_say_needed(found, n)}", bullet="  ")
        self.say(say_designs(found), style="dim")
        if flags := say_flags(found):
            self.say(flags, style="dim")

    def _titles(self, measures: Sequence[ComparedMeasure]) -> list[str]:
        titles = list(dict.fromkeys(self.write(title_of(m)) for m in measures))
        room = max(int(TITLE_SHARE * self.width), LEAST_TITLE)
        short = dict(zip(titles, shorten_all(titles, room, self.write(ELLIPSIS)), strict=True))
        return [short[self.write(title_of(m))] for m in measures]

    def _pair(self, d: Difference) -> str:
        room, dots = int(PAIR_SHARE * self.width), self.write(ELLIPSIS)
        first, second = (shorten(self.write(clean(name)), room, dots) for name in (d.first, d.second))
        return f"{first} {self.write(MINUS)} {second}"

    def _verdict(self, d: Difference, m: ComparedMeasure, margin: float | None) -> str:
        room = int(PAIR_SHARE * self.width)
        if d.verdict == "not shown":
            said = say_verdict(d, m)
        else:
            name = clean(d.first if d.verdict == "first" else d.second)
            said = f"{shorten(self.write(name), room, self.write(ELLIPSIS))} {word_of(m)}"
        if margin is None:
            return said
        within = say_margin(d, margin, m) if d.within_margin else ""
        return f"{said}, {within}" if within else said


_LEGEND = (
    "Difference: the first system less the second. p: of no difference, over all pairs of the measure, and over the "
    "whole table. Not shown is not alike: what lies outside the interval is ruled out, what lies inside is not."
)


def _write_rank(mean: SystemMean, _: ComparedMeasure) -> str:
    return write_rank(mean.rank)


def _cell(m: ComparedMeasure, system: str, write: Callable[[SystemMean, ComparedMeasure], str]) -> str:
    mean = mean_of(m, system)
    return DASH if mean is None else write(mean, m)


def _number_columns(rows: Sequence[tuple[ComparedMeasure, Difference]], alone: str) -> list[Column]:
    gaps = [write_gap(d.difference.value, m) for m, d in rows]
    widest = max(map(len, gaps))
    ends = [write_ends(d.simultaneous, m) for m, d in rows]
    return [
        Column((alone, "difference"), [f"{g:>{widest}} {e}" for g, e in zip(gaps, ends, strict=True)], left=True),
        Column(("shared", "users"), [f"{d.n_paired:,}" if d.n_paired else DASH for _, d in rows], rank=3),
        Column(("p, all", "pairs"), [write_p(d.p_pairs) for _, d in rows], rank=2),
        Column(("p, whole", "table"), [write_p(d.p_table) for _, d in rows], rank=1),
    ]


def _say_needed(found: SystemsComparison, n: NeededDesign) -> str:
    return ", ".join(f"{text} {head}" for head, text in sizes_of(found, n))


def _needed_columns(found: SystemsComparison, rows: Sequence[NeededDesign]) -> list[Column]:
    sizes = [sizes_of(found, n) for n in rows]
    return [
        Column(("", head), [each[i][1] for each in sizes], left=head == BASIS) for i, (head, _) in enumerate(sizes[0])
    ]
