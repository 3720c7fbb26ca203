"""Reliability for other numbers of raters."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.report.steps import RatersNeeded, at_k, raters_needed
from dialgauge.stats.estimate import Estimate

from .conftest import estimate

reliabilities = st.floats(0.001, 0.999)
raters = st.floats(1.0, 50.0)


@given(reliabilities, raters, raters)
def test_stepping_there_and_back_gives_the_same_reliability(value: float, k: float, other: float) -> None:
    there, _, _ = at_k(estimate(value, spread=0.0), other, measured_k=k)
    back, _, _ = at_k(estimate(there, spread=0.0), k, measured_k=other)
    assert back == pytest.approx(value, rel=1e-9)


@given(reliabilities, st.integers(1, 50))
def test_stepping_up_from_one_rater_is_the_formula_of_spearman_and_brown(value: float, k: int) -> None:
    stepped, _, _ = at_k(estimate(value, spread=0.0), k, measured_k=1)
    assert stepped == pytest.approx(k * value / (1 + (k - 1) * value), rel=1e-12)


def test_the_ends_of_the_interval_are_stepped_likewise() -> None:
    value, low, high = at_k(estimate(0.5, spread=0.1), 2, measured_k=1)
    assert (value, low, high) == pytest.approx((2 / 3, 0.8 / 1.4, 1.2 / 1.6))


def test_without_an_interval_there_is_none_after_the_step() -> None:
    assert at_k(estimate(0.5, flags=("no_interval",)), 2, measured_k=1)[1:] == (None, None)


@given(reliabilities, st.sampled_from([0.5, 0.75, 0.9]), raters)
def test_the_raters_needed_reach_the_goal_and_one_less_does_not(value: float, goal: float, k: float) -> None:
    measured = estimate(value, spread=0.0)
    needed = raters_needed(measured, goal, measured_k=k).value
    assert needed is not None
    assert at_k(measured, needed, measured_k=k)[0] >= goal - 1e-9
    assert needed == 1 or at_k(measured, needed - 1, measured_k=k)[0] < goal


def test_the_lower_end_of_the_interval_needs_the_most_raters() -> None:
    # CRS-Que accuracy, Rel(5.2) = .717 [.653, .772]: odds of one rater .487, .362 and .651; 3 / odds = 6.2, 8.3, 4.6
    accuracy = Estimate(value=0.717, low=0.653, high=0.772, level=0.95, method="", covers="", n=1053)
    assert raters_needed(accuracy, 0.75, measured_k=5.2) == RatersNeeded(value=7, low=5, high=9)


def test_no_number_of_raters_helps_where_targets_do_not_differ() -> None:
    flat = Estimate(value=0.0, low=0.0, high=0.07, level=0.95, method="", covers="", n=1053)
    needed = raters_needed(flat, 0.5, measured_k=5.2)
    assert (needed.value, needed.high) == (None, None)
    assert needed.low == math.ceil(5.2 * 0.93 / 0.07)


def test_a_perfect_reliability_stays_perfect_and_needs_one_rater() -> None:
    perfect = estimate(1.0, spread=0.0)
    assert at_k(perfect, 20, measured_k=5)[0] == 1.0
    assert raters_needed(perfect, 0.9, measured_k=5).value == 1
