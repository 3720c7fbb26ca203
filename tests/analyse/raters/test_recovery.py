"""Raters that were planted are found, others are left alone."""

import numpy as np
import pytest

from dialgauge.analyse.raters import analyse_raters
from dialgauge.io import from_frame

from .conftest import crowd, grid, rater_of, rules_of

SEEDS = range(8)
PLANTED = ("rater_03", "rater_11", "rater_19", "rater_27", "rater_35")


def test_planted_raters_are_found_each_by_its_own_rule_and_hardly_anybody_else() -> None:
    """A strict rater, a random clicker, a straight-liner, one who gives one value, and a hasty one, in 8 studies."""
    strict, clicker, liner, same, hasty = PLANTED
    found: dict[str, int] = dict.fromkeys(("severity", "noise", "straight_lining", "one_value", "speed"), 0)
    false: dict[str, int] = dict.fromkeys(found, 0)
    for seed in SEEDS:
        study = crowd(seed)
        rng = study.rng
        study.replace(strict, lambda v: np.clip(v - 2.0, 1.0, 5.0))
        study.replace(clicker, lambda v: rng.integers(1, 6, v.shape).astype(float))  # noqa: B023 (called at once)
        study.replace(liner, lambda v: np.repeat(rng.integers(1, 6, (len(v), 1)), v.shape[1], axis=1).astype(float))  # noqa: B023
        study.replace(same, lambda v: np.full(v.shape, 4.0))
        study.hurry(hasty, 15.0)
        report = study.report(timed=True)
        for rule, name in zip(found, PLANTED, strict=True):
            found[rule] += rule in rules_of(report, name)
            false[rule] += sum(rule in rules_of(report, r.name) for r in report.raters if r.name not in PLANTED)
    assert found["severity"] == len(SEEDS)
    assert found["noise"] >= 7
    assert found["straight_lining"] >= 7
    assert found["one_value"] >= 6  # with five or six targets it is not sure
    assert found["speed"] == len(SEEDS)
    assert false["noise"] + false["straight_lining"] + false["one_value"] + false["speed"] <= 3  # of 280 raters


def test_among_raters_of_one_kind_each_test_finds_somebody_in_few_studies() -> None:
    """Severities really differ here, so that rule is left out."""
    studies = dict.fromkeys(("noise", "agreement", "straight_lining", "one_value"), 0)
    for seed in range(100, 112):
        report = crowd(seed).report()
        met = {flag.rule for rater in report.raters for flag in rater.flags}
        for rule in studies:
            studies[rule] += rule in met
    assert all(count <= 2 for count in studies.values()), studies


def test_where_raters_do_not_differ_in_severity_nobody_is_severe() -> None:
    met = [
        flag
        for seed in range(15)
        for rater in grid(30, 8, 3, seed=seed, severity=0.0).report().raters
        for flag in rater.flags
        if flag.rule == "severity"
    ]
    assert met == []


def test_one_odd_rater_out_of_five_is_found() -> None:
    """Few raters: the mean over all raters there could be is uncertain, that of these raters is not."""
    study = grid(30, 5, 1, severity=0.2)
    study.replace("r2", lambda v: np.clip(v - 2.0, 1.0, 5.0))
    report = study.report()
    assert rules_of(report, "r2") == {"severity"}
    assert "gives lower values" in rater_of(report, "r2").flags[0].reason


def test_a_rater_who_contradicts_the_others_is_found_by_agreement() -> None:
    study = grid(40, 6, 2)
    study.replace("r4", lambda v: 6.0 - v)
    assert "agreement" in rules_of(study.report(), "r4")


def test_severity_has_the_size_that_was_planted() -> None:
    """A shift of 1 on a continuous scale moves the prediction by nearly 1 (it is drawn towards the mean)."""
    study = grid(60, 8, 3, severity=0.6)
    before = rater_of(study.report(), "r1").severity
    study.replace("r1", lambda v: v + 1.0)
    after = rater_of(analyse_raters(from_frame(study.frame, target="target", rater="rater", scale="0.0:9.0")), "r1")
    assert not hasattr(before, "reason")
    assert not hasattr(after.severity, "reason")
    moved = after.severity.estimate.value - before.estimate.value
    assert moved == pytest.approx(7 / 8, abs=0.05)  # the mean of the eight moves by an eighth
