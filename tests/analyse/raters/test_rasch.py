"""The many-facet Rasch model of a study: the numbers of other programs and of a closed form, and its refusals."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.raters import analyse_raters
from dialgauge.analyse.raters.rasch import RaschDimension, fit_rasch_dimensions
from dialgauge.io import from_frame
from dialgauge.model import Ratings, Scale


def read(rows: list[tuple[str, str, float]], scale: str = "1:5") -> Ratings:
    frame = pl.DataFrame(rows, schema=["target", "rater", "value"], orient="row")
    return from_frame(frame, target="target", rater="rater", value="value", scale=scale)


def simulated(n_raters: int = 5, n_targets: int = 150) -> Ratings:
    """Return ratings from 1 to 5 of the model itself, by raters of whom the last is the most severe."""
    rng = np.random.default_rng(3)
    measure = 1.5 * rng.normal(size=n_targets)
    rows = []
    for t in range(n_targets):
        for j in range(n_raters):
            steps = measure[t] - 0.8 * (j - (n_raters - 1) / 2) - np.array([-1.5, -0.5, 0.5, 1.5])
            weight = np.exp(np.append(0.0, np.cumsum(steps)))
            rows.append((f"t{t}", f"r{j}", float(1 + rng.choice(5, p=weight / weight.sum()))))
    return read(rows)


def only(ratings: Ratings) -> RaschDimension:
    ((_, found),) = fit_rasch_dimensions(ratings).dimensions.items()
    return found


def test_wine_has_the_severities_and_thresholds_of_vgam(shared: Path) -> None:
    """R 4.2.2, VGAM 1.1-7: vglm(y ~ bottle + C(judge, contr.sum), acat(parallel = TRUE)), as in the tests of stats."""
    wine = pl.read_csv(shared / "reference/stats/wine.csv")
    found = only(from_frame(wine, target="bottle", rater="judge", value="rating", scale="1:5"))
    severity = {rater.name: rater.severity for rater in found.raters}
    lenient = [1.9142694156352, -0.6367140786156, 1.3472836970394, -0.0504553329122, 0.2324649052238,
               0.5120020842740, -2.3429100393638, -0.3392265726652]  # fmt: skip
    assert [-severity[str(j)] for j in range(1, 9)] == pytest.approx(lenient, abs=3e-6)
    intercepts = [1.0418874970858, -1.8854015309767, -4.3727818552338, -5.4134849913396]
    steps = [step.value for step in found.thresholds]
    assert np.diff(steps) == pytest.approx(-np.diff(intercepts), abs=3e-6)
    assert found.log_likelihood == pytest.approx(-68.8101973784, abs=1e-8)


@pytest.mark.parametrize(("one", "other"), [(12, 5), (7, 7), (3, 10)])
def test_two_raters_and_two_points_have_the_closed_form(one: int, other: int) -> None:
    # joint estimates of two items lie 2 log(n10 / n01) apart (Andersen 1973)
    answers = [(1, 0)] * one + [(0, 1)] * other + [(1, 1)] * 4 + [(0, 0)] * 3
    rows = [(f"t{t}", "ab"[j], float(pair[j])) for t, pair in enumerate(answers) for j in (0, 1)]
    found = only(read(rows, "0:1"))
    severity = {rater.name: rater.severity for rater in found.raters}
    assert severity["b"] - severity["a"] == pytest.approx(2.0 * math.log(one / other), abs=1e-8)
    assert severity["a"] + severity["b"] == pytest.approx(0.0, abs=1e-10)
    assert found.n_calibrated == 2 * (one + other)


def test_the_most_severe_rater_comes_first_and_fits_are_near_one() -> None:
    found = only(simulated())
    assert [rater.name for rater in found.raters] == ["r4", "r3", "r2", "r1", "r0"]
    for rater in found.raters:
        assert rater.infit is not None
        assert 0.5 < rater.infit < 1.5
        assert rater.se > 0.0
    assert found.of_raters.reliability > 0.9
    assert found.findings[0].startswith("Raters differ in severity")


def test_a_rater_who_guesses_is_named_for_misfit() -> None:
    ratings = simulated()
    rng = np.random.default_rng(9)
    n = ratings.frame.height
    guess = pl.Series(rng.integers(1, 6, n).astype(float))
    frame = ratings.frame.with_columns(value=pl.when(pl.col("rater") == "r2").then(guess).otherwise(pl.col("value")))
    found = only(replace(ratings, frame=frame))
    assert any(s.endswith("noisier than the model expects: r2.") for s in found.findings)


def test_a_rater_with_the_lowest_point_throughout_is_marked_and_has_no_fit() -> None:
    ratings = simulated()
    low = pl.when(pl.col("rater") == "r4").then(1.0).otherwise(pl.col("value"))
    found = only(replace(ratings, frame=ratings.frame.with_columns(value=low)))
    first = found.raters[0]
    assert (first.name, first.extreme, first.infit, first.outfit_z) == ("r4", -1, None, None)
    assert any("bound moved .3 points inwards: r4" in sentence for sentence in found.findings)


def test_partial_credit_gives_each_rater_thresholds_of_mean_zero() -> None:
    ((_, found),) = fit_rasch_dimensions(simulated(3, 200), model="partial_credit").dimensions.items()
    assert found.thresholds == ()
    for rater in found.raters:
        assert sum(step.value for step in rater.thresholds) == pytest.approx(0.0, abs=1e-8)
        assert [(step.below, step.above) for step in rater.thresholds] == [
            ("1", "2"),
            ("2", "3"),
            ("3", "4"),
            ("4", "5"),
        ]


def test_a_point_that_nobody_uses_is_named() -> None:
    ratings = simulated()
    frame = ratings.frame.with_columns(value=pl.col("value").replace(3.0, 4.0))
    found = only(replace(ratings, frame=frame))
    assert found.unused == ("3",)
    assert [(step.below, step.above) for step in found.thresholds] == [("1", "2"), ("2", "4"), ("4", "5")]


@pytest.mark.parametrize(
    ("scale", "reason"),
    [
        (Scale(level="nominal", points=(1.0, 2.0, 3.0, 4.0, 5.0)), "no order"),
        (Scale(level="interval", low=0.0, high=9.0), "continuous"),
        (Scale(level="ordinal", points=(0.5, 1.5, 5.0)), "between the points"),
    ],
)
def test_scales_that_the_model_does_not_fit_are_refused_by_name(scale: Scale, reason: str) -> None:
    ratings = replace(simulated(), scales={"value": scale})
    report = fit_rasch_dimensions(ratings)
    assert not report.dimensions
    assert reason in report.refused["value"].reason


def test_groups_of_raters_that_share_no_target_are_refused() -> None:
    rows = [
        (f"t{t}", rater, float(1 + (t + j) % 5)) for t in range(8) for j, rater in enumerate("ab" if t < 4 else "cd")
    ]
    assert "2 subsets" in fit_rasch_dimensions(read(rows)).refused["value"].reason


def test_the_report_on_raters_has_the_model_where_it_is_asked_for() -> None:
    ratings = simulated()
    assert analyse_raters(ratings).rasch is None
    report = analyse_raters(ratings, rasch="rating_scale")
    assert report.rasch is not None
    assert report.rasch.dimensions["value"].raters == only(ratings).raters
