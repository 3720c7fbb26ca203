"""The reliability table for a terminal: 100 columns, readable without colour, in ASCII where it must be."""

from collections.abc import Sequence

from rich.cells import cell_len

from dialgauge.analyse.results import Coefficient, DimensionReliability, Reliability
from dialgauge.report.average import equate_k
from dialgauge.report.grouping import group_findings, say_finding, shorten_list
from dialgauge.report.lines import GAP, WIDTH, Column, Lines, drop_to_fit, total_width
from dialgauge.report.numerals import DASH, decimal, fixed, percent
from dialgauge.report.sentences import describe_design, list_gaps
from dialgauge.report.text import ELLIPSIS, clean, shorten_all
from dialgauge.stats.estimate import Estimate

_SHORT = {"target_x_rater": "target × rater", "residual": "residual"}

SHORTEST_NAME = 14
NARROW_GAP = " "
MOST_NAMES = 6
SHARES = "variance in %"

_SHARES = {"target": "target", "rater": "rater", "target_x_rater": "t×r", "residual": "res."}


def render(analysis: Reliability, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return the notes, the table, the findings and what could not be computed as text.

    No line is wider than ``width`` (44 to 100; a narrow table leaves columns out and says so). ``styled`` adds the
    codes of terminals for bold and dim; ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=width, ascii_only=ascii_only)
    writer.add_head(analysis)
    if analysis.dimensions:
        writer.add_table(analysis)
    writer.add_findings(analysis)
    writer.add_gaps(analysis)
    return writer.to_text(styled=styled)


class _Writer(Lines):
    """Writes the parts of an analysis."""

    def add_head(self, analysis: Reliability) -> None:
        for note in analysis.notes:
            self.say(clean(note), style="dim")
        if analysis.notes:
            self.line()
        self.say(describe_design(analysis), style="bold")
        self.line()

    def add_table(self, analysis: Reliability) -> None:
        columns = [self.translate(column) for column in _columns(analysis)]
        kept = drop_to_fit(columns, self.width - SHORTEST_NAME - 1)
        room, gap = self.width - total_width(kept) - 1, GAP
        whole = [self.write(clean(d.name)) for d in analysis.dimensions]
        if max(map(cell_len, whole)) > room:  # rather narrow the gaps than cut a name
            room, gap = room + (len(kept) - 1) * (len(GAP) - len(NARROW_GAP)), NARROW_GAP
        names = shorten_all(whole, room, self.write(ELLIPSIS))
        first = Column(("", "dimension"), names, left=True)
        rows = zip(first.lines(room), *(column.lines() for column in kept), strict=True)
        lines = [f"{name} {gap.join(cells)}" for name, *cells in rows]
        for head in lines[:2]:
            self.line(head, style="bold")
        self.rule()
        for line in lines[2:]:
            self.line(line)
        self.line()
        self.say(_legend(analysis, shares=any(column.heads[0] == SHARES for column in kept)), style="dim")
        if len(kept) < len(columns):
            self.say("Some columns do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")

    def add_findings(self, analysis: Reliability) -> None:
        names = [clean(d.name) for d in analysis.dimensions]
        self.section("Findings", [say_finding(finding, names, MOST_NAMES) for finding in group_findings(analysis)])

    def add_gaps(self, analysis: Reliability) -> None:
        sentences = []
        for gap in list_gaps(analysis):
            what = f", {gap.what}" if gap.what else ""
            names = shorten_list(gap.dimensions, MOST_NAMES)
            sentences.append(f"{names}{what}: {gap.reason}. What would help: {gap.remedy}.")
        self.section("What could not be computed, why, and what would help", sentences)


def _columns(analysis: Reliability) -> list[Column]:
    """Return the columns to the right of the names."""
    rows = analysis.dimensions
    level = f"[{analysis.level * 100:g}%]"
    return [
        Column(("", "mean"), [fixed(d.mean.value) for d in rows], rank=2),
        _shares(rows),
        Column(("one rater", f"Rel(1) {level}"), _intervals([d.rel_single for d in rows]), left=True, rank=1),
        Column((equate_k(analysis), f"Rel(k) {level}"), _intervals([d.rel_k for d in rows]), left=True),
        Column(("alpha", "ord."), [_value(d.alpha_ordinal) for d in rows], rank=3),
        Column(("", "band"), [d.band or DASH for d in rows], left=True),
    ]


def _shares(rows: Sequence[DimensionReliability]) -> Column:
    """Return the shares of variance as one column under a common heading."""
    shares = [d.variance.shares() for d in rows]
    facets = [facet for facet in _SHARES if any(facet in share for share in shares)]
    parts = [
        Column(("", _SHARES[facet]), [percent(share[facet]) if facet in share else DASH for share in shares])
        for facet in facets
    ]
    return Column.group(SHARES, parts, rank=4)


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
    """Explain what the headings cannot: brackets, short words, bands."""
    facets = {facet for d in analysis.dimensions for facet in d.variance.shares()}
    short = [f"{_SHARES[facet]}: {words}." for facet, words in _SHORT.items() if shares and facet in facets]
    brackets = f"In brackets: {analysis.level * 100:g}% interval, covering the sampling of {_say_covers(analysis)}."
    bands = "band: word for Rel(k) after Koo and Li, moderate from .50, good from .75, excellent from .90."
    return " ".join([brackets, *short, bands])


def _say_covers(analysis: Reliability) -> str:
    """Say what the intervals of Rel cover; where it differs, for which dimensions."""
    groups: dict[str, list[str]] = {}
    for d in analysis.dimensions:
        groups.setdefault(clean(d.rel_k.covers), []).append(clean(d.name))
    (usual, _), *others = sorted(groups.items(), key=lambda group: -len(group[1]))
    apart = [f"for {shorten_list(names, MOST_NAMES)}: {covers}" for covers, names in others]
    return f"{usual} ({'; '.join(apart)})" if apart else usual
