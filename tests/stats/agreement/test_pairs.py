"""Light's kappa with targets, raters and cells left out."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.agreement.cohen import cohen_kappa, light_kappa
from dialgauge.stats.agreement.pairs import light_jackknife, two_way_light
from dialgauge.stats.agreement.weights import rating_weights

Codes = NDArray[np.intp]
W = rating_weights("quadratic", np.arange(3.0))


@st.composite
def tables(draw: st.DrawFn) -> Codes:
    """Return codes (targets, raters) with empty cells."""
    shape = draw(st.integers(5, 9)), draw(st.integers(3, 5))
    size = shape[0] * shape[1]
    return np.array(draw(st.lists(st.sampled_from([-1, 0, 1, 2, 0, 2]), min_size=size, max_size=size))).reshape(shape)


def recompute(table: Codes) -> float:
    return light_kappa(table, 3, weights=W).value


def shared(table: Codes) -> NDArray[np.bool_]:
    """Return which cells share their target with another rater."""
    cells: NDArray[np.bool_] = (table != -1) & (np.sum(table != -1, axis=1) > 1)[:, None]
    return cells


@given(table=tables())
def test_each_value_left_out_is_that_of_computing_the_mean_of_pairs_anew(table: Codes) -> None:
    try:
        found = light_jackknife(table, 3, weights=W)
    except CannotEstimateError:
        assume(False)
    used = shared(table)
    for number, t in enumerate(np.flatnonzero(used.any(axis=1))):
        assert found.target[number] == pytest.approx(recompute(np.delete(table, t, axis=0)), abs=1e-10)
    for g in range(table.shape[1]):
        assert found.rater[g] == pytest.approx(recompute(np.delete(table, g, axis=1)), abs=1e-10)
    for number, (t, g) in enumerate(np.argwhere(used)):
        without = table.copy()
        without[t, g] = -1
        assert found.cell[number] == pytest.approx(recompute(without), abs=1e-10)


def crossed(n: int, raters: int, seed: int) -> Codes:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(n, 1)) + 0.4 * rng.normal(size=raters) + rng.normal(size=(n, raters))
    return np.searchsorted([-0.7, 0.8], y)


def test_the_interval_covers_targets_and_raters_and_is_wider_than_for_these_raters() -> None:
    table = crossed(60, 5, seed=1)
    found, plain = two_way_light(table, 3, weights=W), light_kappa(table, 3, weights=W)
    assert found.value == pytest.approx(plain.value, abs=1e-12)
    assert found.covers == "targets and raters"
    assert (found.high or 0.0) - (found.low or 0.0) > (plain.high or 0.0) - (plain.low or 0.0)


def test_two_raters_leave_only_an_interval_for_these_raters() -> None:
    table = crossed(60, 2, seed=1)
    found, plain = two_way_light(table, 3), cohen_kappa(table, 3)
    assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high), abs=1e-12)
    assert "leaving out one rater leaves no pair of raters" in found.method
    assert found.flags == ("approximate",)


def test_a_pair_with_two_common_targets_leaves_only_an_interval_for_these_raters() -> None:
    table = crossed(12, 3, seed=2)
    table[:2, 2], table[2:, 2] = [0, 2], -1
    assert "leaves no two targets of raters 0 and 2 to compare" in two_way_light(table, 3).method


def test_a_pair_that_leaves_one_category_leaves_only_an_interval_for_these_raters() -> None:
    table = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]])
    assert "leaving out one target leaves no two categories of raters 0 and 1" in two_way_light(table, 3).method


def test_perfect_agreement_has_no_interval() -> None:
    found = two_way_light(np.repeat(np.array([[0], [1], [2], [1], [0], [2]]), 3, axis=1), 3)
    assert (found.value, found.low) == (1.0, None)
