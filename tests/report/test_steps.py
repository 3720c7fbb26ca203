"""Reliability for other numbers of raters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.report.steps import at_k

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


def test_a_perfect_reliability_stays_perfect() -> None:
    assert at_k(estimate(1.0, spread=0.0), 20, measured_k=5)[0] == 1.0
