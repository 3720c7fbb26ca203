"""The three charts of a reliability analysis: intervals, shares of variance, curves over the number of raters."""

import math
from collections.abc import Mapping
from typing import Literal

import altair as alt

from dialgauge.analyse.results import DimensionReliability, Reliability
from dialgauge.report.average import equate_k, say_mean
from dialgauge.report.limits import WORDED_LIMITS, rule_bands
from dialgauge.report.numerals import percent
from dialgauge.report.steps import at_k
from dialgauge.report.text import clean, shorten_all
from dialgauge.report.theme import BLUE, GREEN, GREY, INK, ORANGE, SOFT, VERMILION, row_height, to_svg
from dialgauge.report.words import BANDS, FACETS

Rows = list[dict[str, object]]

LEAST_SHARE_LABELLED = 0.055
MOST_RATERS = 20
CURVES_WIDTH, CURVES_HEIGHT = 450, 340
LABEL_GAP = 0.05
LABEL_LIMIT = 260
LONGEST_NAME = 28
SMOOTH: Literal["monotone"] = "monotone"
FEW_CURVES = 4

_FACET_COLOURS = {"target": BLUE, "rater": ORANGE, "target_x_rater": GREEN, "residual": GREY}
_CURVE_COLOURS = (BLUE, VERMILION, GREEN, ORANGE)


def draw_forest(analysis: Reliability) -> str:
    """Return the forest plot of Rel(1) and Rel(k) with their intervals as SVG."""
    series = ("Rel(1): one rater", f"Rel(k): {say_mean(analysis)}")
    rows: Rows = []
    names = _names(analysis)
    for name, d in zip(names, analysis.dimensions, strict=True):
        for label, estimate in zip(series, (d.rel_single, d.rel_k), strict=True):
            ends = {"low": estimate.low, "high": estimate.high}
            rows.append({"dimension": name, "series": label, "value": estimate.value, **ends})
    x_scale = alt.Scale(domain=[min(0.0, *(_least(row) for row in rows), 0.0), 1.0], nice=False)
    axis = alt.Axis(format=".2f", values=[0, 0.25, 0.5, 0.75, 0.9, 1], grid=False)
    legend = alt.Legend(offset=24)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=_row_axis(names, grid=True),
        yOffset=alt.YOffset("series:N", sort=list(series), scale=alt.Scale(paddingOuter=0.45)),
        color=alt.Color("series:N", scale=alt.Scale(domain=list(series), range=[VERMILION, BLUE]), legend=legend),
    )
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=x_scale, axis=axis, title="reliability (0 to 1)"), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("value:Q", scale=x_scale),
        shape=alt.Shape("series:N", scale=alt.Scale(domain=list(series), range=["diamond", "circle"]), legend=legend),
    )
    chart = alt.LayerChart(layer=[_band_lines(x_scale, axis), _band_words(x_scale), intervals, points])
    return to_svg(
        chart.properties(height=row_height(len(names)) * len(names)),
        title="Reliability of each dimension",
        subtitle=f"Share of the variance of a score that is due to targets, with {analysis.level * 100:g}% intervals",
    )


def draw_variance(analysis: Reliability) -> str:
    """Return the shares of variance as stacked bars as SVG."""
    names = _names(analysis)
    rows: Rows = []
    for name, d in zip(names, analysis.dimensions, strict=True):
        start = 0.0
        for facet, share in d.variance.shares().items():
            label = f"{percent(share)}%" if share >= LEAST_SHARE_LABELLED else ""
            where = {"start": start, "end": start + share, "middle": start + share / 2.0}
            rows.append({"dimension": name, "facet": FACETS[facet], "label": label, **where})
            start += share
    facets = [f for f in FACETS if any(row["facet"] == FACETS[f] for row in rows)]
    words = [FACETS[facet] for facet in facets]
    height = row_height(len(names))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=_row_axis(names))
    bars = base.mark_bar(height={"band": 0.78}).encode(
        x=alt.X(
            "start:Q", scale=alt.Scale(domain=[0, 1], nice=False), title="share of the variance of one rating"
        ).axis(format="%", grid=False, values=[0, 0.25, 0.5, 0.75, 1]),
        x2="end:Q",
        color=alt.Color(
            "facet:N", sort=words, scale=alt.Scale(domain=words, range=[_FACET_COLOURS[f] for f in facets])
        ),
    )
    labels = base.mark_text(fontSize=min(11, height - 5)).encode(
        x="middle:Q",
        text="label:N",
        color=alt.condition(f"datum.facet == '{FACETS['target']}'", alt.value("white"), alt.value(INK)),
    )
    return to_svg(
        alt.LayerChart(layer=[bars, labels]).properties(height=alt.Step(height)),
        title="Where the variance of one rating comes from",
        subtitle="Only the share of the targets is signal; averaging over raters shrinks the others",
    )


