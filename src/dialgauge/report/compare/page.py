"""One HTML page on systems compared that stands alone: verdicts, means, ranks, figures, every measure, methods."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from markupsafe import Markup

from dialgauge.analyse.compare import ComparedMeasure, Difference, SecondRoute, SystemsComparison
from dialgauge.report.compare.charts import draw_forest, draw_forests, draw_ranks
from dialgauge.report.compare.designs import say_designs, say_flags, sizes_of
from dialgauge.report.compare.words import (
    COMPONENTS,
    ROUTES,
    Gap,
    conclude,
    list_gaps,
    mean_of,
    say_better,
    say_difference,
    say_family,
    say_margin,
    say_pair,
    say_size,
    say_verdict,
    systems_of,
    title_of,
    write_ends,
    write_gap,
    write_p,
    write_rank,
    write_value,
)
from dialgauge.report.figures import Figure
from dialgauge.report.numerals import DASH, MINUS, percent, plural
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, typeset
from dialgauge.stats.estimate import Refusal

FEW_OPEN = 3
"""Up to so many measures are shown in full at once."""


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A difference as it is printed; ``first_of`` is the measure on its first row."""

    first_of: str
    better: str
    anchor: str
    pair: str
    difference: str
    simultaneous: str
    own: str
    shared: str
    p_pairs: str
    p_table: str
    verdict: str
    margin: str
    shown: bool


@dataclass(frozen=True, slots=True)
class SystemCell:
    """Mean and rank of a system as they are printed."""

    mean: str
    interval: str
    rank: str
    ranks: str
    note: str


@dataclass(frozen=True, slots=True)
class MeasureDetail:
    """Everything on one measure."""

    anchor: str
    title: str
    summary: str
    sentences: list[str]
    findings: list[str]
    facts: list[tuple[str, str]]
    components: list[tuple[str, str, str]]
    needed: list[list[tuple[str, str]]]
    figure: tuple[Figure, Markup] | None


@dataclass(frozen=True, slots=True)
class Block:
    """Everything on one data set."""

    key: str
    title: str
    alone: str
    systems: list[str]
    facts: list[tuple[str, str]]
    family: str
    conclusion: str
    margin: str
    findings: list[str]
    differences: list[DifferenceRow]
    means: list[tuple[str, str, list[SystemCell]]]
    figures: list[tuple[Figure, Markup]]
    details: list[MeasureDetail]
    gaps: list[Gap]
    notes: list[str]
    designs: str


