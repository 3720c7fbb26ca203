"""What must not change a fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialgauge.stats.kinds import fit_kinds
from dialgauge.stats.kinds.profile import profile_correlation

from .conftest import Data, draw

SEEDS = st.integers(0, 10_000)
FEW = settings(max_examples=8)


def sample(seed: int) -> Data:
    sigma = [[0.4, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.2, 0.4]]
    return draw(seed, n_targets=25, sigma=sigma, raters=(5, 3, 1), per_target=(3, 2, 1), replicates=(1, 1, 2))


@FEW
@given(seed=SEEDS)
def test_shuffling_rows_and_renaming_targets_and_raters_changes_nothing(seed: int) -> None:
    data, rng = sample(seed), np.random.default_rng(seed)
    order = rng.permutation(len(data.values))
    new_target, new_rater = rng.permutation(25), rng.permutation(9)
    kind_of = np.empty(9, dtype=np.intp)
    kind_of[new_rater] = data.kind_of
    one = fit_kinds(*data.all)
    two = fit_kinds(new_target[data.target[order]], new_rater[data.rater[order]], kind_of, data.values[order])
    assert two.criterion == pytest.approx(one.criterion, abs=1e-7)
    assert two.sigma == pytest.approx(one.sigma, abs=1e-4)
    assert two.mean == pytest.approx(one.mean, abs=1e-5)


@FEW
@given(seed=SEEDS)
def test_renumbering_the_kinds_renumbers_the_answer(seed: int) -> None:
    data, new = sample(seed), np.array([2, 0, 1])
    one, two = fit_kinds(*data.all), fit_kinds(data.target, data.rater, new[data.kind_of], data.values)
    assert two.criterion == pytest.approx(one.criterion, abs=1e-7)
    assert two.sigma[np.ix_(new, new)] == pytest.approx(one.sigma, abs=1e-4)


@FEW
@given(seed=SEEDS, shift=st.floats(-100, 100), factor=st.floats(0.01, 100))
def test_a_scale_of_its_own_for_one_kind_rescales_that_kind_and_keeps_the_correlations(
    seed: int, shift: float, factor: float
) -> None:
    data = sample(seed)
    values = np.where(data.kind == 1, shift + factor * data.values, data.values)
    one, two = fit_kinds(*data.all), fit_kinds(data.target, data.rater, data.kind_of, values)
    units = np.array([1.0, factor, 1.0])
    assert two.sigma == pytest.approx(one.sigma * np.outer(units, units), rel=1e-3, abs=1e-4 * factor**2)
    assert two.mean[0] == pytest.approx(one.mean[0], abs=1e-5)
    assert two.mean[1] == pytest.approx(shift + factor * one.mean[1], rel=1e-5, abs=1e-5)
    if one.correlation(0, 1) is not None:
        assert two.correlation(0, 1) == pytest.approx(one.correlation(0, 1), abs=1e-3)


def test_turning_the_scale_of_one_kind_around_turns_its_correlation_and_interval_around() -> None:
    data = sample(3)
    turned = np.where(data.kind == 1, -data.values, data.values)
    one = profile_correlation(fit_kinds(*data.all), 0, 1)
    two = profile_correlation(fit_kinds(data.target, data.rater, data.kind_of, turned), 0, 1)
    assert two.value == pytest.approx(-one.value, abs=1e-5)
    assert one.low is not None
    assert one.high is not None
    assert (two.low, two.high) == pytest.approx((-one.high, -one.low), abs=1e-5)


def test_an_interval_of_a_higher_level_contains_that_of_a_lower_one() -> None:
    fit = fit_kinds(*sample(1).all)
    narrow, wide = (profile_correlation(fit, 0, 1, level=level) for level in (0.8, 0.95))
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.low is not None
    assert wide.high is not None
    assert wide.low < narrow.low < narrow.value < narrow.high <= wide.high
