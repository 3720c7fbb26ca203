"""ICC(3,1) and ICC(3,k) of one rater's replicates, in both printed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f as f_distribution

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.retest.incomplete import find_complete, reml_consistency
from dialgauge.stats.retest.repeat import repeat_alpha, repeat_icc
from dialgauge.stats.retest.shares import differing_at_most, share_estimate

SHROUT_FLEISS = np.array(
    [(9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7)], dtype=float
)


def known(found: Estimate | Refusal | None) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def make(seed: int, *, n: int = 40, k: int = 4, noise: float = 0.3) -> Floats:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, k)))


def test_the_example_of_shrout_and_fleiss_has_the_values_of_their_table() -> None:
    found = repeat_icc(SHROUT_FLEISS)
    assert known(found.consistency_single).value == pytest.approx(0.71, abs=0.005)  # ICC(3,1)
    assert known(found.consistency_mean).value == pytest.approx(0.91, abs=0.005)  # ICC(3,4)
    assert known(found.printed_single).value == pytest.approx(0.17, abs=0.005)  # ICC(1,1)
    assert known(found.printed_mean).value == pytest.approx(0.44, abs=0.005)  # ICC(1,4)


def test_the_printed_form_is_the_formula_with_the_mean_square_within_targets() -> None:
    y = make(1)
    n, k = y.shape
    between = k * np.sum((y.mean(axis=1) - y.mean()) ** 2) / (n - 1)
    within = np.sum((y - y.mean(axis=1, keepdims=True)) ** 2) / (n * (k - 1))
    found = repeat_icc(y)
    assert known(found.printed_single).value == pytest.approx((between - within) / (between + (k - 1) * within))
    assert known(found.printed_mean).value == pytest.approx((between - within) / between)
    low = between / within / f_distribution.ppf(0.975, n - 1, n * (k - 1))
    assert known(found.printed_single).low == pytest.approx((low - 1) / (low + k - 1))
    assert known(found.printed_mean).low == pytest.approx(1 - 1 / low)


def test_the_other_form_leaves_shifts_of_whole_replicates_out() -> None:
    y = make(2)
    shifted = y + np.array([0.0, 3.0, -2.0, 5.0])
    assert known(repeat_icc(shifted).consistency_single).value == pytest.approx(
        known(repeat_icc(y).consistency_single).value
    )
    assert known(repeat_icc(shifted).printed_single).value < 0.5 * known(repeat_icc(y).printed_single).value


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(0.01, 100.0), shift=st.floats(-1e3, 1e3))
def test_order_of_targets_and_replicates_and_an_affine_map_change_nothing(
    seed: int, scale: float, shift: float
) -> None:
    y = make(seed, n=12)
    rng = np.random.default_rng(seed)
    other = shift + scale * y[rng.permutation(12)][:, rng.permutation(4)]
    for name in ("printed_single", "printed_mean", "consistency_single", "consistency_mean"):
        a, b = known(getattr(repeat_icc(y), name)), known(getattr(repeat_icc(other), name))
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-7)


def test_a_perfect_repetition_is_one_and_marked_exact() -> None:
    found = repeat_icc(np.repeat(np.arange(50.0)[:, None], 3, axis=1))
    assert found.exact
    assert (known(found.printed_single).value, known(found.consistency_mean).value) == (1.0, 1.0)
    assert known(found.same).value == 1.0


def test_the_lower_limit_of_a_perfect_repetition_is_the_worst_case_of_the_possible_share() -> None:
    found = known(repeat_icc(np.repeat([[0.0], [1.0]] * 100, 2, axis=1)).printed_single)
    share = 1 - 0.025 ** (1 / 200)
    assert differing_at_most(200, 0.95) == pytest.approx(share)
    variance = 200 / 199 * 0.25
    assert found.low == pytest.approx(1 - share * 0.5 / variance)
    assert found.high == 1.0


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_no_distribution_has_more_variance_than_the_worst_case_allows(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(300):
        m = int(rng.integers(2, 6))
        p, x = rng.dirichlet(np.full(m, rng.choice([0.2, 1.0, 5.0]))), rng.random(m)
        variance = p @ x**2 - (p @ x) ** 2
        assert variance <= (1 - np.sum(p**k)) / (4 * (1 - 2.0 ** (1 - k))) + 1e-12


def test_targets_with_equal_means_are_refused() -> None:
    found = repeat_icc(np.array([[1.0, 3.0], [3.0, 1.0], [2.0, 2.0]]))
    assert isinstance(found.printed_single, Refusal)
    assert "do not differ" in found.printed_single.reason


def test_constant_ratings_are_refused() -> None:
    with pytest.raises(CannotEstimateError, match="all 8 ratings are the same"):
        repeat_icc(np.ones((4, 2)))


def test_alpha_of_categories_is_nominal_alpha_by_hand() -> None:
    y = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 1.0], [1.0, np.nan], [2.0, 2.0]])
    observed = 1 / 4  # one of four pairs differs
    counts = np.array([3, 4, 1])
    expected = 1 - np.sum(counts * (counts - 1)) / (8 * 7)
    found = repeat_alpha(y)
    assert known(found.printed_single).value == pytest.approx(1 - observed / expected)
    assert isinstance(found.printed_mean, Refusal)
    assert (found.n, found.k, known(found.same).value) == (4, 2, 0.75)


def test_categories_that_repeat_exactly_are_one() -> None:
    found = repeat_alpha(np.repeat([[1.0], [2.0], [3.0]] * 20, 3, axis=1))
    assert found.exact
    assert known(found.printed_single).low == pytest.approx(1 - differing_at_most(60, 0.95) / (2 / 3))


def test_a_replicate_that_few_targets_have_is_left_out_rather_than_the_targets() -> None:
    filled = np.ones((20, 5), dtype=bool)
    filled[1:, 4] = False
    filled[3, 0] = False
    found = find_complete(filled)
    assert found.columns.tolist() == [0, 1, 2, 3]
    assert found.rows.tolist() == [i for i in range(20) if i != 3]
    assert found.gaps == pytest.approx(1 / 80)


def test_targets_rated_once_are_refused() -> None:
    filled = np.zeros((5, 3), dtype=bool)
    filled[:, 0] = True
    with pytest.raises(CannotEstimateError, match="fewer than two targets were rated twice"):
        find_complete(filled)


def test_reml_is_the_form_of_shrout_and_fleiss_on_a_complete_table_whose_replicates_shift() -> None:
    y = make(5) + np.array([0.0, 0.5, -0.4, 0.2])
    single, mean = reml_consistency(y)
    assert known(single).value == pytest.approx(known(repeat_icc(y).consistency_single).value, abs=1e-7)
    assert known(mean).value == pytest.approx(known(repeat_icc(y).consistency_mean).value, abs=1e-7)


def test_reml_is_the_printed_form_on_a_complete_table_whose_replicates_do_not_shift() -> None:
    y = make(5)
    y -= y.mean(axis=0)
    single, mean = reml_consistency(y)
    assert known(single).value == pytest.approx(known(repeat_icc(y).printed_single).value, abs=1e-7)
    assert known(mean).value == pytest.approx(known(repeat_icc(y).printed_mean).value, abs=1e-7)


def test_reml_of_a_table_without_noise_is_a_refusal() -> None:
    single, _ = reml_consistency(np.repeat(np.arange(9.0)[:, None], 3, axis=1))
    assert isinstance(single, Refusal)


def test_shares_have_the_exact_interval_of_the_textbook() -> None:
    found = share_estimate(8, 10, covers="targets")  # Clopper and Pearson: .4439 to .9748
    assert (found.low, found.high) == pytest.approx((0.4439, 0.9748), abs=1e-4)
    assert (share_estimate(0, 7, covers="x").low, share_estimate(7, 7, covers="x").high) == (0.0, 1.0)
