"""The charts of agreement: coefficients with their intervals, and how often each point was given."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import altair as alt

from dialgauge.analyse.agreement import Agreement, AgreementCoefficient, DimensionAgreement
from dialgauge.analyse.bands import KRIPPENDORFF
from dialgauge.report.agreement.words import estimate_of, main_ac, title_of_ac
from dialgauge.report.numerals import decimal, percent
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean, distinguish
from dialgauge.report.theme import BLUE, GREEN, GREY, INK, ORANGE, SOFT, VERMILION, pick_drawn, row_height, to_svg

Rows = list[dict[str, object]]

LONGEST_NAME = 28
LEAST_SHARE_LABELLED = 0.055
LOWEST = -0.5
"""Where the axis of coefficients ends at the latest; intervals that go on are cut there."""

MOST_POINTS = 12
"""Points of a scale in a chart of marginals; more cannot be told apart by colour."""

RISING = ("#cfe3f1", "#8fbfdf", "#4f97c6", "#0072B2", "#02487a")
"""From light to dark: the points of an ordered scale."""

CATEGORIES = (BLUE, ORANGE, GREEN, VERMILION, "#CC79A7", "#56B4E9", "#F0E442", GREY)
"""Colours of Okabe and Ito (2008) for categories without an order."""


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A figure with the words that belong to it; ``description`` is for those who cannot see it."""

    name: str
    title: str
    description: str
    caption: str
    svg: str


def draw_agreement_figures(analysis: Agreement) -> tuple[AgreementFigure, ...]:
    """Return the dot plot of the coefficients, and the marginals of each group of dimensions with the same points."""
    if not analysis.dimensions:
        return ()
    analysis = replace(analysis, dimensions=tuple(pick_drawn(analysis.dimensions)))
    groups: dict[tuple[str, ...], list[DimensionAgreement]] = {}
    for d in analysis.dimensions:
        if 2 <= len(d.marginals) <= MOST_POINTS:
            groups.setdefault(tuple(label for label, _ in d.marginals), []).append(d)
    marginals = [_marginals(group, number) for number, group in enumerate(groups.values(), start=1)]
    return (_coefficients(analysis), *marginals)


def colours_of(d: DimensionAgreement) -> tuple[str, ...]:
    """Return a colour for each point of the scale: from light to dark where the points have an order."""
    n = len(d.marginals)
    if d.metric == "nominal" and n > 2:
        return tuple(CATEGORIES[i % len(CATEGORIES)] for i in range(n))
    return tuple(_mix(i / max(n - 1, 1)) for i in range(n))


def _mix(share: float) -> str:
    """Return the colour that lies at ``share`` of the way from the first to the last of `RISING`."""
    place = share * (len(RISING) - 1)
    i = min(int(place), len(RISING) - 2)
    a, b = (tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5)) for colour in RISING[i : i + 2])
    return "#" + "".join(f"{round(x + (place - i) * (y - x)):02x}" for x, y in zip(a, b, strict=True))


