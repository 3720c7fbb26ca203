"""The tables of kinds of rater for a terminal: 100 columns, readable without colour, in ASCII where it must be."""

from collections.abc import Sequence

from dialgauge.analyse.kinds import KindsComparison
from dialgauge.report.kinds.people import LEGEND, gaps_of_people, rows_of_people, say_people
from dialgauge.report.kinds.rows import FACETS, MARK, TIMES, Cell, KindRow, PairRow, rows_of_kinds, rows_of_pairs
from dialgauge.report.kinds.words import describe_kinds, list_kinds_gaps, print_sentence, say_gap, sentences_of
from dialgauge.report.lines import WIDTH, Column, Lines, total_width
from dialgauge.report.numerals import DASH
from dialgauge.report.text import ELLIPSIS, clean, shorten, shorten_all, typeset

NAME_SHARE, KIND_SHARE = 0.2, 0.1
"""The parts of the width that the name of a dimension, and that of a kind, may take."""

MOST_IN_DETAIL = 3
"""Up to so many dimensions have all their sentences below the tables."""

MOST_BESIDE = 8
"""Sentences on agreement with people below their table; all are on the page."""


def render_kinds(
    comparison: KindsComparison, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False
) -> str:
    """Return notes, a table of kinds, one of pairs, findings and what could not be computed as text.

    No line is wider than ``width`` (44 to 100; a narrow table leaves columns out and says so). ``styled`` adds the
    codes of terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=width, ascii_only=ascii_only)
    for note in comparison.notes:
        writer.say(typeset(clean(note)), style="dim")
    if comparison.notes:
        writer.line()
    writer.say(describe_kinds(comparison), style="bold")
    writer.line()
    if comparison.dimensions:
        writer.add_tables(comparison)
    if comparison.people:
        writer.add_people(comparison)
    writer.section("Findings", _findings(comparison))
    gaps = [f"{say_gap(gap)}: {gap.reason}. What would help: {gap.remedy}." for gap in list_kinds_gaps(comparison)]
    gaps += gaps_of_people(comparison.people)
    writer.section("What could not be computed, why, and what would help", gaps)
    return writer.to_text(styled=styled)


class _Writer(Lines):
    """Writes the parts of a comparison."""

    def add_tables(self, comparison: KindsComparison) -> None:
        level = f"[{comparison.level * 100:g}%]"
        kinds = [row for d in comparison.dimensions for row in rows_of_kinds(d)]
        complete = self.table([*self._names(kinds), *_kind_columns(kinds, level)])
        self.line()
        self.say(_legend_of_kinds(kinds), style="dim")
        pairs = [row for d in comparison.dimensions for row in rows_of_pairs(d)]
        if pairs:
            self.line()
            complete = self.table([*self._names(pairs), *_pair_columns(pairs, level)]) and complete
            self.line()
            self.say(_legend_of_pairs(pairs), style="dim")
        if not complete:
            self.say("Some columns do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")

    def add_people(self, comparison: KindsComparison) -> None:
        rows, level = rows_of_people(comparison), f"[{comparison.level * 100:g}%]"
        names, kinds = (
            [self.write(text) for text in texts] for texts in zip(*((r.dimension, r.kind) for r in rows), strict=True)
        )
        room = int(NAME_SHARE * self.width)
        columns = [
            Column(("", "dimension"), shorten_all(names, room, self.write(ELLIPSIS)), left=True),
            Column(("", "rater"), shorten_all(kinds, int(KIND_SHARE * self.width), self.write(ELLIPSIS)), left=True),
            Column(("", "targets"), [row.targets for row in rows], rank=5),
            Column(("people", "k"), [row.k for row in rows], rank=6),
            Column(("", f"Rel(k) {level}"), align([row.reliability for row in rows]), left=True, rank=4),
            Column(("", f"correlation {level}"), align([row.observed for row in rows]), left=True),
            Column(("without", f"their noise {level}"), align([row.corrected for row in rows]), left=True),
        ]
        more = [
            Column(("", f"alpha {level}"), align([row.alpha for row in rows]), left=True),
            Column(("", f"difference {level}"), align([row.difference for row in rows]), left=True),
        ]
        self.line()
        self.say("Beside people", style="bold")
        if total_width([*columns, *more]) <= self.width:
            self.table([*columns, *more])
        else:
            self.table(columns)
            self.line()
            self.table([*columns[:2], *more])
        self.line()
        self.say(typeset(LEGEND), style="dim")
        for sentence in say_people(comparison.people)[:MOST_BESIDE]:
            self.say(sentence, bullet="- ")

    def _names(self, rows: Sequence[KindRow] | Sequence[PairRow]) -> list[Column]:
        """Return the columns of dimensions (each written once) and of the kinds."""
        room = int(NAME_SHARE * self.width)
        short = shorten_all([self.write(row.dimension) for row in rows], room, self.write(ELLIPSIS))
        first = [name if i == 0 or rows[i - 1].dimension != rows[i].dimension else "" for i, name in enumerate(short)]
        who = [self._who(row) for row in rows]
        return [Column(("", "dimension"), first, left=True), Column(("", "kind"), who, left=True)]

    def _who(self, row: KindRow | PairRow) -> str:
        names = [row.kind] if isinstance(row, KindRow) else [row.first, row.second]
        room = int(KIND_SHARE * self.width)
        return ", ".join(shorten(self.write(name), room, self.write(ELLIPSIS)) for name in names)


def _kind_columns(rows: Sequence[KindRow], level: str) -> list[Column]:
    shares = [
        Column(("", head), [row.shares[facet] for row in rows])
        for facet, head in FACETS.items()
        if facet == "target" or any(row.shares[facet] != DASH for row in rows)
    ]
    return [
        Column(("", "raters"), [row.raters for row in rows], rank=6),
        Column(("", "mean"), [row.mean for row in rows], rank=5),
        Column.group("variance in %", shares, rank=1),
        Column(("one rater", f"Rel(1) {level}"), align([row.rel_single for row in rows]), left=True),
        Column(("", "k"), [row.k for row in rows], rank=4),
        Column(("mean of k", f"Rel(k) {level}"), align([row.rel_k for row in rows]), left=True, rank=3),
    ]


def _pair_columns(rows: Sequence[PairRow], level: str) -> list[Column]:
    return [
        Column(("correlation", f"without noise {level}"), align([row.correlation for row in rows]), left=True),
        Column(("p of", "1"), [row.p for row in rows], rank=3),
        Column(("", "observed"), [row.observed.value for row in rows], rank=2),
        Column(("", "ceiling"), [row.ceiling for row in rows], rank=4),
        Column(("difference", f"of means {level}"), align([row.difference for row in rows]), left=True, rank=1),
    ]


def align(cells: Sequence[Cell]) -> list[str]:
    """Write value, mark and interval of each cell, the values below each other."""
    widest = max(len(cell.value) for cell in cells)
    marked = any(cell.mark for cell in cells)
    return [f"{cell.value:>{widest}}{cell.mark or (' ' if marked else '')} {cell.interval}".rstrip() for cell in cells]


def _legend_of_kinds(rows: Sequence[KindRow]) -> str:
    marked = any(row.rel_single.mark or row.rel_k.mark for row in rows)
    own = f" {MARK} of the one rater that each target has, not of fresh raters." if marked else ""
    repeated = f" k: raters {TIMES} ratings of each that are averaged." if any(TIMES in row.k for row in rows) else ""
    return (
        "Each kind by itself: the share of the variance of one rating, and of the mean of k fresh raters of the kind, "
        f"that is due to the targets.{repeated}{own}"
    )


def _legend_of_pairs(rows: Sequence[PairRow]) -> str:
    marked = any(row.correlation.mark for row in rows)
    noisy = f" {MARK} the noise of single ratings is left in." if marked else ""
    return (
        "Correlation without noise: how far both see the same in the targets; p of 1: the test that they see exactly "
        "the same. Observed: correlation of the plain means; ceiling: what noise alone would leave of a perfect one. "
        f"Difference: mean of the second kind less that of the first.{noisy}"
    )


def _findings(comparison: KindsComparison) -> list[str]:
    found = [print_sentence(finding) for finding in comparison.findings]
    if len(comparison.dimensions) > MOST_IN_DETAIL:
        return [*found, "The sentences about each dimension stand in the page and the JSON."]
    alone = len(comparison.dimensions) == 1
    for d in comparison.dimensions:
        found += [sentence if alone else f"{clean(d.name)}: {sentence}" for sentence in sentences_of(d)]
    return found
