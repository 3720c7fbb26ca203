"""A plan as JSON and CSV."""

import json
from io import StringIO
from typing import Any

import polars as pl
import pytest

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study
from dialgauge.report.planning.record import plan_to_csv, plan_to_dict, plan_to_frame, plan_to_json
from dialgauge.stats.power import icc_width

TOP = {
    "design", "assumed", "wanted", "costs", "answers", "by_targets", "table", "for_width", "for_wanted", "simulation",
    "decision", "curves", "notes", "seed", "versions",
}  # fmt: skip


def load(plan: StudyPlan) -> Any:  # noqa: ANN401 (JSON)
    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is no JSON")

    text = plan_to_json(plan)
    assert text.isascii()
    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("name", ["bare", "sized", "full", "piloted", "hostile"])
def test_the_json_is_strict_and_has_these_keys(name: str, request: pytest.FixtureRequest) -> None:
    assert set(load(request.getfixturevalue(name))) == TOP


def test_the_four_numbers_of_the_study_of_redial_are_there(sized: StudyPlan) -> None:
    # definitions.md: .062 on the grid (exactly .0604), .120, .812, .991
    found = load(sized)
    (row,) = [row for row in found["by_targets"] if row["planned"]]
    assert row["least_detectable_icc"] == pytest.approx(0.0604, abs=5e-5)
    assert row["least_detectable_icc_on_grid"] == pytest.approx(0.062, abs=5e-4)
    assert {at["icc"]: round(at["width"], 3) for at in row["icc_width"]}[0.6] == 0.120
    powers = {at["r"]: round(at["power"], 3) for at in row["correlation_power"]}
    assert (powers[0.2], powers[0.3]) == (0.812, 0.991)
    (answer,) = [a for a in found["answers"] if a["key"] == "least_detectable_icc"]
    assert answer["value"] == row["least_detectable_icc"]
    assert answer["remark"].endswith("it would be 0.062")
    assert answer["source"] == "Walter, Eliasziw and Donner (1998)"


def test_what_is_left_open_is_null(bare: StudyPlan) -> None:
    found = load(bare)
    assert found["design"] == {
        "targets": None, "raters": None, "per_target": 5, "replicates": 1, "ratings": None, "targets_per_rater": None,
    }  # fmt: skip
    assert [found[key] for key in ("assumed", "for_width", "for_wanted", "simulation", "decision")] == [None] * 5
    assert found["table"] == found["answers"] == []


def test_every_answer_has_a_key_of_its_own(full: StudyPlan, piloted: StudyPlan) -> None:
    for plan in (full, piloted):
        keys = [answer["key"] for answer in load(plan)["answers"]]
        assert len(keys) == len(set(keys))
    assert "rel_k_power_at_pilot_limit" in keys


def test_an_answer_that_cannot_be_given_is_null_with_reason_and_remedy() -> None:
    found = load(plan_study(PlanOptions(icc=0.3, ruled_out=0.4)))
    (answer,) = [a for a in found["answers"] if a["key"] == "targets_for_power"]
    assert answer["value"] is None
    assert "does not exceed" in answer["reason"]
    assert answer["remedy"] == "rule out a lower one"


def test_searches_hold_designs_or_the_reason_why_there_are_none(full: StudyPlan) -> None:
    found = load(full)
    costs = [design["cost"] for design in found["for_width"]["designs"]]
    assert costs == sorted(costs)
    assert all(design["width"] <= 0.2 and design["k"] == 1 for design in found["for_width"]["designs"])
    none = load(plan_study(PlanOptions(icc=0.2, wanted=0.99)))["for_wanted"]
    assert none["designs"] == []
    assert none["reason"]


def test_the_simulation_has_counts_and_monte_carlo_errors(full: StudyPlan) -> None:
    found = load(full)["simulation"]
    assert {"runs", "model", "points", "no_fit", "no_interval", "boundary", "scores"} == set(found)
    assert (found["runs"], found["points"], [score["score"] for score in found["scores"]]) == (
        6,
        5,
        ["Rel(4)", "Rel(1)"],
    )
    assert found["scores"][0]["power"]["standard_error"] > 0
    assert found["scores"][1]["power"] is None


def test_a_single_simulated_study_has_no_standard_error_and_that_is_null() -> None:
    plan = plan_study(PlanOptions(targets=20, raters=8, icc=0.4, simulate=1))
    assert load(plan)["simulation"]["scores"][0]["mean"]["standard_error"] is None


def test_the_decision_study_has_the_raters_needed_and_the_curve(piloted: StudyPlan) -> None:
    found = load(piloted)["decision"]
    assert [needed["wanted"] for needed in found["raters_needed"]] == [0.5, 0.6, 0.75, 0.8, 0.9]
    assert [point["k"] for point in found["curve"]] == list(range(1, 21))
    assert load(piloted)["assumed"]["from"] == "pilot"


def test_curves_are_numbers_at_numbers(sized: StudyPlan) -> None:
    curves = {curve["name"]: curve for curve in load(sized)["curves"]}
    width = curves["width"]
    six = next(series["y"] for series in width["series"] if series["level"] == 0.6)
    assert six == pytest.approx([icc_width(0.6, n=n, k=5) for n in width["x"]])
    assert curves["least_detectable_icc"]["mark"] == {"x": 200.0, "y": pytest.approx(0.0604, abs=5e-5)}


def test_the_frame_is_the_table_of_designs_or_what_targets_buy(full: StudyPlan, sized: StudyPlan) -> None:
    frame = plan_to_frame(full)
    assert frame.columns[:4] == ["targets", "raters", "per_target", "replicates"]
    assert len(frame) == len(full.table)
    assert frame.filter(planned=True)["cost"].to_list() == [440.0]
    by_targets = plan_to_frame(sized)
    assert round(by_targets.filter(planned=True)["correlation_power_at_0.2"][0], 3) == 0.812


@pytest.mark.parametrize("name", ["bare", "sized", "full", "piloted"])
def test_the_csv_reads_back_as_the_frame(name: str, request: pytest.FixtureRequest) -> None:
    plan = request.getfixturevalue(name)
    frame = plan_to_frame(plan)
    assert pl.read_csv(StringIO(plan_to_csv(plan)), schema=frame.schema).equals(frame, null_equal=True)


def test_a_study_too_small_for_a_correlation_has_empty_cells_there() -> None:
    frame = plan_to_frame(plan_study(PlanOptions(targets=3)))
    assert frame["correlation_power_at_0.2"].to_list()[:2] == [None, None]
    assert frame["correlation_power_at_0.2"][-1] is not None


def test_dicts_of_the_plan_share_nothing_with_it(full: StudyPlan) -> None:
    notes = plan_to_dict(full)["notes"]
    assert isinstance(notes, list)
    notes.clear()
    assert full.notes
