"""Figures of a comparison: forests of differences around zero, and ranks with their intervals."""

from collections.abc import Sequence

import altair as alt

from dialgauge.analyse.compare import ComparedMeasure, Difference, SystemsComparison
from dialgauge.report.abilities.charts import COLOURS
from dialgauge.report.compare.words import say_better, say_pair, title_of, write_value
from dialgauge.report.figures import Figure
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean, distinguish
from dialgauge.report.theme import BLUE, FAINT, INK, SOFT, pick_drawn, to_svg

LONGEST_NAME, LONGEST_PAIR = 26, 34
ROW, LEAST_HEIGHT = 26, 60
RANK_ROW = 11
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
LOWER = "↓"
SHOWN, NOT_SHOWN = "a better system is shown", "not shown"

Row = dict[str, object]


def draw_forests(found: SystemsComparison) -> tuple[Figure, ...]:
    """Return, for two systems, a forest of all measures of a unit; none for more, which have one per measure."""
    if len(found.systems) != 2 or not found.measures:
        return ()
    units = list(dict.fromkeys(_unit(m) for m in found.measures))
    figures = []
    for number, unit in enumerate(units, start=1):
        measures = pick_drawn([m for m in found.measures if _unit(m) == unit and m.differences])
        if not measures:
            continue
        labels = distinguish([_mark_lower(m) for m in measures], LONGEST_NAME)
        rows = [_row(label, m.differences[0]) for label, m in zip(labels, measures, strict=True)]
        first, second = clean(found.systems[0].system), clean(found.systems[1].system)
        title = f"{first} minus {second}: {_say_unit(measures[0])}"
        figures.append(_forest(found, rows, labels, measures[0], title=title, name=f"forest-{number}"))
    return tuple(figures)


def draw_forest(found: SystemsComparison, measure: ComparedMeasure, number: int) -> Figure | None:
    """Return the forest of all pairs of systems on one measure; None where there is no pair."""
    if not measure.differences:
        return None
    drawn = pick_drawn(measure.differences)
    labels = distinguish([say_pair(d) for d in drawn], LONGEST_PAIR)
    rows = [_row(label, d) for label, d in zip(labels, drawn, strict=True)]
    title = f"{title_of(measure)}: {say_better(measure)}"
    return _forest(found, rows, labels, measure, title=title, name=f"measure-{number}")


def draw_ranks(found: SystemsComparison) -> Figure | None:
    """Return the rank of each of three or more systems on each measure, with intervals; None where there is none."""
    measures = pick_drawn([m for m in found.measures if m.means])
    if not measures or len(found.systems) < 3:
        return None
    titles = distinguish([title_of(m) for m in measures], LONGEST_NAME)
    systems = distinguish([clean(s.system) for s in found.systems], LONGEST_NAME)
    short = {s.system: name for s, name in zip(found.systems, systems, strict=True)}
    rows: list[Row] = [
        {"measure": t, "system": short[s.system], "rank": s.rank.rank, "low": s.rank.low, "high": s.rank.high}
        for t, m in zip(titles, measures, strict=True)
        for s in m.means
    ]
    n = len(systems)
    x_scale = alt.Scale(domain=[0.7, n + 0.3], nice=False)
    axis = alt.Axis(values=list(range(1, n + 1)), format="d", grid=True, title="rank, 1 is best")
    colour = alt.Scale(domain=systems, range=[COLOURS[i % len(COLOURS)] for i in range(n)])
    shape = alt.Scale(domain=systems, range=[SHAPES[i % len(SHAPES)] for i in range(n)])
    y_axis = alt.Axis(title=None, ticks=False, domain=False, labelPadding=8, labelOverlap=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("measure:N", sort=titles, axis=y_axis),
        yOffset=alt.YOffset("system:N", sort=systems, scale=alt.Scale(paddingOuter=0.6)),
        color=alt.Color("system:N", scale=colour),
    )
    lines = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=x_scale, axis=axis), x2="high:Q")
    points = base.mark_point(filled=True, size=48, opacity=1).encode(
        x=alt.X("rank:Q", scale=x_scale), shape=alt.Shape("system:N", scale=shape)
    )
    svg = to_svg(
        alt.LayerChart(layer=[lines, points]).properties(height=len(titles) * (n * RANK_ROW + 14)),
        title="Ranks of the systems",
        subtitle="Lines: the ranks that the verdicts of the whole table leave open",
    )
    return _finish(found, svg, name="ranks", title="Ranks of the systems")