def render_comparison_page(found: Sequence[SystemsComparison], *, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source.

    It asks nothing of the network; all names and notes in it are escaped.
    """
    first = found[0]
    blocks = [_block(each, several=len(found) > 1) for each in found]
    return load_template("compare/page.html.j2").render(
        title=clean(title or PurePath(first.source).name) or "Systems",
        source=clean(first.source) or "not named",
        level=f"{first.level * 100:g}",
        blocks=blocks,
        verdict=" ".join(
            f"{clean(each.data_set)}: {conclude(each)}" if len(found) > 1 else conclude(each) for each in found
        ),
        wanted=first.wanted is not None,
        power=f"{first.power:g}",
        seed=first.seed,
        versions=first.versions,
    )


def _block(found: SystemsComparison, *, several: bool) -> Block:
    key = "".join(sign if sign.isalnum() else "-" for sign in found.data_set) or "all"
    alone = len(found.systems) == 2
    drawn = [figure for figure in (draw_ranks(found), *draw_forests(found)) if figure is not None]
    return Block(
        key=key,
        title=clean(found.data_set) if several else "",
        alone=f" {MINUS} ".join(systems_of(found)) if alone else "",
        systems=systems_of(found),
        facts=_facts(found),
        family=say_family(found),
        conclusion=f"{say_size(found)}. {conclude(found)}",
        margin=""
        if found.margin is None
        else f"±{write_value(found.margin, found.measures[0])}"
        if found.measures
        else "",
        findings=[typeset(clean(sentence)) for sentence in found.findings],
        differences=_differences(found, key),
        means=[
            (title_of(m), f"{say_better(m)}; {ROUTES[m.route]}", [_cell(m, s.system) for s in found.systems])
            for m in found.measures
        ],
        figures=[_mark(figure) for figure in drawn],
        details=[_detail(found, m, f"{key}-{i}", i, alone=alone) for i, m in enumerate(found.measures, start=1)],
        gaps=list_gaps(found),
        notes=[typeset(clean(note)) for note in found.notes],
        designs=" ".join(filter(None, [say_designs(found), say_flags(found)])),
    )


def _facts(found: SystemsComparison) -> list[tuple[str, str]]:
    facts = []
    for s in found.systems:
        parts = [plural(s.n_dialogues, "dialogue")]
        parts += [f"{s.n_failed:,} of them failed by the system"] if s.n_failed else []
        parts += [f"{s.n_left_out:,} left out"] if s.n_left_out else []
        parts += [plural(s.n_personas, "persona")] if s.n_personas is not None else []
        parts += [plural(s.n_preferences, "preference")] if s.n_preferences is not None else []
        facts.append((clean(s.system), ", ".join(parts)))
    return facts


def _differences(found: SystemsComparison, key: str) -> list[DifferenceRow]:
    return [
        DifferenceRow(
            first_of=title_of(m) if position == 0 else "",
            better=say_better(m),
            anchor=f"{key}-{number}",
            pair=say_pair(d),
            difference=write_gap(d.difference.value, m),
            simultaneous=write_ends(d.simultaneous, m),
            own=_say_own(d, m),
            shared=f"{d.n_paired:,}" if d.n_paired else DASH,
            p_pairs=write_p(d.p_pairs),
            p_table=write_p(d.p_table),
            verdict=say_verdict(d, m),
            margin=say_margin(d, found.margin, m),
            shown=d.verdict != "not shown",
        )
        for number, m in enumerate(found.measures, start=1)
        for position, d in enumerate(m.differences)
    ]


def _say_own(d: Difference, m: ComparedMeasure) -> str:
    said = f"own interval {write_ends(d.difference, m)}, {d.df:.1f} df, p {write_p(d.p)}"
    if d.p_route is None:
        return said
    ratio = "" if d.route_ratio is None else f", standard error {d.route_ratio:.2f} times the clustered one"
    return f"{said}{ratio}; by the clustered route p {write_p(d.p_route)} over all pairs"


def _cell(m: ComparedMeasure, system: str) -> SystemCell:
    mean = mean_of(m, system)
    if mean is None:
        why = next((left.reason for left in m.left_out if left.system == system), "")
        return SystemCell(DASH, "", "", "", typeset(clean(why)))
    e = mean.mean
    ends = "" if e.low is None or e.high is None else f"[{write_value(e.low, m)}, {write_value(e.high, m)}]"
    value, _, ranks = write_rank(mean.rank).partition(" ")
    return SystemCell(write_value(e.value, m), ends, value, ranks, f"{mean.n:,} values; {typeset(clean(e.method))}")


def _detail(found: SystemsComparison, m: ComparedMeasure, anchor: str, number: int, *, alone: bool) -> MeasureDetail:
    shown = sum(d.verdict != "not shown" for d in m.differences)
    figure = None if alone else draw_forest(found, m, number)
    return MeasureDetail(
        anchor=anchor,
        title=title_of(m),
        summary=f"{shown} of {len(m.differences)} shown, {say_better(m)}",
        sentences=[say_difference(d, m, found.margin) for d in m.differences],
        findings=[typeset(clean(sentence)) for sentence in m.findings],
        facts=_measure_facts(m),
        components=_components(m),
        needed=[sizes_of(found, n) for n in m.needed] if isinstance(m.needed, tuple) else [],
        figure=None if figure is None else _mark(figure),
    )


def _measure_facts(m: ComparedMeasure) -> list[tuple[str, str]]:
    facts = [("method", typeset(clean(m.method))), ("values", f"{m.n:,}")]
    covers = list(dict.fromkeys(d.difference.covers for d in m.differences))
    facts += [("the intervals cover", typeset(clean("; ".join(covers))))] if covers else []
    facts += [("raters", f"{m.n_raters:,}")] if m.n_raters is not None else []
    facts += [
        ("not told from another part", f"{COMPONENTS.get(name, name)}: {why}") for name, why in m.cannot_tell.items()
    ]
    route = m.second_route
    if isinstance(route, SecondRoute):
        facts.append(("second route", f"standard errors are {route.ratio:.2f} times those of the clustered route"))
    elif isinstance(route, Refusal):
        facts.append(("second route", f"none: {route.reason}"))
    return [(name, typeset(clean(text))) for name, text in facts]


def _components(m: ComparedMeasure) -> list[tuple[str, str, str]]:
    total = sum(m.variance.values())
    return [
        (
            COMPONENTS.get(name, clean(name)),
            f"{value:.4g}{' (at the edge)' if name in m.boundary else ''}",
            f"{percent(value / total)}%" if total > 0.0 else DASH,
        )
        for name, value in m.variance.items()
    ]


def _mark(figure: Figure) -> tuple[Figure, Markup]:
    return figure, Markup(figure.svg)  # noqa: S704 (Vega escapes its texts)
