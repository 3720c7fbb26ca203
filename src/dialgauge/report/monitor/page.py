"""One HTML page of an anchor set that stands alone: states, control charts, events, methods."""

from markupsafe import Markup

from dialgauge.analyse.monitor.records import Monitoring, Watch
from dialgauge.report.monitor.charts import draw_control_charts
from dialgauge.report.monitor.words import (
    conclude_monitoring,
    say_difference,
    say_event,
    say_p,
    say_reliability,
    say_state,
    say_watch,
)
from dialgauge.report.numerals import DASH, decimal
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source, typeset


def render_monitoring_page(found: Monitoring, *, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source.

    It asks nothing of the network; all names and notes in it are escaped.
    """
    ordered = sorted(found.watches, key=lambda w: not w.alarm)
    charts = draw_control_charts(found)
    return load_template("monitor/page.html.j2").render(
        title=name_source(found.source, title=title, otherwise="Anchor set"),
        verdict=conclude_monitoring(found),
        facts=[
            ("baseline", clean(found.occasions[0])),
            ("last occasion", clean(found.occasions[-1])),
            ("later occasions", f"{len(found.occasions) - 1:,}"),
            ("alarms", f"{len(found.alarms):,}"),
            ("events", f"{len(found.events):,}"),
            ("any false alarm, ever", f"at most {decimal(found.alpha, 2)}"),
        ],
        rows=[_row(watch) for watch in ordered],
        last=f"occasion {clean(found.occasions[-1])}",
        level=f"{found.level * 100:g}",
        alpha=decimal(found.alpha, 2),
        charts=[(chart, Markup(chart.shift), Markup(chart.reliability)) for chart in charts],  # noqa: S704 (Vega escapes)
        more=sum(bool(w.changes) for w in found.watches) - len(charts),
        events=[say_event(event) for event in found.events],
        findings=[typeset(clean(finding)) for finding in found.findings],
        source=clean(found.source) or "not named",
        notes=[typeset(clean(note)) for note in found.notes],
        versions=found.versions,
    )


def _row(watch: Watch) -> tuple[str, ...]:
    latest = watch.latest
    return (
        clean(watch.dimension),
        clean(watch.rater),
        "alarm" if watch.alarm else "quiet",
        say_state(watch),
        DASH if latest is None else say_difference(latest.shift),
        DASH if latest is None else say_p(latest.p_shift),
        say_reliability(watch.icc),
        DASH if latest is None else say_reliability(latest.icc),
        DASH if latest is None else say_difference(latest.change),
        DASH if latest is None else say_p(latest.p_reliability),
        say_watch(watch),
    )
