"""Every replicate of one rater against every replicate of another."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as t_distribution
from scipy.stats import trim_mean

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.agreement.cohen import cohen_kappa
from dialgauge.stats.agreement.weights import rating_weights
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.retest.between import compare_categories, compare_values
from dialgauge.stats.retest.shares import differing_at_most

QUADRATIC = rating_weights("quadratic", np.arange(5.0))


def make(seed: int, *, n: int = 40, gaps: bool = True) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    target = rng.normal(size=(n, 1))
    a, b = (target + 0.4 * rng.normal(size=(n, k)) for k in (4, 3))
    if gaps:
        a[3, 1] = a[5, 0] = np.nan
        b[7] = np.nan
    return a, b


def cut(values: Floats) -> Codes:
    return np.where(np.isnan(values), -1, np.digitize(values, [-1.0, -0.3, 0.3, 1.0]))


def kappas(a: Codes, b: Codes, weights: Floats) -> list[float]:
    pairs = product(range(a.shape[1]), range(b.shape[1]))
    return [cohen_kappa(np.stack([a[:, i], b[:, j]], axis=1), len(weights), weights=weights).value for i, j in pairs]


def test_the_error_is_the_median_over_all_pairs_of_replicates() -> None:
    a, b = make(1)
    errors = [np.nanmean(np.abs(a[:, i] - b[:, j])) / 4.0 for i in range(4) for j in range(3)]
    found = compare_values(a, b, spread=4.0)
    assert found.median.value == pytest.approx(np.median(errors))
    assert found.trimmed == pytest.approx(trim_mean(errors, 0.1))
    assert (found.lowest, found.highest) == pytest.approx((min(errors), max(errors)))
    assert (found.n_pairs, found.n_targets) == (12, 39)


@pytest.mark.parametrize("kind", ["identity", "linear", "quadratic"])
def test_kappa_is_the_median_of_cohens_over_all_pairs(kind: str) -> None:
    a, b = map(cut, make(2))
    weights = (
        np.eye(5)
        if kind == "identity"
        else rating_weights("linear" if kind == "linear" else "quadratic", np.arange(5.0))
    )
    expected = kappas(a, b, weights)
    found = compare_categories(a, b, weights=weights)
    assert found.median.value == pytest.approx(np.median(expected), abs=1e-12)
    assert found.trimmed == pytest.approx(trim_mean(expected, 0.1), abs=1e-12)


def test_the_interval_is_the_jackknife_over_targets_done_by_leaving_each_out() -> None:
    a, b = map(cut, make(3))
    kept = [i for i in range(len(a)) if i != 7]
    means = np.array(
        [1.0 - np.mean(kappas(a[rows], b[rows], QUADRATIC)) for out in kept if (rows := [i for i in kept if i != out])]
    )
    n = len(kept)
    error = np.sqrt((n - 1) / n * np.sum((means - means.mean()) ** 2))
    found = compare_categories(a, b, weights=QUADRATIC).median
    factor = np.exp(t_distribution.ppf(0.975, n - 1) * error / (1 - found.value))
    assert found.low == pytest.approx(1 - (1 - found.value) * factor, abs=1e-10)
    assert found.high == pytest.approx(1 - (1 - found.value) / factor, abs=1e-10)


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(0.1, 10.0), shift=st.floats(-50, 50))
def test_order_of_targets_and_replicates_and_an_affine_map_change_nothing(
    seed: int, scale: float, shift: float
) -> None:
    a, b = make(seed, n=15)
    order = np.random.default_rng(seed).permutation(15)
    first = compare_values(a, b, spread=3.0).median
    second = compare_values(shift + scale * a[order][:, ::-1], shift + scale * b[order], spread=3.0 * scale).median
    assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high))


@given(seed=st.integers(0, 2**32 - 1))
def test_kappa_does_not_depend_on_who_comes_first_nor_plain_kappa_on_names_of_categories(seed: int) -> None:
    a, b = map(cut, make(seed))
    assert compare_categories(a, b, weights=QUADRATIC).median.value == pytest.approx(
        compare_categories(b, a, weights=QUADRATIC).median.value
    )
    names = np.append(np.random.default_rng(seed).permutation(5), -1)  # the gap stays the gap
    plain, renamed = (compare_categories(x, y, weights=np.eye(5)).median for x, y in ((a, b), (names[a], names[b])))
    assert plain.value == pytest.approx(renamed.value)


def test_equal_values_leave_the_share_that_could_differ_as_the_limit() -> None:
    a, _ = make(4, gaps=False)
    same = np.repeat(a[:, :1], 4, axis=1)
    found = compare_values(same, same, spread=4.0).median
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(differing_at_most(40, 0.95))
    kappa = compare_categories(cut(same), cut(same), weights=np.eye(5)).median
    assert kappa.value == kappa.high == 1.0
    assert kappa.low is not None
    assert kappa.low < 1.0


def test_a_pair_of_replicates_without_a_kappa_is_left_out_and_counted() -> None:
    a = np.array([[0, 0], [0, 1], [0, 0], [0, 1]])
    b = np.array([[0, 0], [0, 1], [0, 1], [0, 1]])
    found = compare_categories(a, b, weights=np.eye(2))
    assert (found.n_pairs, found.n_undefined) == (3, 1)


def test_one_category_only_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="one and the same category"):
        compare_categories(np.zeros((5, 2), dtype=np.intp), np.zeros((5, 2), dtype=np.intp), weights=np.eye(2))


def test_raters_without_common_targets_are_refused() -> None:
    a, b = np.full((6, 2), np.nan), np.full((6, 2), np.nan)
    a[:3], b[3:] = 1.0, 2.0
    with pytest.raises(CannotEstimateError, match="share fewer than two targets"):
        compare_values(a, b, spread=1.0)


def test_a_constant_gap_has_no_interval() -> None:
    a = np.repeat(np.arange(6.0)[:, None], 2, axis=1)
    found = compare_values(a, a + 0.5, spread=5.0).median
    assert found.value == pytest.approx(0.1)
    assert found.low is None
    assert found.flags == ("no_interval",)


def test_the_interval_covers_the_error_of_new_targets_and_replicates() -> None:
    truth = 2 / np.sqrt(np.pi) * 0.5  # mean absolute difference of two normal values with variance .25 each
    hits = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        target = rng.normal(size=(60, 1))
        found = compare_values(
            target + 0.5 * rng.normal(size=(60, 4)), target + 0.5 * rng.normal(size=(60, 4)), spread=1.0
        )
        assert found.median.low is not None
        assert found.median.high is not None
        hits += found.median.low <= truth <= found.median.high
    assert 180 <= hits <= 200  # .95 of 200 with four standard errors to spare below