def draw_raters(analysis: Reliability) -> str:
    """Return reliability against the number of raters (1 to 20, or beyond the k of the study) as SVG."""
    most = max([MOST_RATERS, *(math.ceil(d.k) + 1 for d in analysis.dimensions)])
    curves = [_curve(name, d, most) for name, d in zip(_names(analysis), analysis.dimensions, strict=True)]
    marked = _pick_marked(len(curves))
    x = alt.X("k:Q", scale=alt.Scale(domain=[1, most], nice=False), title="raters per target (k)").axis(
        values=[k for k in range(1, most + 1) if most <= MOST_RATERS or k == 1 or k % 5 == 0],
        format="d",
        grid=False,
        labelOverlap=most > MOST_RATERS,
    )
    y_scale = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Y("value:Q", scale=y_scale, title="reliability of the mean of k raters").axis(
        labelExpr=WORDED_LIMITS, titlePadding=18, values=[0, 0.25, 0.5, 0.75, 0.9, 1], grid=False
    )
    others = [row for i, curve in enumerate(curves) if i not in marked for row in curve]
    layers: list[alt.Chart] = [
        rule_bands(y_scale),
        alt.Chart(alt.InlineData(values=others))
        .mark_line(color=GREY, strokeWidth=1.2, interpolate=SMOOTH)
        .encode(x=x, y=y, detail="dimension:N"),
    ]
    ends = _spread([float(str(curves[i][-1]["value"])) for i in marked])
    for number, (i, end) in enumerate(zip(marked, ends, strict=True)):
        layers += _marked_curve(curves[i], _CURVE_COLOURS[number], x, y, end=end, word=marked[i])
    layers += _study_k(analysis, x)
    return to_svg(
        alt.LayerChart(layer=layers).properties(height=CURVES_HEIGHT),
        title="What more raters would bring",
        subtitle="Absolute reliability stepped up from the ratings (Spearman-Brown)"
        + ("; grey: the other dimensions" if others else ""),
        width=CURVES_WIDTH,
    )


def _names(analysis: Reliability) -> list[str]:
    """Return the names of the dimensions, short enough for an axis and each of its own."""
    names: list[str] = []
    for name in shorten_all([clean(d.name) for d in analysis.dimensions], LONGEST_NAME):
        again = sum(name == earlier.partition(" #")[0] for earlier in names)
        names.append(f"{name} #{again + 1}" if again else name)
    return names


def _least(row: Mapping[str, object]) -> float:
    return min(float(str(row[key])) for key in ("low", "value") if row[key] is not None)


def _row_axis(names: list[str], *, grid: bool = False) -> alt.Y:
    axis = alt.Axis(ticks=False, domain=False, labelPadding=8, grid=grid, labelOverlap=False)
    return alt.Y("dimension:N", sort=names, title=None, axis=axis)


def _band_lines(x_scale: alt.Scale, axis: alt.Axis) -> alt.Chart:
    limits: Rows = [{"limit": limit} for limit, _ in BANDS]
    chart: alt.Chart = alt.Chart(alt.InlineData(values=limits)).mark_rule(color=SOFT, strokeDash=[3, 3], opacity=0.55)
    return chart.encode(x=alt.X("limit:Q", scale=x_scale, axis=axis, title="reliability (0 to 1)"))


def _band_words(x_scale: alt.Scale) -> alt.Chart:
    """Put the word of each band above its middle."""
    limits = [0.0, *(limit for limit, _ in BANDS), 1.0]
    words = ["poor", *(word for _, word in BANDS)]
    rows: Rows = [
        {"middle": (low + high) / 2.0, "word": word} for word, low, high in zip(words, limits, limits[1:], strict=False)
    ]
    chart: alt.Chart = alt.Chart(alt.InlineData(values=rows)).mark_text(color=SOFT, fontSize=11, fontStyle="italic")
    return chart.encode(x=alt.X("middle:Q", scale=x_scale), y=alt.value(-8), text="word:N")


def _pick_marked(count: int) -> dict[int, str]:
    """Return which curves are named: all of a few, else the highest, the middle and the lowest."""
    if count <= FEW_CURVES:
        return dict.fromkeys(range(count), "")
    return {0: "highest", count // 2: "middle", count - 1: "lowest"}


def _curve(name: str, d: DimensionReliability, most: int) -> Rows:
    rows: Rows = []
    for k in range(1, most + 1):
        value, low, high = at_k(d.rel_k, k, measured_k=d.k)
        rows.append({"dimension": name, "k": k, "value": value, "low": low, "high": high})
    return rows


def _marked_curve(rows: Rows, colour: str, x: alt.X, y: alt.Y, *, end: float, word: str) -> list[alt.Chart]:
    """Return a curve with its interval and its name at the right end."""
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x)
    last = rows[-1]
    name = f"{last['dimension']} ({word})" if word else str(last["dimension"])
    label = alt.Chart(alt.InlineData(values=[{"k": last["k"], "value": end, "name": name}]))
    return [
        base.mark_area(color=colour, opacity=0.10, interpolate=SMOOTH).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_line(color=colour, strokeWidth=2.4, interpolate=SMOOTH).encode(y=y),
        label.mark_text(align="left", dx=8, color=INK, fontWeight=600, fontSize=12, limit=LABEL_LIMIT).encode(
            x=x, y=y, text="name:N"
        ),
    ]


def _study_k(analysis: Reliability, x: alt.X) -> list[alt.Chart]:
    """Mark the number of raters that the coefficients of the table average over."""
    k = analysis.dimensions[0].k
    base = alt.Chart(alt.InlineData(values=[{"k": k, "word": equate_k(analysis)}])).encode(x=x)
    return [
        base.mark_rule(color=SOFT, strokeDash=[3, 3], opacity=0.7),
        base.mark_text(align="left", baseline="bottom", dx=5, dy=-5, color=SOFT, fontSize=11).encode(
            y=alt.value(CURVES_HEIGHT), text="word:N"
        ),
    ]


def _spread(heights: list[float]) -> list[float]:
    """Move labels apart that would cover each other; ``heights`` fall from the first to the last."""
    moved: list[float] = []
    for height in heights:
        moved.append(min(height, moved[-1] - LABEL_GAP) if moved else height)
    return moved
