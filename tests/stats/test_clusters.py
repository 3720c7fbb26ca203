"""Means of clustered values: the same as textbook intervals where these exist, and honest where all are alike."""

import numpy as np
import pytest
from scipy import stats

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.clusters import MOST_EXACT, jackknife_mean, mean_of_clusters, sign_flip_p

BOUNDS = (-1.0, 1.0)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_with_one_value_a_cluster_the_interval_is_that_of_a_mean() -> None:
    values = rng().normal(0.1, 0.2, 12)
    found = mean_of_clusters(values, np.arange(12), covers="targets")
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert found.value == pytest.approx(values.mean())


def test_with_clusters_of_one_size_the_interval_is_that_of_their_means() -> None:
    table = rng().normal(0.0, 0.3, (7, 5)) + rng(2).normal(0.0, 0.2, (7, 1))
    found = mean_of_clusters(table.ravel(), np.repeat(np.arange(7), 5), covers="targets", level=0.9)
    expected = stats.ttest_1samp(table.mean(axis=1), 0.0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_with_clusters_of_several_sizes_the_error_is_the_sandwich_of_a_regression_on_a_constant() -> None:
    cluster = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 6])
    y = rng().normal(size=21)
    X = np.ones((21, 1))  # noqa: N806 (the textbook's letter)
    residual = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    bread = np.linalg.inv(X.T @ X)
    scores = [X[cluster == g].T @ residual[cluster == g] for g in range(6)]
    meat = sum(np.outer(score, score) for score in scores)
    error = np.sqrt((6 / 5 * bread @ meat @ bread)[0, 0])
    found = mean_of_clusters(y, cluster, covers="targets")
    assert found.high is not None
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, 5) * error, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 6, 12])
def test_clusters_that_are_all_right_have_the_exact_binomial_limit(n: int) -> None:
    found = mean_of_clusters(np.ones(3 * n), np.repeat(np.arange(n), 3), bounds=(0.0, 1.0), covers="triplets")
    if n == 1:
        assert (found.low, found.high, found.flags) == (None, None, ("no_interval",))
        return
    expected = stats.binomtest(n, n).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_differences_that_are_all_zero_still_have_an_interval_with_a_width() -> None:
    found = mean_of_clusters(np.zeros(10), np.arange(10), bounds=BOUNDS, covers="targets")
    most = stats.binomtest(0, 10).proportion_ci(0.95, method="exact").high
    assert (found.low, found.high) == pytest.approx((-most, most), rel=1e-12)


def test_without_bounds_clusters_that_are_alike_have_no_interval() -> None:
    assert mean_of_clusters(np.ones(4), np.arange(4), covers="targets").flags == ("no_interval",)


def test_the_interval_stays_within_what_a_value_can_be() -> None:
    found = mean_of_clusters(np.array([1.0, 1.0, 0.2]), np.arange(3), bounds=(0.0, 1.0), covers="targets")
    assert (found.low, found.high) == (0.0, 1.0)


def test_no_value_and_an_impossible_level_are_refused() -> None:
    with pytest.raises(CannotEstimateError, match="no value"):
        mean_of_clusters(np.array([]), np.array([], dtype=np.intp), covers="targets")
    with pytest.raises(InputError, match="level"):
        mean_of_clusters(np.ones(2), np.arange(2), covers="targets", level=1.0)


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    held = 0
    for seed in range(600):
        draw = rng(seed)
        values = draw.normal(0.0, 0.2, (10, 3)) + draw.normal(0.0, 0.1, (10, 1))
        found = mean_of_clusters(values.ravel(), np.repeat(np.arange(10), 3), bounds=BOUNDS, covers="targets")
        held += found.low is not None and found.high is not None and found.low <= 0.0 <= found.high
    assert stats.binomtest(held, 600, 0.95).pvalue > 0.01


@pytest.mark.parametrize("n", [1, 5, 8])
def test_changes_of_sign_give_the_p_of_the_exact_permutation_test(n: int) -> None:
    sums = rng(n).normal(0.4, 1.0, n)
    found, exact = sign_flip_p(sums, rng=rng())
    if n == 1:
        assert found == (0.5 if sums[0] > 0 else 1.0)
        return
    expected = stats.permutation_test((sums,), np.sum, permutation_type="samples", alternative="greater")
    assert exact
    assert found == pytest.approx(expected.pvalue, abs=1e-12)


def test_with_many_clusters_changes_of_sign_are_drawn_and_come_near_the_normal_p() -> None:
    sums = rng(3).normal(0.2, 1.0, MOST_EXACT + 24)
    found, exact = sign_flip_p(sums, rng=rng())
    assert not exact
    assert found == pytest.approx(stats.norm.sf(sums.sum() / np.sqrt(sums @ sums)), abs=0.015)


def test_a_test_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        sign_flip_p(np.array([]), rng=rng())


def test_the_jackknife_of_a_mean_is_its_t_interval() -> None:
    values = rng().normal(size=9)
    left_out = np.array([np.delete(values, i).mean() for i in range(9)])
    found = jackknife_mean(float(values.mean()), left_out, bounds=(-9.0, 9.0), covers="targets", level=0.95)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_two_clusters_are_too_few_for_a_jackknife() -> None:
    with pytest.raises(CannotEstimateError, match="too few"):
        jackknife_mean(0.0, np.zeros(2), bounds=BOUNDS, covers="targets", level=0.95)
