"""Figures of measures and abilities: bars with intervals, and the radar of abilities."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import altair as alt

from dialgauge.analyse.abilities.records import Abilities, Family, Measure
from dialgauge.report.abilities.words import (
    ABILITIES,
    measures_by_family,
    name_of,
    names_of,
    result_of,
    scores_of,
    title_of,
)
from dialgauge.report.figures import Figure
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean, distinguish
from dialgauge.report.theme import BLUE, FAINT, GREEN, INK, ORANGE, SOFT, VERMILION, to_svg
from dialgauge.stats.estimate import Estimate

COLOURS = (BLUE, ORANGE, GREEN, VERMILION, "#CC79A7", "#56B4E9", "#F0E442", "#000000")
"""Of Okabe and Ito (2008)."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-left", "triangle-right")

LONGEST_NAME = 24
BAR = 11
LEAST_AXES = 3
MOST_WITH_INTERVALS = 2
"""Systems whose intervals the radar has room for."""

RADIUS = 5.0

NEARLY_UPRIGHT = 0.2
"""The sine up to which the name of an axis stands centred above or below its end."""

Row = dict[str, float | str | None]
Side = Literal["left", "center", "right"]

_SHOWN: Mapping[Family, str] = {
    "recommendation": "Recall; the dark tick is the highest value possible",
    "success": "Success rates",
    "acceptance": "Acceptance",
    "sincerity": "Sincerity: lower is better",
    "reliability": "Replies to a paraphrase",
    "rated": "Rated measures",
}


def draw_abilities(found: Abilities) -> tuple[Figure, ...]:
    """Return the radar where three abilities are known, bars of abilities, and bars of each family of measures."""
    names = distinguish(names_of(found.systems), LONGEST_NAME)
    figures = [radar] if (radar := _draw_radar(found, names)) is not None else []
    scores = [scores_of(system) for system in found.systems]
    known = [name for name in ABILITIES if any(isinstance(score[name], Estimate) for score in scores)]
    rows: list[Row] = []
    for name in known:
        label = name_of(name)
        rows += [
            row for s, score in zip(names, scores, strict=True) if (row := _row(label, s, score[name])) is not None
        ]
    if rows:
        figures.append(_bars(found, rows, names, top=RADIUS, title="Abilities, 0 to 5", name="abilities"))
    for family, measures in measures_by_family(found).items():
        if (figure := _draw_family(found, names, family, measures)) is not None:
            figures.append(figure)
    return tuple(figures)


def _draw_family(found: Abilities, names: Sequence[str], family: Family, measures: Sequence[Measure]) -> Figure | None:
    rows: list[Row] = []
    for m in measures:
        if m.unit == "turn":
            continue
        for name, system in zip(names, found.systems, strict=True):
            row = _row(title_of(m.name), name, result_of(system, m.name))
            own = system.measure(m.name)
            if row is not None:
                rows.append({**row, "ceiling": own.ceiling if own is not None else None})
    if not rows:
        return None
    top = RADIUS if family == "rated" else 1.0
    return _bars(found, rows, names, top=top, title=_SHOWN[family], name=family)


def _row(label: str, system: str, result: object) -> Row | None:
    if not isinstance(result, Estimate):
        return None
    return {"measure": label, "system": system, "value": result.value, "low": result.low, "high": result.high}


def _bars(found: Abilities, rows: Sequence[Row], names: Sequence[str], *, top: float, title: str, name: str) -> Figure:
    """Draw bars from zero, with lines for intervals, on the whole range that a value can have."""
    labels = list(dict.fromkeys(str(row["measure"]) for row in rows))
    scale = alt.Scale(domain=[0, top], nice=False)
    data = alt.InlineData(values=[dict(row) for row in rows])
    base = alt.Chart(data).encode(
        y=alt.Y("measure:N", sort=labels, axis=alt.Axis(title=None, ticks=False, domain=False, labelPadding=8)),
        yOffset=alt.YOffset("system:N", sort=list(names)),
    )
    bars = base.mark_bar(opacity=0.75).encode(
        x=alt.X("value:Q", scale=scale, axis=alt.Axis(title=None, tickCount=5)), color=_colour(names)
    )
    lines = base.mark_rule(strokeWidth=1.5, color=INK).encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    layers = [bars, lines]
    if any(row.get("ceiling") is not None for row in rows):
        layers.append(base.mark_tick(color=INK, thickness=3).encode(x=alt.X("ceiling:Q", scale=scale)))
    svg = to_svg(
        alt.LayerChart(layer=layers).properties(height=len(labels) * (len(names) * BAR + 10)),
        title=f"{title} ({clean(found.data_set)})",
        subtitle=f"Lines: {found.level * 100:g}% intervals; the axis shows the whole range",
    )
    return _finish(found, svg, name=name, title=title)


