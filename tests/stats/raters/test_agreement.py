"""Agreement with the other raters of the same targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.stats.raters.agreement import correlate_with_others, others_means


def test_the_others_mean_leaves_the_own_value_and_missing_ones_out() -> None:
    target = np.array([0, 0, 0, 1, 1, 2])
    values = np.array([[1.0, 4.0], [2.0, np.nan], [6.0, 2.0], [3.0, 3.0], [5.0, 1.0], [2.0, 2.0]])
    expected = [[4.0, 2.0], [3.5, np.nan], [1.5, 4.0], [5.0, 1.0], [3.0, 3.0], [np.nan, np.nan]]
    assert others_means(target, values) == pytest.approx(np.array(expected), nan_ok=True)


def test_of_one_dimension_it_is_the_correlation_with_fishers_interval() -> None:
    rng = np.random.default_rng(3)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(12), np.arange(4), indexing="ij"))
    values = rng.normal(size=12)[target] + rng.normal(size=48)
    found = correlate_with_others(target, rater, values[:, None], n_raters=4, level=0.95)
    table = values.reshape(12, 4)
    for j in range(4):
        r = np.corrcoef(table[:, j], np.delete(table, j, axis=1).mean(axis=1))[0, 1]
        reach = 1.959964 / np.sqrt(12 - 3)
        assert found.value[j] == pytest.approx(r)
        assert found.low[j] == pytest.approx(np.tanh(np.arctanh(r) - reach), abs=1e-6)
        assert found.high[j] == pytest.approx(np.tanh(np.arctanh(r) + reach), abs=1e-6)
    assert found.pairs == pytest.approx(12.0)
    assert found.targets == pytest.approx(12)


def test_copies_of_a_dimension_add_no_information() -> None:
    rng = np.random.default_rng(3)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(12), np.arange(4), indexing="ij"))
    values = rng.normal(size=12)[target] + rng.normal(size=48)
    one, three = (
        correlate_with_others(target, rater, np.tile(values[:, None], m), n_raters=4, level=0.95) for m in (1, 3)
    )
    for name in ("value", "low", "high", "p", "pairs"):
        assert getattr(three, name) == pytest.approx(getattr(one, name)), name


def test_independent_dimensions_add_all_of_theirs() -> None:
    rng = np.random.default_rng(3)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(2000), np.arange(3), indexing="ij"))
    values = rng.normal(size=(2000, 4))[target] + rng.normal(size=(6000, 4))
    found = correlate_with_others(target, rater, values, n_raters=3, level=0.95)
    assert found.pairs == pytest.approx(4 * 1999, rel=0.02)


def test_p_is_small_for_a_rater_who_answers_at_random() -> None:
    rng = np.random.default_rng(5)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(40), np.arange(6), indexing="ij"))
    values = np.where(rater == 2, 0.0, rng.normal(size=40)[target]) + 0.7 * rng.normal(size=240)
    found = correlate_with_others(target, rater, values[:, None], n_raters=6, level=0.95)
    assert found.p[2] < 0.001
    assert abs(found.value[2]) < 0.35
    assert found.expected[2] > 0.6


@pytest.mark.parametrize("values", [[3.0, 3.0, 3.0, 3.0, 3.0], [1.0, 2.0, np.nan, np.nan, np.nan]])
def test_a_constant_rater_and_one_with_few_targets_have_no_correlation(values: list[float]) -> None:
    others = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 1.0, 4.0, 3.0, 5.0]]).ravel()
    column = np.concatenate([others, values])[:, None]
    target, rater = np.tile(np.arange(5), 3), np.repeat(np.arange(3), 5)
    found = correlate_with_others(target, rater, column, n_raters=3, level=0.95)
    assert np.isnan([found.value[2], found.low[2], found.high[2], found.p[2]]).all()
    assert np.isfinite(found.value[:2]).all()


@given(seed=st.integers(0, 1000), shift=st.floats(-10, 10), scale=st.floats(0.1, 10))
def test_severity_and_units_of_a_rater_change_nothing(seed: int, shift: float, scale: float) -> None:
    rng = np.random.default_rng(seed)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(8), np.arange(4), indexing="ij"))
    values = rng.normal(size=(8, 2))[target] + rng.normal(size=(32, 2))
    moved = np.where((rater == 1)[:, None], scale * values + shift, values)
    found, again = (correlate_with_others(target, rater, v, n_raters=4, level=0.95) for v in (values, moved))
    assert again.value[1] == pytest.approx(found.value[1], abs=1e-9)
