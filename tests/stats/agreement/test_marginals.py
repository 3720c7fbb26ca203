"""Tests of marginal homogeneity."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.marginals import bhapkar, stuart_maxwell

Table = Callable[[str], tuple[NDArray[np.intp], int]]


def test_both_statistics_on_the_vision_data_are_those_of_irr(reference: dict[str, Any], table: Table) -> None:
    """From irr 0.84.1; Stuart (1955) prints 11.96, Bhapkar (1966) 11.98."""
    codes, q = table("vision")
    expected = reference["r"]["irr"]["vision"]
    first, second = stuart_maxwell(codes, q), bhapkar(codes, q)
    assert first.chi2 == pytest.approx(expected["stuart_maxwell"]["value"][0][0], rel=1e-12)
    assert first.p == pytest.approx(expected["stuart_maxwell"]["p.value"][0][0], rel=1e-11)
    assert second.chi2 == pytest.approx(expected["bhapkar"]["value"], rel=1e-12)
    assert second.p == pytest.approx(expected["bhapkar"]["p.value"], rel=1e-11)
    assert (first.df, second.df, first.n) == (3, 3, 7477)


def test_with_two_categories_it_is_mcnemars_test() -> None:
    """McNemar (1947): (b - c)^2 / (b + c) with b = 12, c = 5."""
    codes = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [20, 12, 5, 15], axis=0)
    assert stuart_maxwell(codes, 2).chi2 == pytest.approx(49 / 17, abs=1e-12)
    assert stuart_maxwell(codes, 2).df == 1


def test_a_declared_category_that_nobody_used_adds_no_degree_of_freedom(table: Table) -> None:
    codes, q = table("vision")
    assert stuart_maxwell(codes, q + 2).df == 3
    assert stuart_maxwell(codes, q + 2).chi2 == pytest.approx(stuart_maxwell(codes, q).chi2, rel=1e-9)


def test_targets_with_an_empty_cell_are_left_out_and_n_says_so() -> None:
    codes = np.array([[0, 1], [1, 0], [0, 1], [-1, 1], [1, -1]])
    assert stuart_maxwell(codes, 2).n == 3


def test_raters_who_never_disagree_leave_nothing_to_test() -> None:
    with pytest.raises(CannotEstimateError, match="never disagree"):
        stuart_maxwell(np.array([[0, 0], [1, 1], [0, 0]]), 2)


def test_bhapkar_refuses_disagreement_in_one_direction_on_every_target() -> None:
    codes = np.array([[0, 1], [0, 1], [0, 1]])
    assert stuart_maxwell(codes, 2).chi2 == pytest.approx(3.0)
    with pytest.raises(CannotEstimateError, match="infinite"):
        bhapkar(codes, 2)


def test_three_raters_are_refused() -> None:
    with pytest.raises(InputError, match="two raters"):
        stuart_maxwell(np.zeros((4, 3), dtype=int), 2)