def _draw_radar(found: Abilities, names: Sequence[str]) -> Figure | None:
    scores = [scores_of(system) for system in found.systems]
    axes = [name for name in ABILITIES if any(isinstance(score[name], Estimate) for score in scores)]
    if "cooperation" in axes and "sincerity" in axes:
        axes.remove("sincerity")  # a part of it
    if len(axes) < LEAST_AXES:
        return None
    with_intervals = len(names) <= MOST_WITH_INTERVALS
    angles = {name: 2.0 * math.pi * i / len(axes) for i, name in enumerate(axes)}
    points: list[Row] = []
    edges: list[Row] = []
    whiskers: list[Row] = []
    for number, (system, score) in enumerate(zip(names, scores, strict=True)):
        corners: list[Row | None] = []
        for name in axes:
            result = score[name]
            if not isinstance(result, Estimate):
                corners.append(None)
                continue
            corners.append({**_at(angles[name], result.value), "system": system})
            if with_intervals and result.low is not None and result.high is not None:
                aside = angles[name] + 0.05 * (number - (len(names) - 1) / 2)
                whiskers.append({**_line(_at(aside, result.low), _at(aside, result.high)), "system": system})
        points += [corner for corner in corners if corner is not None]
        pairs = zip(corners, [*corners[1:], corners[0]], strict=True)
        edges += [{**_line(a, b), "system": system} for a, b in pairs if a is not None and b is not None]
    level = f"{found.level * 100:g}% intervals"
    intervals = f"Beside the spokes: {level}." if with_intervals else f"The bars below have the {level}."
    svg = to_svg(
        alt.LayerChart(layer=[*_web(axes, angles), *_shapes(points, edges, whiskers, names)]).properties(height=420),
        title=f"Abilities ({clean(found.data_set)})",
        subtitle=f"Centre 0, rim 5. {intervals} What is unknown is not drawn",
        width=560,
    )
    return _finish(found, svg, name="radar", title="Radar of the abilities")


def _shapes(
    points: Sequence[Row], edges: Sequence[Row], whiskers: Sequence[Row], names: Sequence[str]
) -> list[alt.Chart]:
    """Return points, the edges between neighbours that are both known, and intervals beside the spokes."""
    dots = _chart(points).mark_point(filled=True, size=60).encode(color=_colour(names), shape=_shape(names))
    ends = {"x2": "x2:Q", "y2": "y2:Q", "color": _colour(names)}
    layers = [_chart(edges).mark_rule(strokeWidth=2).encode(**ends)] if edges else []
    if whiskers:
        layers.append(_chart(whiskers).mark_rule(strokeWidth=2, opacity=0.6).encode(**ends))
    return [*layers, dots]


def _web(axes: Sequence[str], angles: Mapping[str, float]) -> list[alt.Chart]:
    """Return rings at 1 to 5, spokes, the numbers of the rings, and the names of the axes."""
    turns = [*angles.values(), next(iter(angles.values()))]
    rings: list[Row] = [
        {**_at(angle, float(r)), "ring": str(r), "order": float(i)}
        for r in range(1, 6)
        for i, angle in enumerate(turns)
    ]
    spokes: list[Row] = [
        {"x": 0.0, "y": 0.0, "x2": end["x"], "y2": end["y"]} for a in angles.values() for end in [_at(a, RADIUS)]
    ]
    numbers: list[Row] = [{"x": 0.12, "y": float(r), "text": str(r)} for r in range(1, 6)]
    labels: dict[Side, list[Row]] = {}
    for name in axes:
        labels.setdefault(_side_of(angles[name]), []).append({**_at(angles[name], 5.5), "text": name_of(name)})
    return [
        _chart(rings).mark_line(color=FAINT, strokeWidth=1).encode(detail="ring:N", order="order:Q"),
        _chart(spokes).mark_rule(color=FAINT).encode(x2="x2:Q", y2="y2:Q"),
        _chart(numbers).mark_text(color=SOFT, fontSize=10, align="left").encode(text="text:N"),
        *(
            _chart(rows).mark_text(color=INK, fontSize=12, align=side).encode(text="text:N")
            for side, rows in labels.items()
        ),
    ]


def _side_of(angle: float) -> Side:
    """Return how a name at the rim is aligned, so that it does not reach into the web."""
    across = math.sin(angle)
    return "center" if abs(across) < NEARLY_UPRIGHT else "left" if across > 0.0 else "right"


def _chart(rows: Sequence[Row]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=[dict(row) for row in rows])).encode(x=_x(), y=_y())


def _line(a: Row, b: Row) -> Row:
    return {"x": a["x"], "y": a["y"], "x2": b["x"], "y2": b["y"]}


def _at(angle: float, radius: float) -> Row:
    return {"x": radius * math.sin(angle), "y": radius * math.cos(angle)}


def _x() -> alt.X:
    return alt.X("x:Q", scale=alt.Scale(domain=[-8.0, 8.0], nice=False), axis=None)


def _y() -> alt.Y:
    return alt.Y("y:Q", scale=alt.Scale(domain=[-6.0, 6.0], nice=False), axis=None)


def _colour(names: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=list(names), range=[COLOURS[i % len(COLOURS)] for i in range(len(names))])
    return alt.Color("system:N", scale=scale, legend=alt.Legend(title=None))


def _shape(names: Sequence[str]) -> alt.Shape:
    scale = alt.Scale(domain=list(names), range=[SHAPES[i % len(SHAPES)] for i in range(len(names))])
    return alt.Shape("system:N", scale=scale, legend=alt.Legend(title=None))


def _finish(found: Abilities, svg: str, *, name: str, title: str) -> Figure:
    key = "".join(sign if sign.isalnum() else "-" for sign in found.data_set)
    description = "All values stand in the tables."
    named = f"figure-{key}-{name}"
    return Figure(
        name=named,
        title=title,
        description=description,
        svg=finish_svg(svg, name=named, title=title, description=description),
    )
