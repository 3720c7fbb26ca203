"""Control charts of an anchor set: shifts and reliabilities over the occasions."""

from dataclasses import dataclass

import altair as alt

from dialgauge.analyse.monitor.records import Monitoring, Watch
from dialgauge.report.monitor.words import say_watch
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean, distinguish
from dialgauge.report.theme import BLUE, SOFT, VERMILION, to_svg
from dialgauge.stats.estimate import Estimate

Rows = list[dict[str, object]]

MOST_CHARTS = 24
WIDTH, HEIGHT = 470, 170
LONGEST_OCCASION = 16
MOST_LETTERS = 50
"""Letters that fit below a chart side by side."""


@dataclass(frozen=True, slots=True)
class ControlChart:
    """Two figures of one dimension by one rater; ``reliability`` is "" where it is not known."""

    title: str
    sentence: str
    shift: str
    reliability: str


def draw_control_charts(found: Monitoring) -> tuple[ControlChart, ...]:
    """Return the charts of at most 24 dimensions and raters, those that changed first."""
    known = [w for w in sorted(found.watches, key=lambda w: not w.alarm) if w.changes]
    return tuple(_draw(watch, found, number) for number, watch in enumerate(known[:MOST_CHARTS], start=1))


def _draw(watch: Watch, found: Monitoring, number: int) -> ControlChart:
    title = f"{clean(watch.dimension)} by {clean(watch.rater)}"
    labels = distinguish([clean(name) for name in found.occasions], LONGEST_OCCASION)
    shift = _rows(watch, labels, "shift", watch.shifted_since, found)
    reliability = _rows(watch, labels, "icc", watch.less_reliable_since, found)
    if isinstance(watch.icc, Estimate):
        base = watch.icc
        reliability.insert(0, {"occasion": labels[0], **_ends(base), "kind": "no alarm"})
    span = f"{found.level * 100:g}% intervals of each occasion alone"
    rules = [watch.icc.value] if isinstance(watch.icc, Estimate) else []
    return ControlChart(
        title=title,
        sentence=say_watch(watch),
        shift=_chart(
            shift, labels[1:], [0.0], axis="difference from the baseline", title="Shift of the mean", subtitle=span,
            name=f"shift-{number}", description=f"Shift of {title} on each occasion.",
        ),
        reliability=_chart(
            reliability, labels, rules, axis="ICC of one rating", title="Reliability", subtitle=span,
            name=f"reliability-{number}", description=f"Reliability of one rating of {title} on each occasion.",
        )
        if any("value" in row for row in reliability)
        else "",
    )  # fmt: skip


def _rows(watch: Watch, labels: list[str], what: str, since: str | None, found: Monitoring) -> Rows:
    """Return a row an occasion with value, ends and whether an alarm had been raised by then."""
    first = found.occasions.index(since) if since is not None else len(labels)
    rows: Rows = []
    for place, change in enumerate(watch.changes, start=1):
        estimate = change.shift if what == "shift" else change.icc
        if isinstance(estimate, Estimate):
            kind = "alarm" if place >= first else "no alarm"
            rows.append({"occasion": labels[place], **_ends(estimate), "kind": kind})
    return rows


def _ends(estimate: Estimate) -> dict[str, object]:
    low, high = (estimate.value if end is None else end for end in (estimate.low, estimate.high))
    return {"value": estimate.value, "low": low, "high": high}


def span_of(rows: Rows, rules: list[float]) -> list[float]:
    """Return a range that holds every interval and rule with a little room, so that none touches the frame."""
    ends = [float(str(row[end])) for row in rows for end in ("low", "high")] + rules
    room = 0.08 * (max(ends) - min(ends)) or 0.05
    return [min(ends) - room, max(ends) + room]


def _chart(
    rows: Rows,
    labels: list[str],
    rules: list[float],
    *,
    axis: str,
    title: str,
    subtitle: str,
    name: str,
    description: str,
) -> str:
    x = alt.X("occasion:N", sort=labels, title="occasion", scale=alt.Scale(domain=labels)).axis(
        labelAngle=0 if sum(map(len, labels)) <= MOST_LETTERS else -60, ticks=False
    )
    scale = alt.Scale(zero=False, nice=True, domain=span_of(rows, rules))
    kinds = [kind for kind in ("no alarm", "alarm") if any(row["kind"] == kind for row in rows)]
    colours = {"no alarm": BLUE, "alarm": VERMILION}
    shapes = {"no alarm": "circle", "alarm": "diamond"}
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=x, color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[colours[kind] for kind in kinds]))
    )
    value = alt.Y("value:Q", title=axis, scale=scale).axis(tickCount=5, grid=True)
    line = alt.Chart(alt.InlineData(values=rows)).mark_line(color=SOFT, strokeWidth=1, opacity=0.6)
    layers = [
        alt.Chart(alt.InlineData(values=[{"value": rule} for rule in rules]))
        .mark_rule(color=SOFT, strokeDash=[3, 3])
        .encode(y=alt.Y("value:Q", scale=scale)),
        line.encode(x=x, y=value),
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=scale), y2="high:Q"),
        base.mark_point(filled=True, opacity=1, size=55).encode(
            y=value, shape=alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=[shapes[kind] for kind in kinds]))
        ),
    ]
    svg = to_svg(alt.LayerChart(layer=layers).properties(height=HEIGHT), title=title, subtitle=subtitle, width=WIDTH)
    return finish_svg(svg, name=name, title=title, description=description)
