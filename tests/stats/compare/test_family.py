"""The largest |t| over all pairs of systems, and ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialgauge.stats.compare.family import Family, contrast_matrix, pairs, rank_systems
from dialgauge.stats.compare.records import Contrast
from dialgauge.stats.estimate import Estimate


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.parametrize(("n_systems", "tolerance"), [(2, 1e-9), (3, 1e-6), (4, 1e-3), (8, 1e-3), (12, 2e-3)])
def test_equal_variances_give_the_studentised_range_of_tukey(n_systems: int, tolerance: float) -> None:
    matrix = contrast_matrix(n_systems)
    family = Family(matrix @ matrix.T, 9.0, rng=rng())
    critical = float(stats.studentized_range.ppf(0.95, n_systems, 9)) / np.sqrt(2.0)
    assert family.critical(0.95) == pytest.approx(critical, abs=tolerance)
    for t in (0.5, 2.0, 4.0):
        tail = float(stats.studentized_range.sf(np.sqrt(2.0) * t, n_systems, 9))
        assert family.p(t) == pytest.approx(tail, abs=tolerance)


def test_unequal_variances_give_what_drawing_t_does() -> None:
    spread = np.array([[1.0, 0.2, 0.0], [0.2, 3.0, 0.5], [0.0, 0.5, 0.4]])
    matrix = contrast_matrix(3)
    covariance = matrix @ spread @ matrix.T
    drawn = stats.multivariate_t(shape=spread, df=6.5, seed=3).rvs(400_000) @ matrix.T
    largest = np.abs(drawn / np.sqrt(np.diag(covariance))).max(axis=1)
    family = Family(covariance, 6.5, rng=rng())
    for t in (1.0, 2.0, 3.0):
        assert family.p(t) == pytest.approx(float((largest > t).mean()), abs=0.0035)  # 4.4 standard errors


def test_the_error_that_is_stated_holds_the_studentised_range() -> None:
    matrix = contrast_matrix(6)
    for seed in range(5):
        family = Family(matrix @ matrix.T, 20.0, rng=np.random.default_rng(seed))
        tail = float(stats.studentized_range.sf(np.sqrt(2.0) * 2.5, 6, 20))
        assert family.p(2.5) == pytest.approx(tail, abs=6.0 * family.error(2.5) + 2e-5)
        assert family.error(2.5) < 5e-4


def test_more_systems_need_a_larger_value_and_one_pair_needs_students() -> None:
    found = []
    for n_systems in (2, 3, 5):
        matrix = contrast_matrix(n_systems)
        found.append(Family(matrix @ matrix.T, 8.0, rng=rng()).critical(0.9))
    assert found[0] == pytest.approx(float(stats.t.ppf(0.95, 8.0)), abs=1e-9)
    assert found == sorted(found)


def contrast(first: int, second: int, value: float, margin: float) -> Contrast:
    one = Estimate(value, value - margin, value + margin, 0.95, "t", "all", 10)
    return Contrast(first, second, one, one, 0.5, 0.5, 8.0, 4)


def ranks(values: list[float], margin: float, *, higher_is_better: bool = True) -> list[tuple[float, int, int]]:
    contrasts = [contrast(i, j, values[i] - values[j], margin) for i, j in pairs(len(values))]
    found = rank_systems(values, contrasts, higher_is_better=higher_is_better)
    return [(one.rank, one.low, one.high) for one in found]


def test_a_rank_counts_the_systems_that_are_better_and_worse_beyond_the_intervals() -> None:
    assert ranks([1.0, 5.0, 4.9, 3.0], 1.0) == [(4.0, 4, 4), (1.0, 1, 2), (2.0, 1, 2), (3.0, 3, 3)]


def test_where_lower_is_better_ranks_turn_round() -> None:
    assert ranks([1.0, 5.0, 4.9, 3.0], 1.0, higher_is_better=False) == [
        (1.0, 1, 1),
        (4.0, 3, 4),
        (3.0, 3, 4),
        (2.0, 2, 2),
    ]


def test_tied_systems_share_the_mean_of_their_ranks() -> None:
    assert [one[0] for one in ranks([2.0, 2.0, 1.0], 9.0)] == [1.5, 1.5, 3.0]


@given(st.lists(st.integers(0, 20).map(float), min_size=2, max_size=7), st.floats(0.1, 10.0))
def test_a_rank_lies_in_its_interval_and_wider_intervals_hold_narrower_ones(values: list[float], margin: float) -> None:
    narrow, wide = ranks(values, margin), ranks(values, 2.0 * margin)
    assert sum(one[0] for one in narrow) == pytest.approx(len(values) * (len(values) + 1) / 2)
    for (rank, low, high), (_, lower, higher) in zip(narrow, wide, strict=True):
        assert 1 <= lower <= low <= rank <= high <= higher <= len(values)
