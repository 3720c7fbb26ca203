"""The charts of raters: severities with their intervals, and scatter against severity."""

from dataclasses import dataclass

import altair as alt

from dialgauge.analyse.raters.limits import NOISY, SEVERE
from dialgauge.analyse.raters.parts import Severity
from dialgauge.analyse.raters.records import RaterQuality, RaterReport
from dialgauge.report.raters.words import say_rules
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean, distinguish
from dialgauge.report.theme import BLUE, INK, ORANGE, SOFT, VERMILION, to_svg
from dialgauge.stats.estimate import Estimate

Rows = list[dict[str, object]]

MOST_DRAWN = 300
"""Raters in the chart of severities; of more, the most severe and the most lenient are drawn."""

TALLEST = 1150
WIDEST_ROW, NARROWEST_ROW, LABELLED_ROW = 24, 4, 8
LONGEST_NAME = 24
MOST_LABELS = 15
SQUARE = 420

_KINDS = ("meets no rule", "severity", "another rule")
_COLOURS = (BLUE, VERMILION, ORANGE)
_SHAPES = ("circle", "diamond", "triangle-up")


@dataclass(frozen=True, slots=True)
class RaterFigure:
    """A figure with the words that belong to it; ``description`` is for those who cannot see it."""

    name: str
    title: str
    description: str
    caption: str
    svg: str


def draw_rater_figures(report: RaterReport) -> tuple[RaterFigure, ...]:
    """Return the charts that can be drawn: none where severity could not be predicted."""
    severe = [rater for rater in report.raters if isinstance(rater.severity, Severity)]
    if not severe:
        return ()
    scattered = [rater for rater in severe if isinstance(rater.consistency, Estimate)]
    return (_caterpillar(report, severe), *([_scatter(report, scattered)] if scattered else []))


