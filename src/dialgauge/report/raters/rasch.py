"""The many-facet Rasch model as tables: a row per dimension, and a row per rater of each."""

from dataclasses import dataclass

from dialgauge.analyse.raters.rasch import FIT_HIGH, FIT_LOW, RaschDimension, RaschRater, RaschReport, RaschThreshold
from dialgauge.report.lines import Column, Lines
from dialgauge.report.numerals import DASH, decimal, fixed
from dialgauge.report.raters.numbers import signed
from dialgauge.report.text import ELLIPSIS, clean, shorten_all, typeset

LONGEST_NAME = 24
MOST_IN_DETAIL = 3
"""Up to so many dimensions have a table of their raters in a terminal."""

MOST_ROWS = 20

MODELS = {
    "rating_scale": "rating scale model: all raters share the thresholds",
    "partial_credit": "partial credit model: each rater has thresholds of its own",
}


@dataclass(frozen=True, slots=True)
class RaschRow:
    """A rater on one dimension; all texts are ready to print."""

    name: str
    ratings: str
    severity: str
    se: str
    infit: str
    outfit: str
    thresholds: str
    misfit: bool


@dataclass(frozen=True, slots=True)
class RaschTable:
    """A dimension with its raters; all texts are ready to print."""

    name: str
    of_raters: str
    of_targets: str
    span: str
    thresholds: str
    steps: tuple[tuple[str, str], ...]
    unused: str
    rows: tuple[RaschRow, ...]
    findings: tuple[str, ...]


def tabulate_rasch(rasch: RaschReport) -> list[RaschTable]:
    """Return a table per dimension that could be fitted."""
    return [_table(d) for d in rasch.dimensions.values()]


def list_rasch_gaps(rasch: RaschReport) -> list[tuple[str, str, str]]:
    """Return the dimensions that could not be fitted: their names, the reason, and what would help."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, refusal in rasch.refused.items():
        found.setdefault((refusal.reason, refusal.remedy), []).append(clean(name))
    return [
        (", ".join(names), typeset(clean(reason)), typeset(clean(remedy))) for (reason, remedy), names in found.items()
    ]


def add_rasch(lines: Lines, rasch: RaschReport) -> None:
    """Add the tables to ``lines``: one of the dimensions, and of few dimensions one of the raters of each."""
    lines.line()
    lines.say(f"Many-facet Rasch model, in logits ({MODELS[rasch.model]})", style="bold")
    tables = tabulate_rasch(rasch)
    if tables:
        _add_dimensions(lines, tables)
    if len(tables) <= MOST_IN_DETAIL:
        for table in tables:
            _add_raters(lines, table)
        found = [f"{table.name}: {sentence}" for table in tables for sentence in table.findings]
        lines.section("What the Rasch model finds", found)
    else:
        lines.say("The page, CSV and JSON have the raters of each dimension.", style="dim")
    gaps = [f"{names}: {reason}. What would help: {remedy}." for names, reason, remedy in list_rasch_gaps(rasch)]
    lines.section("Where the Rasch model was refused, why, and what would help", gaps)


def _add_dimensions(lines: Lines, tables: list[RaschTable]) -> None:
    names = shorten_all([lines.write(table.name) for table in tables], LONGEST_NAME, lines.write(ELLIPSIS))
    columns = [
        Column(("", "dimension"), names, left=True),
        Column(("reliability", "of raters"), [table.of_raters for table in tables]),
        Column(("reliability", "of targets"), [table.of_targets for table in tables]),
        Column(("severity", "from, to"), [table.span for table in tables], left=True, rank=1),
        Column(("", "thresholds"), [table.thresholds for table in tables], left=True, rank=2),
    ]
    lines.table(columns)
    lines.line()
    lines.say(
        "Separation reliability: how clearly targets, and raters, differ from one another; for raters it is no "
        "agreement. Severity above 0: lower ratings than the mean rater. Infit, outfit: 1 as expected, "
        f"{FIT_LOW:g} to {FIT_HIGH:g} fine, above noisier, below more predictable than the model.",
        style="dim",
    )


def _add_raters(lines: Lines, table: RaschTable) -> None:
    shown = table.rows[:MOST_ROWS]
    names = shorten_all([lines.write(row.name) for row in shown], LONGEST_NAME, lines.write(ELLIPSIS))
    lines.line()
    lines.say(f"{table.name}, the most severe first", style="bold")
    columns = [
        Column(("", "rater"), names, left=True),
        Column(("", "ratings"), [row.ratings for row in shown], rank=2),
        Column(("", "severity"), [row.severity for row in shown]),
        Column(("", "SE"), [row.se for row in shown]),
        Column(("", "infit"), [row.infit for row in shown], rank=1),
        Column(("", "outfit"), [row.outfit for row in shown], rank=1),
    ]
    if any(row.thresholds for row in shown):
        columns.append(Column(("", "thresholds"), [row.thresholds for row in shown], left=True, rank=3))
    complete = lines.table(columns, bold=[i for i, row in enumerate(shown) if row.misfit])
    if len(table.rows) > len(shown):
        lines.say(f"and {len(table.rows) - len(shown):,} more; CSV, JSON and page have all.")
    if not complete:
        lines.say("Some columns do not fit this terminal; the page, CSV and JSON have all of them.", style="dim")


def _table(d: RaschDimension) -> RaschTable:
    severities = [rater.severity for rater in d.raters]
    return RaschTable(
        name=clean(d.name),
        of_raters=decimal(d.of_raters.reliability, 2),
        of_targets=decimal(d.of_targets.reliability, 2),
        span=f"{signed(min(severities))} to {signed(max(severities))}",
        thresholds=_say_thresholds(d.thresholds) or "by rater",
        steps=tuple(
            (
                f"{clean(step.below)} to {clean(step.above)}",
                fixed(step.value) + ("" if step.se is None else f" ({fixed(step.se)})"),
            )
            for step in d.thresholds
        ),
        unused=", ".join(map(clean, d.unused)),
        rows=tuple(map(_row, d.raters)),
        findings=tuple(typeset(clean(finding)) for finding in d.findings),
    )


def _row(rater: RaschRater) -> RaschRow:
    fits = [value for value in (rater.infit, rater.outfit) if value is not None]
    mark = {-1: " (all lowest)", 1: " (all highest)"}.get(rater.extreme, "")
    return RaschRow(
        name=clean(rater.name) + mark,
        ratings=f"{rater.n_ratings:,}",
        severity=signed(rater.severity),
        se=fixed(rater.se),
        infit=DASH if rater.infit is None else fixed(rater.infit),
        outfit=DASH if rater.outfit is None else fixed(rater.outfit),
        thresholds=_say_thresholds(rater.thresholds),
        misfit=any(value > FIT_HIGH for value in fits),
    )


def _say_thresholds(thresholds: tuple[RaschThreshold, ...]) -> str:
    return ", ".join(fixed(step.value) for step in thresholds)
