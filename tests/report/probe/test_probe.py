"""Probes out of a real store: the sensitivity of a fake model is found, and that of none is not."""

import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from scipy import stats
from tests.collect.conftest import RATER, Scripted, write_study
from tests.report.checks.conftest import collect

from dialgauge.analyse.probing import ProbeReport
from dialgauge.collect.injections import injections
from dialgauge.collect.probing import neutral_text, open_probe
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study
from dialgauge.llm import Model
from dialgauge.llm.fake import FakeModel
from dialgauge.model import Scale
from dialgauge.report.probe.loading import report_probe
from dialgauge.report.probe.page import render_probe_page
from dialgauge.report.probe.record import probe_to_json
from dialgauge.report.probe.terminal import render_probe
from dialgauge.stats.estimate import Estimate

CONTINUOUS = """
name = "small"
version = "1"
title = "Small"
[scale]
level = "interval"
low = 0.0
high = 1.0
[[dimensions]]
name = "trust"
title = "Trust"
[[dimensions]]
name = "ease"
title = "Ease"
"""
UNIT = Scale.parse("0.0:1.0")


def probe(root: Path, models: dict[str, Model], *, n_targets: int = 10, **tables: object) -> ProbeReport:
    raters = [{**RATER, "name": name} for name in models]
    study = write_study(root, **{"raters": raters, "n_targets": n_targets, **tables})  # type: ignore[arg-type]
    (study / "small.toml").write_text(CONTINUOUS, encoding="utf-8")
    folder = read_study(study)
    with open_store(folder.store_url, create=True) as store:
        plan, rounds = open_probe(folder, store, n_targets=n_targets)
        collect(folder, store, rounds, models)
        assert collect(folder, store, open_probe(folder, store, n_targets=n_targets)[1], models) == 0
        return report_probe(store, plan)


def moved_by(shift: float, *, seed: int = 0, noise: float = 0.1) -> FakeModel:
    """Return a model that each text moves by ``shift`` in its direction; neutral texts do not count for it."""
    texts = {one.text_for(UNIT): one.direction * shift for one in injections()}
    as_sent = {json.dumps(f" {text}", ensure_ascii=False)[1:-1]: by for text, by in texts.items()}
    neutral = {f" {neutral_text(len(text))}": 0.0 for text in texts}
    return FakeModel(spread=0.05, noise=noise, seed=seed, sensitivity={**as_sent, **neutral})


def test_a_model_that_texts_move_is_found_with_the_size_of_its_shift(tmp_path: Path) -> None:
    found = probe(tmp_path, {"m": moved_by(0.2), "still": moved_by(0.0, seed=5)})
    moved, still = found.overall
    assert (moved.movement, still.movement) == ("moved", "not moved")
    assert isinstance(moved.shift, Estimate)
    assert moved.shift.low is not None
    assert moved.shift.high is not None
    assert moved.shift.low <= 0.2 <= moved.shift.high
    assert moved.shift.value == pytest.approx(0.2, abs=0.03)
    each = [s for s in found.shifts if s.rater == "m" and s.injection is not None]
    assert len(each) == len(injections())
    assert sum(s.movement == "moved" for s in each) >= 9


def test_a_model_that_texts_do_not_move_is_called_moved_as_seldom_as_the_level_says(tmp_path: Path) -> None:
    models: dict[str, Model] = {f"m{seed}": moved_by(0.0, seed=seed) for seed in range(12)}
    each = [s for s in probe(tmp_path, models, n_targets=6).shifts if s.injection is not None]
    intervals = [s.shift for s in each if isinstance(s.shift, Estimate)]
    held = sum(e.low is not None and e.high is not None and e.low <= 0.0 <= e.high for e in intervals)
    assert len(intervals) == 120
    assert stats.binomtest(held, 120, 0.95).pvalue > 0.01


def test_a_model_that_obeys_lands_on_the_value_and_its_refusals_are_counted(tmp_path: Path) -> None:
    orders = {one.text_for(UNIT): one.target_on(UNIT) for one in injections() if one.name == "plain_order"}
    (text, value), *_ = orders.items()
    obeys = Scripted(lambda r: f'{{"value": {value if text in r.messages[1].text else 0.4}}}')
    refuses = Scripted(lambda r: "I'm sorry, I can't." if text in r.messages[1].text else '{"value": 0.4}')
    found = probe(tmp_path, {"m": obeys, "r": refuses})
    shifts = {s.rater: s for s in found.shifts if s.injection == "plain_order"}
    assert (shifts["m"].landed, shifts["m"].landed_neutral, shifts["m"].movement) == (1.0, 0.0, "moved")
    assert dict(shifts["r"].missing) == {"refused": 20}
    assert shifts["r"].movement == "not measured"


def test_a_probe_as_text_page_and_json_is_the_same_and_never_says_safe(tmp_path: Path) -> None:
    found = probe(tmp_path, {"<i>m</i>": moved_by(0.3), "still": moved_by(0.0)}, n_targets=4)
    for width in (44, 70, 100):
        text = render_probe(found, width=width, ascii_only=True)
        assert text.isascii()
        assert max(map(cell_len, text.splitlines())) <= width
    page = render_probe_page(found)
    assert "<i>m" not in page
    assert "not moved, at most ." in page
    assert "not moved, at most ." in render_probe(found)
    assert "safe" not in page + render_probe(found)
    record = json.loads(probe_to_json(found))
    assert record["shifts"][0]["shift"]["value"] == getattr(found.shifts[0].shift, "value")  # noqa: B009
    assert {one["movement"] for one in record["shifts"]} <= {"moved", "not moved", "moved the other way"}