def _caterpillar(report: RaterReport, raters: list[RaterQuality]) -> RaterFigure:
    ordered = sorted(raters, key=_value)
    drawn = ordered if len(ordered) <= MOST_DRAWN else [*ordered[: MOST_DRAWN // 2], *ordered[-MOST_DRAWN // 2 :]]
    names = distinguish([clean(rater.name) for rater in drawn], LONGEST_NAME)
    rows = [
        {**_row(rater, name), "low": rater.severity.estimate.low, "high": rater.severity.estimate.high}
        for rater, name in zip(drawn, names, strict=True)
        if isinstance(rater.severity, Severity)
    ]
    height = max(NARROWEST_ROW, min(WIDEST_ROW, TALLEST // len(rows)))
    labels = alt.Axis(
        ticks=False, domain=False, grid=False, labels=height >= LABELLED_ROW, labelFontSize=min(12, height + 1),
        labelOverlap=False, labelPadding=8,
    )  # fmt: skip
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("rater:N", sort=names, title=None, axis=labels), color=_colour(rows)
    )
    ends = [float(str(row[end])) for row in rows for end in ("low", "high")]
    x = _severity_axis(ends, f"severity in {report.norms.unit}: stricter to the left, more lenient to the right")
    layers = [
        _line("value", [0.0], dashed=False),
        _line("value", _limits(report)),
        base.mark_rule(strokeWidth=max(1.0, min(2.0, height / 6))).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=min(60, 5 * height)).encode(x=x, shape=_shape(rows)),
    ]
    left_out = len(ordered) - len(drawn)
    subtitle = f"Rater effects with {report.level * 100:g}% intervals; dashed: half a standard deviation of one rating"
    svg = to_svg(
        alt.LayerChart(layer=layers).properties(height=alt.Step(height)),
        title="Severity of each rater",
        subtitle=subtitle + (f"; {left_out:,} raters in the middle are left out" if left_out else ""),
    )
    return _figure(
        "severity",
        svg,
        title="Severity of each rater with intervals",
        description=f"From {names[0]} ({_value(drawn[0]):+.2f}) to {names[-1]} ({_value(drawn[-1]):+.2f}).",
        caption="Each line is a rater. A rater whose interval spans zero cannot be told from the mean of these raters; "
        "two raters whose intervals overlap widely should not be ranked.",
    )


def _scatter(report: RaterReport, raters: list[RaterQuality]) -> RaterFigure:
    names = distinguish([clean(rater.name) for rater in raters], LONGEST_NAME)
    rows = [
        {**_row(rater, name), "ratio": rater.consistency.value}
        for rater, name in zip(raters, names, strict=True)
        if isinstance(rater.consistency, Estimate)
    ]
    rows.reverse()  # those worth a look are drawn last, above the others
    x = _severity_axis([float(str(row["value"])) for row in rows], f"severity in {report.norms.unit}")
    ratios = [float(str(row["ratio"])) for row in rows]
    y_scale = alt.Scale(type="log", domain=[min(*ratios, 1.0) / 1.2, max(*ratios, NOISY) * 1.2], nice=False)
    y = alt.Y("ratio:Q", title="residual variance over that of the others", scale=y_scale).axis(
        values=[0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5, 10, 20], format="~g", grid=False
    )
    points = alt.Chart(alt.InlineData(values=rows)).mark_point(filled=True, size=55, opacity=0.85)
    labelled = [row for row in rows if row["kind"] != _KINDS[0]][-MOST_LABELS:]
    layers = [
        _line("value", [0.0], dashed=False),
        _line("ratio", [1.0], dashed=False, along="y"),
        _line("value", _limits(report)),
        _line("ratio", [NOISY], along="y"),
        points.encode(x=x, y=y, color=_colour(rows), shape=_shape(rows)),
        alt.Chart(alt.InlineData(values=labelled))
        .mark_text(align="left", dx=8, color=INK, fontSize=11)
        .encode(x=x, y=y, text="rater:N"),
    ]
    svg = to_svg(
        alt.LayerChart(layer=layers).properties(height=SQUARE),
        title="Scatter against severity",
        subtitle="How much a rater’s residuals scatter (log scale), and how strict or lenient the rater is",
    )
    noisiest = max(raters, key=lambda r: r.consistency.value if isinstance(r.consistency, Estimate) else 0.0)
    return _figure(
        "scatter",
        svg,
        title="Residual variance against severity",
        description=f"The largest scatter is that of {clean(noisiest.name)}. All values stand in the table.",
        caption="Severity shifts all ratings of a rater and can be taken out; scatter cannot. Raters at the top rate "
        "less predictably than the others, those at the bottom more so (or they use little of the scale). Dashed lines "
        "are where the rules begin.",
    )


def _figure(name: str, svg: str, *, title: str, description: str, caption: str) -> RaterFigure:
    finished = finish_svg(svg, name=f"figure-{name}", title=title, description=description)
    return RaterFigure(name=name, title=title, description=description, caption=caption, svg=finished)


def _value(rater: RaterQuality) -> float:
    return rater.severity.estimate.value if isinstance(rater.severity, Severity) else 0.0


def _row(rater: RaterQuality, name: str) -> dict[str, object]:
    rules = {flag.rule for flag in rater.flags}
    kind = _KINDS[0] if not rules else _KINDS[1] if rules == {"severity"} else _KINDS[2]
    return {"rater": name, "value": _value(rater), "kind": kind, "rules": say_rules(rater)}


def _severity_axis(values: list[float], title: str) -> alt.X:
    """Return the axis of severities, with some room at both ends."""
    low, high = min(*values, 0.0), max(*values, 0.0)
    room = 0.04 * (high - low) or 1.0
    scale = alt.Scale(domain=[low - room, high + room], nice=False)
    return alt.X("value:Q", title=title, scale=scale).axis(grid=False, tickCount=8, format="+.1~f")


def _limits(report: RaterReport) -> list[float]:
    sd = report.norms.sd
    return [] if sd is None else [-SEVERE * sd, SEVERE * sd]


def _line(field: str, values: list[float], *, dashed: bool = True, along: str = "x") -> alt.Chart:
    """Return lines across the chart at ``values`` of one axis."""
    rows: Rows = [{field: value} for value in values]
    chart: alt.Chart = alt.Chart(alt.InlineData(values=rows)).mark_rule(
        color=SOFT, strokeDash=[3, 3] if dashed else [1, 0], strokeWidth=1, opacity=0.6 if dashed else 0.8
    )  # fmt: skip
    return chart.encode(x=alt.X(f"{field}:Q")) if along == "x" else chart.encode(y=alt.Y(f"{field}:Q"))


def _colour(rows: Rows) -> alt.Color:
    kinds, which = _kinds(rows)
    return alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[_COLOURS[i] for i in which]))


def _shape(rows: Rows) -> alt.Shape:
    kinds, which = _kinds(rows)
    return alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=[_SHAPES[i] for i in which]))


def _kinds(rows: Rows) -> tuple[list[str], list[int]]:
    """Return the kinds of raters that occur, for the legend."""
    which = [i for i, kind in enumerate(_KINDS) if any(row["kind"] == kind for row in rows)]
    return [_KINDS[i] for i in which], which
