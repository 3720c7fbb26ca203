"""Repeated measurement for a terminal: counts by class and group, correspondence, agreement, the hypotheses."""

from dialgauge.analyse.retest.classes import CLASSES
from dialgauge.analyse.retest.records import GroupSummary, Part, Repeat, Retest
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.numerals import DASH, decimal
from dialgauge.report.retest.words import (
    CLASS_LIMITS,
    MEASURES,
    PARTS,
    SYMBOLS,
    describe_retest,
    print_sentence,
    say_group,
    say_use,
    whole,
    write_interval,
    write_value,
)
from dialgauge.report.text import clean, shorten_all

LONGEST_NAME = 26
MOST_ROWS = 12
"""Up to so many pairs of dimension and rater have a line each."""


def render_retest(analysis: Retest, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return notes, counts, tables, hypotheses and findings as text.

    No line is wider than ``width`` (44 to 100; a narrow table leaves columns out). ``styled`` adds the codes of
    terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=width, ascii_only=ascii_only)
    for note in analysis.notes:
        writer.say(clean(note), style="dim")
    if analysis.notes:
        writer.line()
    writer.say(clean(describe_retest(analysis)), style="bold")
    writer.add_raters(analysis)
    if analysis.groups:
        writer.add_groups(analysis)
    if len(analysis.repeats) <= MOST_ROWS:
        writer.add_repeats(analysis)
    writer.add_values(analysis)
    writer.section("Hypotheses, answered with counts", [print_sentence(s) for s in analysis.hypotheses])
    writer.section("Findings", [print_sentence(s) for s in analysis.findings])
    return writer.to_text(styled=styled)


class _Writer(Lines):
    """Writes the parts of an analysis."""

    def add_raters(self, analysis: Retest) -> None:
        rows = [s for rater in analysis.raters for part in PARTS for s in whole(analysis, part) if s.rater == rater]
        self.line()
        self.say("Study 1: dimensions by class, in parentheses those whose lower limit is there too", style="bold")
        names = shorten_all([clean(s.rater) for s in rows], LONGEST_NAME)
        shown = [name if s.part == "single" else "" for name, s in zip(names, rows, strict=True)]
        self.table(
            [
                Column(("", "rater"), shown, left=True),
                Column(("", "of"), [SYMBOLS[s.part] for s in rows], left=True),
                *(Column(("", name), [_counted(s, i) for s in rows]) for i, name in enumerate(CLASSES)),
                Column(("", "excl."), [str(s.n_excluded) for s in rows], rank=1),
                Column(("", "none"), [str(s.n_refused) for s in rows], rank=2),
            ]
        )
        self.say(f"{CLASS_LIMITS}. excl.: one value nearly always; none: no coefficient.", style="dim")

    def add_groups(self, analysis: Retest) -> None:
        self.line()
        self.say("Groups of dimensions: lowest to highest ICC(3,1), mean in parentheses", style="bold")
        labels = shorten_all([say_group(group) for group in analysis.groups], LONGEST_NAME)
        columns = [Column(("", "group"), labels, left=True)]
        for number, rater in enumerate(analysis.raters):
            own = {s.group: s for s in analysis.summaries if s.rater == rater and s.part == "single"}
            cells = [_span(own[group]) for group in analysis.groups]
            (name,) = shorten_all([clean(rater)], LONGEST_NAME)
            columns.append(Column(("", name), cells, left=True, rank=number))
        if not self.table(columns):
            self.say("Some raters do not fit this terminal; the page, LaTeX and JSON have all of them.", style="dim")

    def add_repeats(self, analysis: Retest) -> None:
        rows = analysis.repeats
        self.line()
        self.say(f"Each dimension by each rater, {analysis.level * 100:g}% intervals", style="bold")
        self.table(
            [
                Column(("", "dimension"), shorten_all([clean(r.dimension) for r in rows], LONGEST_NAME), left=True),
                Column(("", "rater"), shorten_all([clean(r.rater) for r in rows], 16), left=True),
                Column(("one", "rating"), [write_value(r.single) for r in rows]),
                Column(("", "interval"), [write_interval(r.single) for r in rows], left=True, rank=1),
                Column(("", "class"), [_class(r, "single") for r in rows], left=True),
                Column(("mean", "of k"), [write_value(r.mean) for r in rows], rank=2),
                Column(("", "use"), [say_use(r) for r in rows], left=True),
            ]
        )

    def add_values(self, analysis: Retest) -> None:
        for found in analysis.values.bands:
            self.line()
            self.say(f"Study 3: {found.n_dimensions} dimensions by {MEASURES[found.measure]}", style="bold")
            pairs = shorten_all([f"{clean(a)} / {clean(b)}" for a, b in found.pairs], 36)
            rows = [*found.counts, found.in_all]
            self.table(
                [
                    Column(("", "pair of raters"), [*pairs, "in all pairs"], left=True),
                    *(Column(("", word), [str(row[i]) for row in rows]) for i, word in enumerate(found.bands)),
                ],
                bold={len(pairs)},
            )


def _counted(summary: GroupSummary, number: int) -> str:
    name = CLASSES[number]
    return f"{summary.counts[name]} ({summary.supported[name]})" if summary.counts[name] else DASH


def _span(summary: GroupSummary) -> str:
    if summary.lowest is None or summary.highest is None or summary.average is None:
        return DASH
    return f"{decimal(summary.lowest, 2)} to {decimal(summary.highest, 2)} ({decimal(summary.average, 2)})"


def _class(repeat: Repeat, part: Part) -> str:
    return repeat.class_of(part) or repeat.status
