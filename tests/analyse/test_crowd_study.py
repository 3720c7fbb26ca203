"""The real crowd study: every row of the reference table, and the sentences that correct the published one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.results import Reliability
from dialgauge.model import Ratings

from .conftest import ends, known


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((shared / "reference/crs_que_redial.json").read_text())
    return values


@pytest.fixture(scope="module")
def result(crowd: Ratings) -> Reliability:
    return analyse_reliability(crowd)


def test_the_design_is_told_as_it_is(result: Reliability, expected: dict[str, Any]) -> None:
    design = result.design
    assert (design.n_targets, design.n_raters, design.n_ratings) == (200, 117, 1053)
    assert design.k_harmonic == pytest.approx(expected["k_harmonic"], rel=1e-12)
    assert design.kind == "sparse_crossed"
    assert design.connected


def test_all_18_rows_equal_the_reference_within_its_tolerance(result: Reliability, expected: dict[str, Any]) -> None:
    tolerance = expected["tolerance"]
    assert {d.name for d in result.dimensions} == set(expected["dimensions"])
    for d in result.dimensions:
        row = expected["dimensions"][d.name]
        crossed, one_way = row["crossed"], row["one_way"]
        found = {
            "var_target": (d.variance.target, crossed["var_target"]),
            "var_rater": (d.variance.rater, crossed["var_rater"]),
            "var_residual": (d.variance.residual, crossed["var_residual"]),
            "criterion": (d.fit.criterion, crossed["reml_criterion"]),
            "one-way criterion": (d.fit.criterion_one_way, one_way["reml_criterion"]),
            "mean": (d.fit.mean_gls, row["mean"]),
            "rel_single": (d.rel_single.value, crossed["rel_single"]),
            "rel_k": (d.rel_k.value, crossed["rel_k"]),
            "rel_k_relative": (d.rel_k_relative.value, crossed["rel_k_relative"]),
            "icc1": (d.icc1.value, one_way["icc1"]),
            "icc1_k": (d.icc1_k.value, one_way["icc1k"]),
            "icc1_anova": (d.icc1_anova.value, one_way["icc1_anova"]),
            "alpha_ordinal": (known(d.alpha_ordinal).value, row["alpha_ordinal"]),
            "alpha_interval": (known(d.alpha_interval).value, row["alpha_interval"]),
        }
        for name, (value, reference) in found.items():
            assert value == pytest.approx(reference, abs=tolerance), f"{d.name}: {name}"


def test_every_coefficient_lies_inside_its_interval(result: Reliability) -> None:
    for d in result.dimensions:
        for e in (d.mean, d.rel_single, d.rel_k, d.icc1, d.icc1_k, d.icc1_anova, d.alpha_ordinal, d.percent_agreement):
            low, high = ends(e)
            assert low < known(e).value < high, d.name


def test_the_sentence_on_the_two_estimators_says_that_their_gap_is_sampling_error(result: Reliability) -> None:
    (sentence,) = [s for s in result.findings if "ICC(1)" in s]
    assert "within sampling error" in sentence
    assert ".327 and .301" in sentence


def test_a_word_that_depends_on_the_model_is_called_unsettled(result: Reliability) -> None:
    (d,) = [d for d in result.dimensions if d.name == "interaction_adequacy"]
    assert d.rel_k.value > 0.5 > d.icc1_k.value
    assert any("does not settle it" in s for s in d.findings)


def test_all_two_route_checks_ran_and_hold(result: Reliability) -> None:
    for d in result.dimensions:
        assert len(d.checks) >= 2
        assert all(check.holds for check in d.checks)


def test_the_rows_are_sorted_by_the_reliability_of_the_mean(result: Reliability) -> None:
    values = [d.rel_k.value for d in result.dimensions]
    assert values == sorted(values, reverse=True)
    assert result.dimensions[0].name == "accuracy"


def test_on_the_ordinal_scale_the_verdict_on_accuracy_does_not_change(crowd: Ratings) -> None:
    frame = crowd.of("accuracy")
    alone = replace(crowd, frame=frame, scales={"accuracy": crowd.scales["accuracy"]})
    (d,) = analyse_reliability(alone, ordinal=True).dimensions
    # R ordinal::clmm, (1|dialogue) + (1|rater), logit: k = 5.2 gives .719
    assert known(d.rel_k_ordinal).value == pytest.approx(0.719, abs=1e-3)
    assert any("does not change on the ordinal scale" in s for s in d.findings)
