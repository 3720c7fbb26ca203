"""Packed symmetric matrices against their full form."""

import numpy as np
import pytest

from dialgauge.stats.reml.packed import diagonal_positions, pack, packed_size, unpack


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8])
def test_unpacking_brings_all_back_and_the_diagonal_is_found_where_it_was_packed(n: int) -> None:
    matrix = np.random.default_rng(n).normal(size=(n, n))
    matrix += matrix.T
    packed = pack(matrix)
    assert len(packed) == packed_size(n)
    assert np.array_equal(packed[diagonal_positions(n)], np.diag(matrix))
    assert np.array_equal(unpack(packed, n), matrix)
