"""The door of the library to planning."""

import json
from pathlib import Path

import pytest

import dialgauge
from dialgauge.analyse.results import DimensionReliability
from dialgauge.errors import InputError
from dialgauge.stats.components import Components


def test_a_plan_prints_saves_and_passes_on_its_numbers(tmp_path: Path) -> None:
    report = dialgauge.plan(targets=200, per_target=5)
    assert ".0604" in str(report)
    assert not str(report).endswith("\n")
    report.save_html(tmp_path / "a.html")
    report.to_csv(tmp_path / "a.csv")
    assert report.to_latex(tmp_path / "a.tex") == (tmp_path / "a.tex").read_text(encoding="utf-8")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "a.csv").read_text(encoding="utf-8").startswith("targets,least_detectable_icc,")
    assert json.loads(report.to_json()) == json.loads(json.dumps(report.to_dict()))
    assert report._repr_html_().startswith("<pre>200 targets, raters left open")
    assert report.notes == report.plan.notes


def test_options_reach_the_plan(pilot: DimensionReliability) -> None:
    report = dialgauge.plan(
        targets=50, raters=12, per_target=3, components=[0.3, 0.1, 0.2, 0.4], replicates=2, wanted=0.6, width=0.25,
        cost_rating=0.5, cost_rater=10, cost_target=2, alpha=0.1, power=0.9, ruled_out=0.1, seed=4,
    )  # fmt: skip
    options = report.plan.options
    assert options.components == Components(target=0.3, rater=0.1, target_x_rater=0.2, residual=0.4)
    assert (options.costs.rating, options.costs.rater, options.costs.target) == (0.5, 10, 2)
    assert (options.level, options.power, options.width, options.seed) == (0.9, 0.9, 0.25, 4)
    assert report.to_frame().filter(planned=True)["ratings"].to_list() == [300]
    assert dialgauge.plan(targets=50, pilot=pilot).plan.decision is not None


@pytest.mark.parametrize(
    "options",
    [
        {"components": [0.3, 0.7]},
        {"components": [0.3, -0.1, 0.7]},
        {"icc": 0.4, "components": [0.3, 0.1, 0.6]},
        {"cost_rating": -1.0},
        {"points": 5},
        {"points": 1, "simulate": 2, "targets": 20, "raters": 5, "icc": 0.3},
    ],
)
def test_options_out_of_range_or_at_odds_are_input_errors(options: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        dialgauge.plan(**options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
