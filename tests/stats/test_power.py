"""Power and precision by formula."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import f as fisher_f

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.power import (
    Sides,
    correlation_power,
    correlation_sample_size,
    icc_power,
    icc_sample_size,
    icc_sample_size_for_width,
    icc_width,
    least_detectable_correlation,
    least_detectable_icc,
)

SIDES = st.sampled_from([1, 2])
RATERS = st.floats(1.5, 30.0)
ALPHAS = st.floats(0.005, 0.2)
POWERS = st.floats(0.5, 0.99)


def test_with_200_targets_and_5_ratings_the_least_detectable_icc_is_060() -> None:
    # Walter, Eliasziw and Donner (1998), solved for rho, by hand: ln C = 2.486475 sqrt(2 * 5 / (4 * 199)) = .278694,
    # theta = (e^.278694 - 1) / 5 = .064281, rho = theta / (1 + theta)
    assert least_detectable_icc(200, 5) == pytest.approx(0.06040, abs=5e-6)


def test_the_062_of_the_study_of_redial_is_the_first_point_of_its_grid_above_the_least_detectable_icc() -> None:
    # definitions.md: .062. The study looked at 200 values from .01 to .95 and took the first that 200 targets show.
    grid = np.linspace(0.01, 0.95, 200)
    first = next(rho for rho in grid if icc_sample_size(rho, k=5) <= 200)
    assert first == pytest.approx(0.062, abs=5e-4)
    assert least_detectable_icc(200, 5, grid=grid) == first
    assert first - (grid[1] - grid[0]) < least_detectable_icc(200, 5) <= first


@given(n=st.integers(4, 2000), k=st.integers(2, 20), rho0=st.floats(0.0, 0.4), power=st.floats(0.5, 0.95))
def test_on_a_grid_the_least_detectable_icc_is_the_first_value_for_which_the_targets_suffice(
    n: int, k: int, rho0: float, power: float
) -> None:
    grid = np.linspace(0.01, 0.995, 100)[::-1]  # in any order
    enough = [rho for rho in grid if rho > rho0 and icc_sample_size(rho, rho0, k=k, power=power) <= n]
    assert least_detectable_icc(n, k, rho0=rho0, power=power, grid=grid) == min(enough)


def test_a_grid_that_ends_too_early_is_refused_with_what_would_help() -> None:
    with pytest.raises(CannotEstimateError, match=r"no value of the grid reaches .* of 0\.0604; extend the grid"):
        least_detectable_icc(200, 5, grid=[0.01, 0.05])
    with pytest.raises(InputError, match="an ICC of the grid"):
        least_detectable_icc(200, 5, grid=[0.01, 1.0])


def test_with_200_targets_and_5_ratings_the_interval_of_an_icc_of_6_is_120_wide() -> None:
    # definitions.md has .120
    assert icc_width(0.6, n=200, k=5) == pytest.approx(0.120, abs=5e-4)


@pytest.mark.parametrize(("r", "power"), [(0.2, 0.812), (0.3, 0.991)])
def test_the_power_for_a_correlation_with_200_pairs_is_that_of_the_two_sided_test(r: float, power: float) -> None:
    # definitions.md; a one-sided test would have .885 and .997
    assert correlation_power(r, 200) == pytest.approx(power, abs=5e-4)
    assert correlation_power(-r, 200) == correlation_power(r, 200)
    assert correlation_power(r, 200, sides=1) > power + 0.005


@pytest.mark.parametrize(
    ("rho0", "rho", "k", "n"),
    [(0.6, 0.8, 2, 38.606349), (0.6, 0.8, 10, 16.516428), (0.7, 0.8, 10, 51.474553), (0.0, 0.2, 2, 151.425395)],
)
def test_the_number_of_targets_is_the_formula_rounded_up(rho0: float, rho: float, k: int, n: float) -> None:
    z = 1.6448536269514722 + 0.8416212335729143
    c = (1 + k * rho / (1 - rho)) / (1 + k * rho0 / (1 - rho0))
    assert 1 + 2 * z**2 * k / ((k - 1) * math.log(c) ** 2) == pytest.approx(n, abs=1e-5)
    assert icc_sample_size(rho, rho0, k=k) == math.ceil(n)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize(("rho", "rho0", "n"), [(0.1, 0.0, 100), (0.3, 0.1, 60), (0.8, 0.6, 40), (0.75, 0.7, 200)])
def test_the_power_is_that_of_the_exact_f_test_but_for_two_hundredths(k: int, rho: float, rho0: float, n: int) -> None:
    # Donner and Eliasziw (1987): F / ((1 + (k - 1) rho) / (1 - rho)) has the central F distribution
    df = (n - 1, n * (k - 1))
    limit = fisher_f.isf(0.05, *df) * (1 + (k - 1) * rho0) / (1 - rho0)
    exact = float(fisher_f.sf(limit * (1 - rho) / (1 + (k - 1) * rho), *df))
    assert icc_power(rho, rho0, n=n, k=k) == pytest.approx(exact, abs=0.02)


def test_the_least_detectable_icc_of_the_exact_f_test_is_the_same_to_a_thousandth() -> None:
    def exact(rho: float) -> float:
        return float(fisher_f.sf(fisher_f.isf(0.05, 199, 800) * (1 - rho) / (1 + 4 * rho), 199, 800))

    assert least_detectable_icc(200, 5) == pytest.approx(brentq(lambda rho: exact(rho) - 0.8, 0.01, 0.2), abs=1e-3)


@given(rho0=st.floats(0.0, 0.9), gain=st.floats(0.02, 0.9), k=RATERS, alpha=ALPHAS, power=POWERS, sides=SIDES)
def test_the_number_of_targets_is_the_least_that_has_the_power(
    rho0: float, gain: float, k: float, alpha: float, power: float, sides: Sides
) -> None:
    rho = rho0 + gain * (1 - rho0) * 0.999
    n = icc_sample_size(rho, rho0, k=k, alpha=alpha, power=power, sides=sides)
    assert icc_power(rho, rho0, n=n, k=k, alpha=alpha, sides=sides) >= power - 1e-7
    if n > 2:
        assert icc_power(rho, rho0, n=n - 1, k=k, alpha=alpha, sides=sides) < power


@given(rho0=st.floats(0.0, 0.9), n=st.integers(2, 10_000), k=RATERS, alpha=ALPHAS, power=POWERS, sides=SIDES)
def test_the_least_detectable_icc_has_the_power(
    rho0: float, n: int, k: float, alpha: float, power: float, sides: Sides
) -> None:
    rho = least_detectable_icc(n, k, rho0=rho0, alpha=alpha, power=power, sides=sides)
    assert rho0 < rho < 1
    assert icc_power(rho, rho0, n=n, k=k, alpha=alpha, sides=sides) == pytest.approx(power, abs=1e-6)


@given(rho=st.floats(0.0, 0.99), width=st.floats(0.01, 0.9), k=RATERS, level=st.floats(0.5, 0.99))
def test_the_number_of_targets_is_the_least_that_has_the_width(
    rho: float, width: float, k: float, level: float
) -> None:
    n = icc_sample_size_for_width(rho, width, k=k, level=level)
    assert icc_width(rho, n=n, k=k, level=level) <= width * (1 + 1e-6)
    if n > 2:
        assert icc_width(rho, n=n - 1, k=k, level=level) > width


@given(r=st.floats(0.01, 0.99), alpha=ALPHAS, power=POWERS, sides=SIDES)
def test_the_number_of_pairs_is_the_least_that_has_the_power(
    r: float, alpha: float, power: float, sides: Sides
) -> None:
    n = correlation_sample_size(r, alpha=alpha, power=power, sides=sides)
    assert correlation_sample_size(-r, alpha=alpha, power=power, sides=sides) == n
    assert correlation_power(r, n, alpha=alpha, sides=sides) >= power - 1e-7
    if n > 4:
        assert correlation_power(r, n - 1, alpha=alpha, sides=sides) < power


@given(n=st.integers(4, 100_000), alpha=ALPHAS, power=POWERS, sides=SIDES)
def test_the_least_detectable_correlation_has_the_power(n: int, alpha: float, power: float, sides: Sides) -> None:
    r = least_detectable_correlation(n, alpha=alpha, power=power, sides=sides)
    if r < 1 - 1e-9:
        assert correlation_power(r, n, alpha=alpha, sides=sides) == pytest.approx(power, abs=1e-6)


def test_two_sides_at_alpha_are_one_side_at_half_of_it() -> None:
    assert icc_sample_size(0.5, 0.3, k=4, sides=2) == icc_sample_size(0.5, 0.3, k=4, alpha=0.025)
    assert correlation_sample_size(0.3, sides=2) == correlation_sample_size(0.3, alpha=0.025, sides=1)


def test_an_icc_below_the_one_to_be_ruled_out_is_shown_less_often_than_the_level() -> None:
    assert icc_power(0.5, 0.6, n=50, k=3) < 0.05
    assert icc_power(0.6, 0.6, n=50, k=3) == pytest.approx(0.05)


@pytest.mark.parametrize(
    "call",
    [
        lambda: icc_sample_size(0.5, 0.5, k=3),
        lambda: icc_sample_size(1.0, k=3),
        lambda: icc_sample_size(-0.1, k=3),
        lambda: icc_sample_size(float("nan"), k=3),
        lambda: icc_sample_size(0.5, k=1),
        lambda: icc_sample_size(0.5, k=3, alpha=0.0),
        lambda: icc_sample_size(0.5, k=3, power=0.05),
        lambda: icc_sample_size(0.5, k=3, power=1.0),
        lambda: icc_sample_size(0.5, k=3, sides=3),  # type: ignore[arg-type]
        lambda: icc_power(0.5, n=1, k=3),
        lambda: icc_power(0.5, n=float("inf"), k=3),
        lambda: least_detectable_icc(200, 5, rho0=1.0),
        lambda: icc_width(0.5, n=20, k=3, level=1.0),
        lambda: icc_sample_size_for_width(0.5, 0.0, k=3),
        lambda: correlation_power(1.0, 20),
        lambda: correlation_power(0.2, 3),
        lambda: correlation_sample_size(0.0),
        lambda: least_detectable_correlation(2),
    ],
)
def test_numbers_out_of_range_are_refused_in_one_line(call) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with pytest.raises(InputError) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert str(caught.value)


def test_an_effect_too_small_for_any_study_is_refused() -> None:
    with pytest.raises(InputError, match="more targets than can be counted"):
        icc_sample_size(1e-200, k=3)
