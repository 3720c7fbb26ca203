"""Raters as the page shows them: rows of the table, profiles of those worth a look, what leaving some out changes."""

from dataclasses import dataclass

from markupsafe import Markup

from dialgauge.analyse.raters.findings import say_changes
from dialgauge.analyse.raters.parts import RaterSpeed, Severity, StraightLining, UseOfScale, Without
from dialgauge.analyse.raters.records import RaterQuality
from dialgauge.analyse.results import Coefficient
from dialgauge.report.numerals import DASH, decimal, fixed, percent, plural
from dialgauge.report.raters.bars import draw_bars, main_use
from dialgauge.report.raters.numbers import (
    change_of,
    say_change,
    say_interval,
    say_seconds,
    say_severity,
    say_straight,
    say_value,
    signed,
)
from dialgauge.report.raters.words import say_rules
from dialgauge.report.text import clean, typeset
from dialgauge.stats.estimate import Refusal


@dataclass(frozen=True, slots=True)
class Row:
    """A rater as it stands in the table; all texts are ready to print."""

    name: str
    targets: str
    severity: tuple[str, str]
    scatter: tuple[str, str]
    agreement: str
    straight: str
    halo: str
    bars: Markup
    seconds: str
    rules: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A rater that is worth a look: why, what leaving it out would change, its conduct, its numbers by dimension."""

    name: str
    rules: str
    reasons: tuple[str, ...]
    change: str
    facts: tuple[tuple[str, str], ...]
    uses: tuple[tuple[str, Markup], ...]
    dimensions: tuple[tuple[str, tuple[str, str], tuple[str, str], str], ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What leaving some raters out would change: whom, in a sentence, and a row a dimension."""

    title: str
    sentence: str
    rows: tuple[tuple[str, str, str, str, str, str], ...]


def make_row(rater: RaterQuality) -> Row:
    """Return ``rater`` as a row of the table."""
    return Row(
        name=clean(rater.name),
        targets=f"{rater.n_targets:,}",
        severity=say_severity(rater.severity),
        scatter=_ratio(rater.consistency),
        agreement=say_value(rater.agreement),
        straight=say_straight(rater.straight_lining),
        halo=say_value(rater.halo),
        bars=draw_bars(main_use(rater).counts) if rater.use else Markup(),
        seconds=say_seconds(rater.speed),
        rules=say_rules(rater),
    )


def make_profile(rater: RaterQuality) -> Profile:
    """Return all that is known about ``rater``."""
    changes = {c.dimension: change_of(c.rel_k) for c in rater.without.changes} if rater.without else {}
    return Profile(
        name=clean(rater.name),
        rules=say_rules(rater),
        reasons=tuple(typeset(clean(flag.reason)) for flag in rater.flags),
        change=clean(say_changes(rater.without)) if rater.without else "",
        facts=tuple(_facts(rater)),
        uses=tuple((_say_use(use), draw_bars(use.counts)) for use in rater.use),
        dimensions=tuple(
            (
                clean(name),
                say_severity(severity),
                _ratio(rater.consistencies[name]) if name in rater.consistencies else (DASH, ""),
                changes.get(name, DASH),
            )
            for name, severity in rater.severities.items()
        ),
    )


def make_left_out(without: Without, whom: str) -> LeftOut:
    """Return what leaving the raters of ``without`` out would change; ``whom`` says who they are."""
    n = len(without.raters)
    return LeftOut(
        title=f"Without the {'rater' if n == 1 else f'{n:,} raters'} {whom}",
        sentence=f"{plural(without.n_ratings, 'rating')} fewer: {clean(say_changes(without))}.",
        rows=tuple(
            (
                clean(c.dimension),
                " → ".join(DASH if value is None else fixed(value) for value in c.mean),
                decimal(c.rel_k[0]),
                DASH if c.rel_k[1] is None else decimal(c.rel_k[1]),
                change_of(c.rel_k) + (" *" if c.within is False else ""),
                say_change(c),
            )
            for c in without.changes
        ),
    )


def _ratio(coefficient: Coefficient) -> tuple[str, str]:
    if isinstance(coefficient, Refusal):
        return DASH, ""
    return say_value(coefficient, ratio=True), say_interval(coefficient, ratio=True)


def _say_use(use: UseOfScale) -> str:
    most = max(use.counts, key=lambda pair: pair[1])[0]
    return (
        f"{clean(use.scale)}: values {use.low:g} to {use.high:g}, most often {clean(most)} "
        f"({percent(use.most_used)}%), at the ends {percent(use.extremes)}%, entropy {decimal(use.entropy, 2)}"
    )


def _facts(rater: RaterQuality) -> list[tuple[str, str]]:
    """Return each measure with what is known of it."""
    found = [("ratings", f"{rater.n_ratings:,} of {plural(rater.n_targets, 'target')}")]
    severity, scatter, lines, speed = rater.severity, rater.consistency, rater.straight_lining, rater.speed
    if isinstance(severity, Severity):
        where = f"{signed(severity.in_sd)} standard deviations; standard error against all raters there could be"
        found.append(("severity", f"{' '.join(say_severity(severity))}, {where} {fixed(severity.prediction_se)}"))
    if not isinstance(scatter, Refusal):
        found.append(("scatter", f"{' '.join(_ratio(scatter))} times that of the others"))
    for title, coefficient in (("agreement with the others", rater.agreement), ("halo", rater.halo)):
        if not isinstance(coefficient, Refusal):
            over = f"over {plural(coefficient.n, 'target')}"
            found.append((title, f"{say_value(coefficient)} {say_interval(coefficient)} {over}"))
    if isinstance(lines, StraightLining):
        others = "" if lines.by_others is None else f", the others {percent(lines.by_others)}%"
        run = "" if lines.longest_run is None else f"; longest run {lines.longest_run}"
        expected = f"own use of the scale would give {percent(lines.by_chance)}%{others}"
        found.append(("one value per target", f"{say_straight(lines)} ({expected}){run}"))
    if isinstance(speed, RaterSpeed):
        found.append(("speed", f"median {say_seconds(speed)} seconds, too fast for {percent(speed.fast)}%"))
    return found