def _is_dark(colour: str) -> bool:
    """Whether white is easier to read on ``colour`` than black."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 100


def _coefficients(analysis: Agreement) -> AgreementFigure:
    series: dict[str, tuple[str, str]] = {
        "alpha": (BLUE, "circle"),
        "Fleiss’ kappa": (ORANGE, "diamond"),
        "Brennan-Prediger": (GREEN, "triangle-up"),
        title_of_ac(analysis): (VERMILION, "square"),
    }
    rows: Rows = []
    names = _names(analysis.dimensions)
    for name, d in zip(names, analysis.dimensions, strict=True):
        found = (d.get("alpha"), d.get("fleiss_kappa"), d.get("brennan_prediger"), main_ac(d))
        rows += [_row(name, label, c) for label, c in zip(series, found, strict=True) if estimate_of(c)]
    low = min([0.0, *(float(str(row["low"])) for row in rows)])
    x_scale = alt.Scale(domain=[max(low, LOWEST), 1.0], nice=False)
    axis = alt.Axis(format=".2f", grid=False)
    shapes = alt.Scale(domain=list(series), range=[shape for _, shape in series.values()])
    colours = alt.Scale(domain=list(series), range=[colour for colour, _ in series.values()])
    legend = alt.Legend(offset=24)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=_row_axis(names, grid=True),
        yOffset=alt.YOffset("series:N", sort=list(series), scale=alt.Scale(paddingOuter=0.35)),
        color=alt.Color("series:N", scale=colours, legend=legend),
    )
    intervals = base.mark_rule(strokeWidth=1.8, clip=True).encode(
        x=alt.X("low:Q", scale=x_scale, axis=axis, title="coefficient (1 = perfect, 0 = what chance would give)"),
        x2="high:Q",
    )
    points = base.mark_point(filled=True, size=46, opacity=1, clip=True).encode(
        x=alt.X("value:Q", scale=x_scale), shape=alt.Shape("series:N", scale=shapes, legend=legend)
    )
    height = max(44, row_height(len(names)) + 26)
    svg = to_svg(
        alt.LayerChart(layer=[*_limits(x_scale, axis), intervals, points]).properties(height=height * len(names)),
        title="Coefficients of agreement",
        subtitle=f"The same ratings against different ideas of chance, with {analysis.level * 100:g}% intervals",
    )
    title, description = "Coefficients of agreement of each dimension with intervals", "All values stand in the table."
    return AgreementFigure(
        name="coefficients",
        title=title,
        description=description,
        caption="Points are estimates, lines their intervals; dashed are Krippendorff’s limits for alpha. The "
        "coefficients of one dimension see the same ratings and differ in what they take chance to be.",
        svg=finish_svg(svg, name="figure-coefficients", title=title, description=description),
    )


def _row(name: str, label: str, coefficient: AgreementCoefficient | None) -> dict[str, object]:
    found = estimate_of(coefficient)
    if found is None:
        return {}
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    return {"dimension": name, "series": label, "value": found.value, "low": low, "high": high}


def _limits(x_scale: alt.Scale, axis: alt.Axis) -> list[alt.Chart]:
    """Draw chance and Krippendorff's limits; the words of the two limits stand on different sides."""
    firm, tentative = (limit for limit, _ in KRIPPENDORFF[:2])
    words: dict[float, tuple[str, Literal["left", "right"]]] = {
        0.0: ("chance", "left"),
        tentative: (f"tentative {decimal(tentative)}", "right"),
        firm: (f"firm {decimal(firm)}", "left"),
    }
    layers = []
    for limit, (word, side) in words.items():
        base = alt.Chart(alt.InlineData(values=[{"limit": limit, "word": word}])).encode(
            x=alt.X("limit:Q", scale=x_scale, axis=axis, title="")
        )
        text = base.mark_text(color=SOFT, fontSize=11, fontStyle="italic", align=side)
        layers += [
            base.mark_rule(color=SOFT, strokeDash=[3, 3], opacity=0.55),
            text.encode(y=alt.value(-8), text="word:N"),
        ]
    return layers


def _marginals(dimensions: list[DimensionAgreement], number: int) -> AgreementFigure:
    names = _names(dimensions)
    points = [clean(label) for label, _ in dimensions[0].marginals]
    rows: Rows = []
    for name, d in zip(names, dimensions, strict=True):
        total, start = sum(count for _, count in d.marginals), 0.0
        for point, colour, (_, count) in zip(points, colours_of(d), d.marginals, strict=True):
            share = count / total
            label = f"{percent(share)}%" if share >= LEAST_SHARE_LABELLED else ""
            where = {"start": start, "end": start + share, "middle": start + share / 2.0}
            rows.append({"dimension": name, "point": point, "label": label, "dark": _is_dark(colour), **where})
            start += share
    height = row_height(len(names))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=_row_axis(names))
    x_scale = alt.Scale(domain=[0, 1], nice=False)
    bars = base.mark_bar(height={"band": 0.78}).encode(
        x=alt.X("start:Q", scale=x_scale, title="share of the ratings").axis(
            format="%", grid=False, values=[0, 0.25, 0.5, 0.75, 1]
        ),
        x2="end:Q",
        color=alt.Color(
            "point:N",
            sort=points,
            scale=alt.Scale(domain=points, range=list(colours_of(dimensions[0]))),
            legend=alt.Legend(columns=3 if max(map(len, points)) > 12 else len(points)),
        ),
    )
    labels = base.mark_text(fontSize=min(11, height - 5)).encode(
        x="middle:Q", text="label:N", color=alt.condition("datum.dark", alt.value("white"), alt.value(INK))
    )
    svg = to_svg(
        alt.LayerChart(layer=[bars, labels]).properties(height=alt.Step(height)),
        title="How often each point was given",
        subtitle="The more the ratings gather at one point, the more agreement chance alone would give",
    )
    title = f"Marginals of {len(names)} dimensions" if len(names) > 1 else f"Marginals of {names[0]}"
    description = "The counts stand in the details of each dimension."
    return AgreementFigure(
        name="marginals",
        title=title,
        description=description,
        caption="Where most ratings fall on one or two points, coefficients that draw chance from the ratings (alpha, "
        "Fleiss’ kappa) are low and unstable although raters mostly give the same value.",
        svg=finish_svg(svg, name=f"figure-marginals-{number}", title=title, description=description),
    )


def _names(dimensions: Sequence[DimensionAgreement]) -> list[str]:
    """Return the names of the dimensions, short enough for an axis and each of its own."""
    return distinguish([clean(d.name) for d in dimensions], LONGEST_NAME)


def _row_axis(names: list[str], *, grid: bool = False) -> alt.Y:
    axis = alt.Axis(ticks=False, domain=False, labelPadding=8, grid=grid, labelOverlap=False)
    return alt.Y("dimension:N", sort=names, title=None, axis=axis)
