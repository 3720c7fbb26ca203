"""Expected precision against dense algebra and against the formulas for one-way designs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.components import Components, Score
from dialgauge.stats.plan import Layout, assign, expected_precision
from dialgauge.stats.plan.precision import expected_power
from dialgauge.stats.power import icc_power, icc_width

from .conftest import REPLICATED, TYPICAL, dense_variance

EVEN = [
    (Layout(30, 10, 4), TYPICAL, Score()),
    (Layout(30, 5, 5), TYPICAL, Score()),
    (Layout(20, 40, 6), TYPICAL, Score(form="relative")),
    (Layout(30, 40, 4), Components(target=0.3, rater=0.0, residual=0.5), Score()),
    (Layout(24, 12, 5, 2), REPLICATED, Score()),
    (Layout(24, 12, 5, 2), REPLICATED, Score(5, 2)),
    (Layout(24, 12, 5, 3), REPLICATED, Score(3, 2, "relative")),
]


@pytest.mark.parametrize(("layout", "components", "score"), EVEN)
def test_with_even_loads_the_expected_information_is_that_of_dense_algebra(
    layout: Layout, components: Components, score: Score
) -> None:
    who = assign(layout, seed=1)
    found = expected_precision(layout, components, score=score, assignment=who)
    assert found.log_odds_sd**2 == pytest.approx(dense_variance(*who, components, score), rel=1e-9)


def test_for_raters_with_one_target_each_it_is_that_of_the_two_mean_squares() -> None:
    # severity is noise then; ln odds = ln((between - within) / k) - ln(within), the mean squares being independent
    n, k, noise = 20, 3, 0.65
    between = noise + k * TYPICAL.target
    slope = 1 / (between - noise)
    variance = slope**2 * 2 * between**2 / (n - 1) + (slope + 1 / noise) ** 2 * 2 * noise**2 / (n * (k - 1))
    found = expected_precision(Layout(n, n * k, k), TYPICAL, score=Score())
    assert found.log_odds_sd**2 == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("layout", [Layout(43, 17, 5), Layout(50, 23, 3), Layout(30, 50, 4), Layout(60, 37, 5)])
def test_with_loads_that_differ_by_one_it_is_so_to_two_thousandths(layout: Layout) -> None:
    who = assign(layout, seed=2)
    found = expected_precision(layout, TYPICAL, score=Score(), assignment=who)
    assert found.log_odds_sd**2 == pytest.approx(dense_variance(*who, TYPICAL, Score()), rel=2e-3)


@pytest.mark.parametrize("layout", [Layout(60, 20, 5), Layout(100, 30, 4), Layout(200, 117, 5), Layout(50, 50, 4)])
def test_raters_who_share_targets_evenly_stand_for_a_random_assignment_but_for_a_hundredth(layout: Layout) -> None:
    real = expected_precision(layout, TYPICAL, score=Score(), assignment=assign(layout, seed=3))
    even = expected_precision(layout, TYPICAL, score=Score())
    assert even.width == pytest.approx(real.width, rel=0.01)
    assert even.width <= real.width * (1 + 1e-9)


@pytest.mark.parametrize("rho", [0.3, 0.6])
def test_for_raters_with_one_target_each_the_width_is_that_of_the_formula(rho: float) -> None:
    # the formula counts n - 1 where the degrees of freedom within are n (k - 1), and is symmetric in rho itself
    layout = Layout(400, 2000, 5)
    found = expected_precision(layout, Components(target=rho, residual=1 - rho), score=Score())
    assert found.width == pytest.approx(icc_width(rho, n=400, k=5), rel=0.01)


@given(rho=st.floats(0.2, 0.9), rho0=st.floats(0.05, 0.85), n=st.integers(40, 400), k=st.integers(2, 10))
def test_for_raters_with_one_target_each_the_power_is_that_of_the_formula(
    rho: float, rho0: float, n: int, k: int
) -> None:
    found = expected_power(
        Layout(n, n * k, k), Components(target=rho, residual=1 - rho), score=Score(), wanted=rho0, level=0.9
    )
    assert found == pytest.approx(icc_power(rho, rho0, n=n, k=k, alpha=0.05), abs=0.02)


def test_the_interval_for_k_raters_is_the_single_one_stepped_up() -> None:
    layout = Layout(60, 20, 5)
    one, five = (expected_precision(layout, TYPICAL, score=Score(k)) for k in (1, 5))
    for single, mean in ((one.low, five.low), (one.value, five.value), (one.high, five.high)):
        assert mean == pytest.approx(5 * single / (1 + 4 * single))


def test_the_power_falls_with_what_is_wanted_and_is_that_of_a_tail_at_the_truth() -> None:
    layout, score = Layout(60, 20, 5), Score(5)
    powers = [
        expected_power(layout, TYPICAL, score=score, wanted=w) for w in (0.3, 0.5, 0.7, TYPICAL.reliability(score), 0.9)
    ]
    assert powers == sorted(powers, reverse=True)
    assert powers[3] == pytest.approx(0.025, abs=1e-9)


def test_what_a_study_without_replicates_cannot_tell_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="replicates"):
        expected_precision(Layout(30, 10, 3), REPLICATED, score=Score(3, 2))


def test_raters_too_many_to_share_targets_evenly_are_refused_but_not_with_their_assignment() -> None:
    layout = Layout(10, 19, 2)
    with pytest.raises(CannotEstimateError, match="cannot share"):
        expected_precision(layout, TYPICAL, score=Score())
    found = expected_precision(layout, TYPICAL, score=Score(), assignment=assign(layout, seed=0))
    assert math.isfinite(found.width)


@pytest.mark.parametrize("components", [Components(target=0.0, residual=1.0), Components(target=1.0, residual=0.0)])
def test_nothing_can_be_planned_without_variance_to_find(components: Components) -> None:
    with pytest.raises(InputError, match="positive"):
        expected_precision(Layout(30, 10, 3), components, score=Score())
