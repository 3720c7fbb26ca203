"""Two raters: irr, psych, and what psych gets wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

from dialgauge.errors import CannotEstimateError, InputError, OffScaleError
from dialgauge.stats.agreement.cohen import cohen_kappa, cohen_test, light_kappa, scott_pi
from dialgauge.stats.agreement.weights import Kind, rating_weights

Codes = NDArray[np.intp]
Table = Callable[[str], tuple[Codes, int]]

SIX = np.arange(6.0)


def weights_of(kind: Kind, q: int) -> NDArray[np.float64]:
    return rating_weights(kind, np.arange(q, dtype=float))


@pytest.mark.parametrize(
    ("data", "entry", "columns", "kind"),
    [
        ("anxiety", "kappa2_unw_12", (0, 1), "identity"),
        ("anxiety", "kappa2_lin_12", (0, 1), "linear"),
        ("anxiety", "kappa2_sq_12", (0, 1), "quadratic"),
        ("diagnoses", "kappa2_23", (1, 2), "identity"),
        ("vision", "kappa2_unw", (0, 1), "identity"),
        ("vision", "kappa2_lin", (0, 1), "linear"),
        ("vision", "kappa2_sq", (0, 1), "quadratic"),
    ],
)
def test_kappa_and_its_test_against_zero_are_those_of_irr(
    reference: dict[str, Any], table: Table, data: str, entry: str, columns: tuple[int, int], kind: Kind
) -> None:
    """From irr 0.84.1 kappa2; its p is printed with 15 digits, and 0 below about 1e-16."""
    expected = reference["r"]["irr"][data][entry]
    codes, q = table(data)
    pair = codes[:, list(columns)]
    found = cohen_test(pair, q, weights=weights_of(kind, q))
    assert found.value == pytest.approx(expected["value"], abs=1e-13)
    assert cohen_kappa(pair, q, weights=weights_of(kind, q)).value == pytest.approx(expected["value"], abs=1e-13)
    assert found.z == pytest.approx(expected["statistic"], rel=1e-11)
    assert found.p == pytest.approx(expected["p.value"], abs=1e-15, rel=1e-9 if expected["p.value"] > 1e-9 else 1e-2)


def test_the_large_sample_interval_of_plain_kappa_is_that_of_psych(reference: dict[str, Any], table: Table) -> None:
    """From psych 2.2.9 cohen.kappa: variance of Fleiss, Cohen and Everitt, normal."""
    expected = reference["r"]["psych_cohen_kappa_anxiety12"]
    codes, q = table("anxiety")
    found = cohen_kappa(codes[:, :2], q, error="large_sample")
    low, value, high = expected["ci"][0]
    assert found.value == pytest.approx(value, abs=1e-14)
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-13)
    assert found.low is not None
    variance = ((found.value - found.low) / norm.ppf(0.975)) ** 2
    assert variance == pytest.approx(expected["var.kappa"], rel=1e-12)


def test_weighted_kappa_is_that_of_psych_but_its_printed_variance_is_not(
    reference: dict[str, Any], table: Table
) -> None:
    """Printed by psych 2.2.9: a variance of .462 (standard error .68), where a jackknife gives .031.

    The variance of Fleiss, Cohen and Everitt weighs category j of the second rater by sum_i w_ij p_i. ; psych
    multiplies the wrong axis and takes p_j. sum_i w_ij instead. With that slip its number comes out digit by digit.
    """
    expected = reference["r"]["psych_cohen_kappa_anxiety12"]
    codes, q = table("anxiety")
    w, pair = weights_of("quadratic", q), codes[:, :2]
    found = cohen_kappa(pair, q, weights=w, error="large_sample")
    assert found.value == pytest.approx(expected["weighted"], abs=1e-14)

    joint = np.zeros((q, q))
    np.add.at(joint, (pair[:, 0], pair[:, 1]), 1 / len(pair))
    first, second = joint.sum(axis=1), joint.sum(axis=0)
    chance = float(first @ w @ second)

    def variance(column: NDArray[np.float64]) -> float:
        spread = np.sum(joint * (w - ((w @ second)[:, None] + column) * (1 - found.value)) ** 2)
        square = (found.value - chance * (1 - found.value)) ** 2
        return float((spread - square) / (len(pair) * (1 - chance) ** 2))

    assert variance(first * w.sum(axis=0)) == pytest.approx(expected["var.weighted"], rel=1e-12)
    assert found.low is not None
    assert ((found.value - found.low) / norm.ppf(0.975)) ** 2 == pytest.approx(variance(w @ first), rel=1e-10)
    without = [cohen_kappa(np.delete(pair, i, axis=0), q, weights=w).value for i in range(len(pair))]
    jackknife = (len(pair) - 1) * np.var(without)
    assert jackknife == pytest.approx(0.0310589902, abs=1e-9)
    assert 0.5 * jackknife < variance(w @ first) < 1.5 * jackknife


def test_the_two_standard_errors_differ_by_the_factor_n_minus_1_over_n_only(table: Table) -> None:
    codes, q = table("diagnoses")
    general, large = (cohen_kappa(codes[:, 1:3], q, error=kind) for kind in ("general", "large_sample"))
    assert general.low is not None
    assert large.low is not None
    ratio = (large.value - large.low) / norm.ppf(0.975) / ((general.value - general.low) / 2.045229642132703)
    assert ratio**2 == pytest.approx(29 / 30, rel=1e-10)


def test_weighted_kappa_rests_on_the_declared_scale_not_on_the_categories_used() -> None:
    """DescTools #76: points 1 to 5 declared, only 1, 2 and 5 used; .2941 (5 / 17), not .6364 (7 / 11)."""
    ratings = np.array([[1, 1], [2, 5], [5, 5], [5, 2]]) - 1
    found = cohen_kappa(ratings, 5, weights=weights_of("quadratic", 5))
    assert found.value == pytest.approx(0.2941176471, abs=5e-11)
    used = np.searchsorted([0, 1, 4], ratings)
    assert cohen_kappa(used, 3, weights=weights_of("quadratic", 3)).value == pytest.approx(7 / 11, abs=1e-12)


