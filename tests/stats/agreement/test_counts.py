"""Ratings become counts on the declared scale without a dense table."""

import tracemalloc

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError, InputError, OffScaleError
from dialgauge.stats.agreement.counts import tabulate, tabulate_dense


def test_each_rating_is_counted_once_for_its_target_and_once_for_its_rater() -> None:
    counts = tabulate(np.array([7, 7, 9]), np.array([0, 2, 2]), n_categories=4, rater_codes=np.array([1, 5, 5]))
    assert counts.table.tolist() == [[1, 0, 1, 0], [0, 0, 1, 0]]
    assert counts.rater_table.tolist() == [[1, 0, 0, 0], [0, 0, 2, 0]]
    assert (counts.n_ratings, counts.n_targets, counts.n_categories) == (3, 2, 4)
    assert counts.per_target.tolist() == [2, 1]


def test_a_category_that_nobody_used_stays_in_the_table() -> None:
    counts = tabulate_dense(np.array([[0, 0], [2, 2]]), 5)
    assert counts.table.shape == (2, 5)


def test_an_empty_cell_of_a_dense_table_is_no_rating() -> None:
    counts = tabulate_dense(np.array([[0, -1, 1], [-1, -1, -1], [1, 1, 1]]), 2)
    assert counts.n_ratings == 5
    assert counts.table.tolist() == [[1, 1], [0, 3]]


@pytest.mark.parametrize("code", [-1, 3])
def test_a_category_outside_the_declared_scale_is_refused_with_its_place(code: int) -> None:
    with pytest.raises(OffScaleError, match=rf"rating 1 has category code {code}, outside 0 .. 2"):
        tabulate(np.array([0, 0]), np.array([0, code]), n_categories=3, rater_codes=np.array([0, 1]))


def test_arrays_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="2, 2 and 1 entries"):
        tabulate(np.array([0, 1]), np.array([0, 1]), n_categories=2, rater_codes=np.array([0]))


def test_a_scale_of_one_category_is_refused() -> None:
    with pytest.raises(InputError, match="declare at least 2"):
        tabulate_dense(np.array([[0, 0]]), 1)


def test_no_rating_at_all_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="there is no rating"):
        tabulate_dense(np.array([[-1, -1]]), 2)


def test_counting_100000_ratings_of_10000_raters_needs_far_less_than_a_table_targets_x_raters() -> None:
    rng = np.random.default_rng(0)
    target, rater = rng.integers(0, 1000, 100_000), rng.integers(0, 10_000, 100_000)
    category = rng.integers(0, 5, 100_000)
    tracemalloc.start()
    counts = tabulate(target, category, n_categories=5, rater_codes=rater)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert counts.table.shape == (1000, 5)
    assert peak < 20e6  # the table would hold 80e6 bytes
