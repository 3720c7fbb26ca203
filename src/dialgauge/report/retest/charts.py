"""The charts of repeated measurement: how the coefficients spread, and the class of each dimension."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from dialgauge.analyse.retest.classes import CLASSES, LOWEST, ReliabilityClass
from dialgauge.analyse.retest.records import Repeat, Retest
from dialgauge.report.numerals import decimal
from dialgauge.report.retest.words import SYMBOLS
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean, shorten_all
from dialgauge.report.theme import BLUE, GREEN, GREY, INK, ORANGE, SOFT, VERMILION, to_svg

Rows = list[dict[str, object]]

COLOURS: dict[ReliabilityClass, str] = {
    "perfect": "#02487a",
    "excellent": BLUE,
    "good": GREEN,
    "moderate": ORANGE,
    "poor": VERMILION,
}
"""Colours of Okabe and Ito (2008), those of the words on the page; perfect is a darker blue."""

NONE = "no class"
BIN = 0.02
LOWEST_SHOWN = -0.2
RATER_HEIGHT = 84
MOST_ROWS = 60
"""Dimensions in one heat map; more are drawn in several."""

ROW = 15
LONGEST_NAME = 34


@dataclass(frozen=True, slots=True)
class RetestFigure:
    """A figure with the words that belong to it; ``description`` is for those who cannot see it."""

    name: str
    title: str
    description: str
    caption: str
    svg: str


def draw_retest_figures(analysis: Retest) -> tuple[RetestFigure, ...]:
    """Return the distribution of the coefficients per rater, and the heat maps of the classes."""
    if not any(r.value("single") is not None for r in analysis.repeats):
        return ()
    names = list(analysis.dimensions)
    n_maps = -(-len(names) // MOST_ROWS)
    size = -(-len(names) // n_maps)
    maps = [_heat_map(analysis, names[i * size : (i + 1) * size], i + 1, n_maps) for i in range(n_maps)]
    return (_distribution(analysis), *maps)


def _colour() -> alt.Color:
    names = [*CLASSES, NONE]
    scale = alt.Scale(domain=names, range=[*(COLOURS[name] for name in CLASSES), GREY])
    return alt.Color("class:N", scale=scale, sort=names, legend=alt.Legend(symbolType="square", offset=18))


def _distribution(analysis: Retest) -> RetestFigure:
    raters = shorten_all([clean(r) for r in analysis.raters], LONGEST_NAME)
    counted = [_bins(analysis.repeats, rater) for rater in analysis.raters]
    most = max(
        (sum(n for (at, _), n in bins.items() if at == place) for bins in counted for place, _ in bins), default=1
    )
    rows: Rows = []
    for number, bins in enumerate(counted):
        base: Counter[float] = Counter()
        for (place, name), n in sorted(bins.items(), key=lambda item: CLASSES.index(item[0][1])):
            low, high = (0.86 * (base[place] + step) / most for step in (0, n))
            base[place] += n
            rows.append({"x": place, "x2": place + BIN, "y": number - low, "y2": number - high, "class": name})
    x_scale = alt.Scale(domain=[min([0.0, *(float(str(row["x"])) for row in rows)]), 1.0 + BIN], nice=False)
    y_scale = alt.Scale(domain=[len(raters) - 0.9, -0.95], nice=False)
    axis = alt.Axis(format=".2f", grid=False)
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("x:Q", scale=x_scale, axis=axis, title=f"{SYMBOLS['single']}, coefficient of one rating"),
            x2="x2:Q",
            y=alt.Y("y:Q", scale=y_scale, axis=None),
            y2="y2:Q",
            color=_colour(),
        )
    )
    labels: Rows = [{"y": number - 0.42, "name": name} for number, name in enumerate(raters)]
    words = (
        alt.Chart(alt.InlineData(values=labels))
        .mark_text(align="left", fontSize=12, color=INK, fontWeight=600)
        .encode(x=alt.value(4), y=alt.Y("y:Q", scale=y_scale, axis=None), text="name:N")
    )
    svg = to_svg(
        alt.LayerChart(layer=[*_limits(x_scale, axis), bars, words]).properties(height=RATER_HEIGHT * len(raters)),
        title="How the coefficients spread",
        subtitle=f"Dimensions by the coefficient of one rating; the tallest bar holds {most}",
    )
    title = "Distribution of the coefficients of one rating, for each rater"
    description = "The counts per class stand in the tables of Study 1."
    return RetestFigure(
        name="distribution",
        title=title,
        description=description,
        caption="Each bar counts the dimensions in a step of .02; dashed are the lower limits of the classes. "
        "Coefficients below −.2 are drawn at −.2.",
        svg=finish_svg(svg, name="figure-distribution", title=title, description=description),
    )


def _bins(repeats: Sequence[Repeat], rater: str) -> Counter[tuple[float, ReliabilityClass]]:
    found: Counter[tuple[float, ReliabilityClass]] = Counter()
    for r in repeats:
        value, name = r.value("single"), r.class_single
        if r.rater == rater and value is not None and name is not None:
            found[round((max(value, LOWEST_SHOWN) + 1e-9) // BIN * BIN, 2), name] += 1
    return found


def _limits(x_scale: alt.Scale, axis: alt.Axis) -> list[alt.Chart]:
    rows: Rows = [{"limit": limit} for name, limit in LOWEST.items() if name != "poor"]
    base = alt.Chart(alt.InlineData(values=rows))
    return [
        base.mark_rule(color=SOFT, strokeDash=[3, 3], opacity=0.55).encode(
            x=alt.X("limit:Q", scale=x_scale, axis=axis, title="")
        )
    ]


def _heat_map(analysis: Retest, names: Sequence[str], number: int, n_maps: int) -> RetestFigure:
    labels = dict(zip(names, _unique(shorten_all([clean(name) for name in names], LONGEST_NAME)), strict=True))
    raters = dict(zip(analysis.raters, _unique(shorten_all([clean(r) for r in analysis.raters], 20)), strict=True))
    rows: Rows = [
        {
            "dimension": labels[r.dimension],
            "rater": raters[r.rater],
            "class": r.class_single or NONE,
            "label": r.status if r.class_single is None else decimal(r.value("single") or 0.0),
            "dark": r.class_single in {"perfect", "excellent", "poor"},
        }
        for r in analysis.repeats
        if r.dimension in labels
    ]
    top = alt.Axis(orient="top", ticks=False, domain=False, labelAngle=0, title=None)
    left = alt.Axis(ticks=False, domain=False, title=None, labelFontSize=11, labelOverlap=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("rater:N", sort=list(raters.values()), axis=top),
        y=alt.Y("dimension:N", sort=list(labels.values()), axis=left),
    )
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(color=_colour())
    words = base.mark_text(fontSize=10).encode(
        text="label:N", color=alt.condition("datum.dark", alt.value("white"), alt.value(INK))
    )
    part = f" ({number} of {n_maps})" if n_maps > 1 else ""
    svg = to_svg(
        alt.LayerChart(layer=[cells, words]).properties(height=alt.Step(ROW)),
        title=f"Class of each dimension by each rater{part}",
        subtitle=f"{SYMBOLS['single']} in the cells",
        width=max(150, min(560, 110 * len(raters))),
    )
    title = f"Heat map of the classes{part}"
    description = "All values stand in the table of all dimensions."
    return RetestFigure(
        name=f"classes-{number}",
        title=title,
        description=description,
        caption="Dimensions in the order of the instrument. Grey: excluded, as one value takes nearly all ratings, or "
        "refused, as no coefficient exists.",
        svg=finish_svg(svg, name=f"figure-classes-{number}", title=title, description=description),
    )


def _unique(names: Sequence[str]) -> list[str]:
    """Return ``names`` with a number behind those that occurred before."""
    found: list[str] = []
    for name in names:
        again = sum(name == earlier.partition(" #")[0] for earlier in found)
        found.append(f"{name} #{again + 1}" if again else name)
    return found
