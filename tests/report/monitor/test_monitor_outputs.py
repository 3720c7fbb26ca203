"""What was watched on the page, in the terminal, as records and as a warning."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.monitor import Event, Monitoring, analyse_drift
from dialgauge.io import from_frame
from dialgauge.report.monitor.charts import draw_control_charts, span_of
from dialgauge.report.monitor.page import render_monitoring_page
from dialgauge.report.monitor.record import monitoring_to_json, warning_to_json
from dialgauge.report.monitor.terminal import render_monitoring


@pytest.fixture(scope="module")
def found() -> Monitoring:
    """Return what is watched of a steady, a shifted and an unknown dimension."""
    rng = np.random.default_rng(5)
    parts = {}
    for t in range(4):
        i, r = (x.ravel() for x in np.indices((30, 3)))
        true = np.linspace(-2, 2, 30)[i]
        columns = {
            "calm": true + 0.3 * rng.standard_normal(90),
            "<b>warmth</b>": true + 0.3 * rng.standard_normal(90) + (t >= 2),
        }
        frame = pl.DataFrame({"target": [f"a{k}" for k in i], "rater": "gpt", "replicate": r + 1, **columns})
        few = pl.when(pl.int_range(90) < 9).then(pl.lit(1.0)).alias("few")
        parts[f"week {t}"] = from_frame(frame.with_columns(few), scale="-9.0:9.0", replicate="replicate")
    return analyse_drift(parts, events=(Event("week 2", "gpt", "answers came from <i>m2</i>"),))


def test_the_json_is_strict_versioned_and_has_every_occasion(found: Monitoring) -> None:
    read = json.loads(monitoring_to_json(found), parse_constant=pytest.fail)
    assert (read["schema"], read["schema_version"], read["alarm"]) == ("dialgauge.monitoring", 1, True)
    assert [w["state"] for w in read["watches"]] == ["steady", "shifted", "not enough"]
    assert [c["occasion"] for c in read["watches"][0]["changes"]] == ["week 1", "week 2", "week 3"]


def test_the_warning_names_what_changed_alone(found: Monitoring) -> None:
    read = json.loads(warning_to_json(found), parse_constant=pytest.fail)
    (warning,) = read["warnings"]
    assert (read["schema"], warning["state"], warning["shifted_since"]) == ("dialgauge.warning", "shifted", "week 2")
    assert warning["shift"]["low"] < 1.0 < warning["shift"]["high"]


@pytest.mark.parametrize("width", [44, 80, 100])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_terminal_keeps_its_width_and_says_what_changed_when(
    found: Monitoring, width: int, ascii_only: bool
) -> None:
    text = render_monitoring(found, width=width, ascii_only=ascii_only)
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii() or not ascii_only
    assert "alarm on occasion week 2" in " ".join(text.split())
    assert "Not enough to tell" in " ".join(text.split())


def test_the_page_has_charts_events_and_escapes_names(found: Monitoring) -> None:
    page = render_monitoring_page(found)
    assert "<b>warmth" not in page
    assert "answers came from &lt;i&gt;m2&lt;/i&gt;" in page
    assert page.count("<svg") == 4
    assert "http" not in page.replace("http://www.w3.org", "")


def test_what_changed_is_drawn_first(found: Monitoring) -> None:
    charts = draw_control_charts(found)
    assert ["warmth" in chart.title for chart in charts] == [True, False]
    assert "diamond" not in charts[1].shift


def test_headings_say_that_they_speak_of_an_occasion(found: Monitoring) -> None:
    numbered = replace(found, occasions=(*found.occasions[:-1], "4"))
    head = render_monitoring(numbered).partition("─")[0]
    assert "shift on occasion 4" in head
    assert "ICC on" in head
    page = render_monitoring_page(numbered)
    assert "Shift on occasion 4<br>" in page
    assert '<span class="sub">occasion 4</span>' in page


def test_no_interval_of_a_chart_reaches_its_frame(found: Monitoring) -> None:
    rows: list[dict[str, object]] = [{"low": -0.4, "high": 0.1}, {"low": 0.0, "high": 0.3}]
    low, high = span_of(rows, [0.0])
    assert low < -0.4 < 0.3 < high
    assert span_of(rows, [0.9])[1] > 0.9
    assert "a vertical axis of its own" in render_monitoring_page(found)
