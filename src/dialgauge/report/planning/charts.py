"""The charts of a plan: what targets buy, and what raters would bring."""

from typing import Literal

import altair as alt
import numpy as np

from dialgauge.analyse.dstudy import DecisionStudy
from dialgauge.analyse.planning import Curve
from dialgauge.report.limits import WORDED_LIMITS, rule_bands
from dialgauge.report.numerals import decimal
from dialgauge.report.planning.numbers import say_coefficient, say_goal, say_power
from dialgauge.report.text import clean, shorten
from dialgauge.report.theme import BLUE, INK, SIZE, SOFT, VERMILION, to_svg

Rows = list[dict[str, object]]

HEIGHT = 300
SHADES = ("#a6cbe3", "#5ba3cf", "#2b7bba", "#0c56a0", "#08306b")
"""Blues from light to dark, for series that have an order."""

LONGEST_NAME = 40

SETTLED = 0.9995
"""No axis goes on where every power is above this."""

LIFT = 0.3
"""How far above a point its word stands, as a share of the axis."""

SMOOTH: Literal["monotone"] = "monotone"


def draw_curve(curve: Curve) -> str:
    """Return one of the curves of a plan as SVG: the series of the planned study in red, the study as a point."""
    most = _last_of_interest(curve)
    power = curve.name == "power"
    top = 1.0 if power else max(float(np.max(values)) for values in curve.series.values())
    x = alt.X("x:Q", scale=alt.Scale(domain=[0.0, most], nice=False), title=curve.x_label)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0.0, top], nice=not power), title=curve.y_label)
    words = _words(curve)
    rows: Rows = [
        {"x": float(at), "y": float(value), "series": words[level], "planned": level == curve.focus}
        for level, values in curve.series.items()
        for at, value in zip(curve.x, values, strict=True)
        if at <= most
    ]
    colour = alt.Color(
        "series:N",
        sort=list(words.values()),
        scale=alt.Scale(domain=list(words.values()), range=_colours(curve)),
        legend=_legend(curve.by),
    )
    lines = [
        alt.Chart(alt.InlineData(values=[row for row in rows if row["planned"] == planned]))
        .mark_line(interpolate=SMOOTH, strokeWidth=3.2 if planned else 2)
        .encode(
            x=x.axis(grid=False, tickCount=9, format="d" if most > 1.0 else ".2f"),
            y=y.axis(format=".2f", tickCount=6),
            color=colour,
        )
        for planned in (False, True)
    ]
    title, _, conditions = curve.title.partition(" (")
    return to_svg(
        alt.LayerChart(layer=[*lines, *_mark(curve, most, top)]).properties(height=HEIGHT),
        title=title,
        subtitle="; ".join([*([conditions.removesuffix(")")] if conditions else []), "by formula, one-way"]),
    )


def draw_decision(study: DecisionStudy, per_target: int) -> str:
    """Return the reliability of the mean of k raters, with its interval, as SVG; ``per_target`` is marked."""
    rows: Rows = [
        {"k": p.k, "value": p.reliability.value, "low": p.reliability.low, "high": p.reliability.high}
        for p in study.curve
    ]
    most, name = len(rows), shorten(clean(study.name), LONGEST_NAME)
    x = alt.X("k:Q", scale=alt.Scale(domain=[1, most], nice=False), title="raters per target (k)").axis(
        values=list(range(1, most + 1)), format="d", grid=False
    )
    y_scale = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Y("value:Q", scale=y_scale, title="reliability of the mean of k raters").axis(
        labelExpr=WORDED_LIMITS, titlePadding=18, values=[0, 0.25, 0.5, 0.75, 0.9, 1], grid=False
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x)
    layers: list[alt.Chart] = [
        rule_bands(y_scale),
        base.mark_area(color=BLUE, opacity=0.14, interpolate=SMOOTH).encode(y="low:Q", y2="high:Q"),
        base.mark_line(color=BLUE, strokeWidth=2.6, interpolate=SMOOTH).encode(y=y),
    ]
    if per_target <= most:
        value = study.curve[per_target - 1].reliability.value
        planned: Rows = [{"k": per_target, "value": value, "word": f"Rel({per_target}) = {decimal(value)}"}]
        point = alt.Chart(alt.InlineData(values=planned)).encode(x=x, y=y)
        layers += [
            point.mark_point(filled=True, size=90, opacity=1, color=VERMILION),
            point.mark_text(align="left", dx=10, dy=14, color=INK, fontWeight=600, fontSize=12).encode(text="word:N"),
        ]
    return to_svg(
        alt.LayerChart(layer=layers).properties(height=HEIGHT),
        title="What more raters would bring",
        subtitle=f"{name}, stepped up from the pilot (Spearman-Brown), with its {100.0 * study.level:g}% interval",
    )


def _last_of_interest(curve: Curve) -> float:
    """Return where the horizontal axis ends: not far beyond the planned study, nor where every power is near 1."""
    last = float(curve.x[-1])
    if curve.name != "power":
        return last
    settled = np.min(list(curve.series.values()), axis=0) > SETTLED
    if not settled.any():
        return last
    first = float(curve.x[int(np.argmax(settled))])
    marked = 0.0 if curve.mark is None else curve.mark[0] * 1.1
    return min(last, float(np.ceil(max(first, marked) * 20.0) / 20.0))


def _legend(title: str) -> alt.Legend:
    return alt.Legend(
        title=title,
        titleOrient="left",
        titleColor=SOFT,
        titleFontSize=SIZE,
        titleFontWeight="normal",
        titlePadding=12,
        symbolSize=260,
        symbolStrokeWidth=4,
    )


def _words(curve: Curve) -> dict[float, str]:
    """Return the names of the series: numbers of raters, or ICCs in two or three decimals."""
    if all(level >= 1.0 for level in curve.series):
        return {level: f"{level:g}" for level in curve.series}
    return {level: say_goal(level) for level in curve.series}


def _colours(curve: Curve) -> list[str]:
    others = [level for level in curve.series if level != curve.focus]
    shades = dict(zip(others, SHADES[max(0, len(SHADES) - len(others)) :], strict=False))
    return [shades.get(level, VERMILION) for level in curve.series]


def _mark(curve: Curve, most: float, top: float) -> list[alt.Chart]:
    """Return the planned study as a point, lines from it to the axes, and its value where no curve is in the way."""
    if curve.mark is None:
        return []
    x, y = curve.mark
    falls = curve.name != "power"
    word = f"planned: {say_coefficient(y) if falls else say_power(y)}"
    place = min(y + LIFT * top, 0.97 * top) if falls else 0.08 if y > 0.2 else y + 0.15
    data: Rows = [{"x": x, "y": y, "zero": 0.0, "place": place, "tip": max(y, place), "word": word}]
    base = alt.Chart(alt.InlineData(values=data)).encode(x="x:Q", y="y:Q")
    rule = base.mark_rule(color=SOFT, strokeDash=[3, 3], opacity=0.8)
    dot = base.mark_point(filled=True, size=95, opacity=1, color=VERMILION, stroke="white", strokeWidth=1.5)
    right = x > 0.75 * most
    text = base.mark_text(align="right" if right else "left", dx=-9 if right else 9, fontWeight=600, fontSize=SIZE)
    text = text.encode(y="place:Q", text="word:N", color=alt.value(INK))
    return [rule.encode(y="zero:Q", y2="tip:Q"), rule.encode(x="zero:Q", x2="x:Q"), dot, text]