def _row(label: str, d: Difference) -> Row:
    return {
        "label": label,
        "value": d.difference.value,
        "low": d.difference.low,
        "high": d.difference.high,
        "all_low": d.simultaneous.low,
        "all_high": d.simultaneous.high,
        "verdict": NOT_SHOWN if d.verdict == "not shown" else SHOWN,
    }


def _forest(
    found: SystemsComparison,
    rows: Sequence[Row],
    labels: Sequence[str],
    measure: ComparedMeasure,
    *,
    title: str,
    name: str,
) -> Figure:
    """Draw points with both intervals on an axis that reaches as far below zero as above."""
    end, several = axis_end(found, measure), len(found.systems) > 2
    scale = alt.Scale(domain=[-end, end], nice=False)
    signed = "datum.value == 0 ? '0' : format(datum.value, '+.2~f')"
    axis = alt.Axis(labelExpr=signed, grid=False, tickCount=9, title="difference: the first system less the second")
    states = [state for state in (SHOWN, NOT_SHOWN) if any(row["verdict"] == state for row in rows)]
    colour = alt.Scale(domain=states, range=[{SHOWN: BLUE, NOT_SHOWN: SOFT}[state] for state in states])
    shape = alt.Scale(domain=states, range=[{SHOWN: "circle", NOT_SHOWN: "diamond"}[state] for state in states])
    y_axis = alt.Axis(title=None, ticks=False, domain=False, labelPadding=8, grid=True, labelOverlap=False)
    base = alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(
        y=alt.Y("label:N", sort=list(labels), axis=y_axis), color=alt.Color("verdict:N", scale=colour)
    )
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0.0}])).mark_rule(color=INK, strokeWidth=1)
    layers = [
        zero.encode(x=alt.X("zero:Q", scale=scale, axis=axis)),
        base.mark_rule(strokeWidth=1.5).encode(x=alt.X("all_low:Q", scale=scale, axis=axis), x2="all_high:Q"),
        *(
            [base.mark_rule(strokeWidth=4, opacity=0.55).encode(x=alt.X("low:Q", scale=scale), x2="high:Q")]
            if several
            else []
        ),
        base.mark_point(filled=True, size=64, opacity=1).encode(
            x=alt.X("value:Q", scale=scale), shape=alt.Shape("verdict:N", scale=shape)
        ),
    ]
    level = f"{found.level * 100:g}%"
    said = (
        f"Thick: {level} interval of each; thin: for all pairs of systems together" if several else f"{level} intervals"
    )
    if any(LOWER in label for label in labels):
        said += f"; {LOWER} lower is better"
    if found.margin is not None:
        band = alt.Chart(alt.InlineData(values=[{"from": -found.margin, "to": found.margin}]))
        layers.insert(0, band.mark_rect(color=FAINT).encode(x=alt.X("from:Q", scale=scale, axis=axis), x2="to:Q"))
        said += f"; grey: the margin of ±{write_value(found.margin, measure)}"
    svg = to_svg(
        alt.LayerChart(layer=layers).properties(height=max(LEAST_HEIGHT, ROW * len(labels))),
        title=title,
        subtitle=said,
    )
    return _finish(found, svg, name=name, title=title)


def axis_end(found: SystemsComparison, measure: ComparedMeasure) -> float:
    """Return how far the axis reaches to both sides: as far as any interval of this unit, with some room."""
    ends = [
        abs(end)
        for m in found.measures
        if _unit(m) == _unit(measure)
        for d in m.differences
        for end in (d.difference.value, d.difference.low, d.difference.high, d.simultaneous.low, d.simultaneous.high)
        if end is not None
    ]
    return 1.05 * max([*ends, found.margin or 0.0, 1e-9])


def _unit(measure: ComparedMeasure) -> str:
    return measure.scale or measure.unit


def _mark_lower(measure: ComparedMeasure) -> str:
    return f"{title_of(measure)} {LOWER}" if measure.direction == "lower_is_better" else title_of(measure)


def _say_unit(measure: ComparedMeasure) -> str:
    if measure.unit == "rating":
        return f"rated dimensions, {clean(measure.scale)}"
    return {"share": "shares, 0 to 1", "turn": "turns", "ability": "abilities, 0 to 5"}[measure.unit]


def _finish(found: SystemsComparison, svg: str, *, name: str, title: str) -> Figure:
    key = "".join(sign if sign.isalnum() else "-" for sign in found.data_set)
    named = f"figure-{key}-{name}" if key else f"figure-{name}"
    description = "All values stand in the tables."
    return Figure(
        name=named,
        title=title,
        description=description,
        svg=finish_svg(svg, name=named, title=title, description=description),
    )