def test_targets_with_an_empty_cell_are_left_out_and_n_says_so(table: Table) -> None:
    codes, q = table("krippendorff_4x12")
    pair = codes[:, :2]
    complete = pair[np.all(pair >= 0, axis=1)]
    assert cohen_kappa(pair, q).value == cohen_kappa(complete, q).value
    assert cohen_kappa(pair, q).n == complete.size == 18
    assert scott_pi(pair, q).n == 18


def test_scott_pi_is_the_textbook_value() -> None:
    """Joint table 20 5 / 10 15 of 50: agreement .7, pooled shares .55 and .45, pi = (.7 - .505) / .495."""
    pair = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [20, 5, 10, 15], axis=0)
    found = scott_pi(pair, 2)
    assert found.value == pytest.approx((0.7 - 0.505) / 0.495, abs=1e-14)
    assert "Scott" in found.method
    assert cohen_kappa(pair, 2).value == pytest.approx((0.7 - 0.5) / 0.5, abs=1e-14)


def test_raters_who_never_agree_more_than_chance_allows_give_a_negative_kappa_that_is_not_clipped() -> None:
    assert cohen_kappa(np.array([[0, 1], [1, 0], [0, 1], [1, 0]]), 2).value == -1.0


def test_both_raters_using_one_and_the_same_category_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="expected by chance is 1"):
        cohen_kappa(np.zeros((4, 2), dtype=int), 3)


def test_a_test_against_zero_is_refused_where_one_rater_is_constant() -> None:
    ratings = np.array([[0, 0], [0, 1], [0, 1]])
    assert cohen_kappa(ratings, 2).value == 0.0
    with pytest.raises(CannotEstimateError, match="used one category only"):
        cohen_test(ratings, 2)


def test_light_names_the_pair_of_raters_that_share_too_little() -> None:
    with pytest.raises(CannotEstimateError, match="raters 0 and 2: no target has two ratings"):
        light_kappa(np.array([[0, 1, -1], [1, 1, -1], [-1, 0, 1], [-1, 1, 1], [0, 0, -1]]), 2)


def test_light_with_a_single_rater_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="one rater only"):
        light_kappa(np.array([[0], [1]]), 2)


def test_the_interval_of_light_is_close_to_its_jackknife_over_targets(table: Table) -> None:
    codes, q = table("diagnoses")
    found = light_kappa(codes, q)
    assert found.low is not None
    se = (found.value - found.low) / 2.045229642132703
    without = [light_kappa(np.delete(codes, i, axis=0), q).value for i in range(len(codes))]
    assert se == pytest.approx(np.sqrt((len(codes) - 1) * np.var(without)), rel=0.1)


def test_three_columns_are_not_two_raters() -> None:
    with pytest.raises(InputError, match="not those of two raters"):
        cohen_kappa(np.zeros((4, 3), dtype=int), 2)


def test_a_code_off_the_scale_is_refused() -> None:
    with pytest.raises(OffScaleError, match="category code 5"):
        cohen_kappa(np.array([[0, 5], [1, 1], [0, 0]]), 3)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=20))
def test_swapping_the_raters_changes_nothing(pairs: list[tuple[int, int]]) -> None:
    ratings = np.array(pairs)
    try:
        one = cohen_kappa(ratings, 3, weights=weights_of("linear", 3))
    except CannotEstimateError:
        return
    other = cohen_kappa(ratings[:, ::-1], 3, weights=weights_of("linear", 3))
    assert one.value == pytest.approx(other.value, abs=1e-12)
    if one.low is not None:
        assert one.low == pytest.approx(other.low, abs=1e-9)
