"""The charts of kinds of rater: what two kinds see in common, and how reliable each kind is by itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import altair as alt

from dialgauge.analyse.kinds import KindsComparison
from dialgauge.analyse.results import Coefficient
from dialgauge.report.numerals import decimal
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean, distinguish
from dialgauge.report.theme import BLUE, GREEN, ORANGE, VERMILION, pick_drawn, row_height, to_svg
from dialgauge.stats.estimate import Estimate

Rows = list[dict[str, object]]

LONGEST_NAME = 28

ZOOMED = 0.7
"""From this lowest end on the axis does not begin at 0, where it would show nothing."""

MEANINGS = ("without noise", "observed means", "ceiling of observed")
_COLOURS, _SHAPES = (BLUE, VERMILION, GREEN, ORANGE), ("circle", "diamond", "triangle-up", "square")


@dataclass(frozen=True, slots=True)
class KindsFigure:
    """A figure with the words that belong to it; ``description`` is for those who cannot see it."""

    name: str
    title: str
    description: str
    caption: str
    svg: str


def draw_kinds_figures(comparison: KindsComparison) -> tuple[KindsFigure, ...]:
    """Return the correlations of each pair of kinds that has any, and the reliabilities of the kinds."""
    comparison = replace(comparison, dimensions=tuple(pick_drawn(comparison.dimensions)))
    pairs = dict.fromkeys((pair.first, pair.second) for d in comparison.dimensions for pair in d.pairs)
    drawn = [_correlations(comparison, pair, number) for number, pair in enumerate(pairs, start=1)]
    return tuple(figure for figure in (*drawn, _reliabilities(comparison)) if figure is not None)


def _correlations(comparison: KindsComparison, who: tuple[str, str], number: int) -> KindsFigure | None:
    found = [(d.name, pair) for d in comparison.dimensions for pair in d.pairs if (pair.first, pair.second) == who]
    names = distinguish([clean(name) for name, _ in found], LONGEST_NAME)
    rows: Rows = []
    for name, (_, pair) in zip(names, found, strict=True):
        rows += _row(name, MEANINGS[0], pair.correlation)
        rows += _row(name, MEANINGS[1], pair.observed, bare=True)
        if pair.ceiling is not None:
            rows.append({"dimension": name, "series": MEANINGS[2], "value": pair.ceiling})
    if not any(row["series"] == MEANINGS[0] for row in rows):
        return None
    first, second = map(clean, who)
    return _forest(
        rows,
        names,
        name=f"correlation-{number}",
        x_title="correlation",
        title=f"What {first} and {second} see in common",
        subtitle=f"Correlation of target effects without noise, with {comparison.level * 100:g}% intervals",
        caption="The correlation without noise says how far both kinds see the same in the targets. That of the "
        "observed means is lower because each mean holds noise; kinds that see exactly the same would reach the "
        "ceiling and no more.",
        series=MEANINGS,
    )


def _reliabilities(comparison: KindsComparison) -> KindsFigure | None:
    names = distinguish([clean(d.name) for d in comparison.dimensions], LONGEST_NAME)
    rows = [
        row
        for name, d in zip(names, comparison.dimensions, strict=True)
        for kind in d.kinds
        for row in _row(name, clean(kind.kind), kind.rel_single)
    ]
    if not rows:
        return None
    return _forest(
        rows,
        names,
        name="reliability",
        x_title="Rel(1), the reliability of one rating by a fresh rater of the kind",
        title="How reliable each kind is by itself",
        subtitle=f"Share of the variance of one rating that is due to targets, {comparison.level * 100:g}% intervals",
        caption="Each kind is held against its own view of the targets. A kind may be very reliable and see something "
        "else than another kind does: the correlation above tells.",
        series=tuple(clean(kind) for kind in comparison.kinds),
    )


def _row(name: str, series: str, coefficient: Coefficient, *, bare: bool = False) -> Rows:
    if not isinstance(coefficient, Estimate):
        return []
    value = coefficient.value
    low, high = (value if end is None or bare else end for end in (coefficient.low, coefficient.high))
    return [{"dimension": name, "series": series, "value": value, "low": low, "high": high}]


def axis_start(lows: Sequence[float]) -> float:
    """Return where the axis begins: at 0 or the lowest end, and where all ends are high at the tenth below them."""
    least = min(lows)
    return min(least, 0.0) if least < ZOOMED else math.floor(10.0 * least) / 10.0


def _forest(
    rows: Rows,
    names: list[str],
    *,
    name: str,
    x_title: str,
    title: str,
    subtitle: str,
    caption: str,
    series: tuple[str, ...],
) -> KindsFigure:
    """Draw points with their intervals, a line of the chart for each dimension."""
    for row in rows:
        row.setdefault("low", row["value"])
        row.setdefault("high", row["value"])
    low = axis_start([float(str(row["low"])) for row in rows])
    if low > 0.0:
        subtitle += f"; the axis begins at {decimal(low, 2)}, not at 0"
    x_scale = alt.Scale(domain=[low, 1.0], nice=False)
    axis = alt.Axis(format=".2f", grid=False)
    there = [one for one in series if any(row["series"] == one for row in rows)]
    which = [series.index(one) % len(_COLOURS) for one in there]
    legend = alt.Legend(offset=24)
    y_axis = alt.Axis(ticks=False, domain=False, labelPadding=8, grid=True, labelOverlap=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("dimension:N", sort=names, title=None, axis=y_axis),
        yOffset=alt.YOffset("series:N", sort=there, scale=alt.Scale(paddingOuter=0.4)),
        color=alt.Color("series:N", scale=alt.Scale(domain=there, range=[_COLOURS[i] for i in which]), legend=legend),
    )
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=x_scale, axis=axis, title=x_title), x2="high:Q"
    )
    shapes = alt.Scale(domain=there, range=[_SHAPES[i] for i in which])
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("value:Q", scale=x_scale), shape=alt.Shape("series:N", scale=shapes, legend=legend)
    )
    height = max(44, row_height(len(names)) + 14)
    svg = to_svg(
        alt.LayerChart(layer=[intervals, points]).properties(height=height * len(names)), title=title, subtitle=subtitle
    )
    description = "All values stand in the tables."
    return KindsFigure(
        name=name,
        title=title,
        description=description,
        caption=caption,
        svg=finish_svg(svg, name=f"figure-{name}", title=title, description=description),
    )
