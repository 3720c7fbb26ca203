"""The largest complete part of a table with gaps."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.retest.incomplete import find_complete


def test_the_complete_part_is_the_largest_of_all_sets_of_replicates() -> None:
    filled = np.array([[1, 1, 1]] * 2 + [[1, 0, 1]] * 4 + [[1, 1, 0]] * 3 + [[0, 1, 0]] * 2, dtype=bool)
    found = find_complete(filled)
    assert found.columns.tolist() == [0, 2]
    assert len(found.rows) == 6


@given(st.integers(0, 10_000))
def test_no_set_of_replicates_keeps_more_ratings(seed: int) -> None:
    filled = np.random.default_rng(seed).random((9, 4)) < 0.7
    best = max(
        (n * k if (n := int(filled[:, list(chosen)].all(axis=1).sum())) > 1 else 0)
        for k in range(2, 5)
        for chosen in combinations(range(4), k)
    )
    try:
        found = find_complete(filled)
    except CannotEstimateError:
        assert best == 0
    else:
        assert len(found.rows) * len(found.columns) == best
