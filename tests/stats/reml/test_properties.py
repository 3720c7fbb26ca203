"""What must not change a fit, and what must not be fitted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.reml import fit_reml

from .test_independent_route import sample

SEEDS = st.integers(0, 10_000)


@given(seed=SEEDS)
def test_permuting_targets_and_raters_and_shuffling_rows_changes_nothing(seed: int) -> None:
    target, rater, y = sample(seed, n_targets=12, n_raters=6, replicates=1, share=0.8)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    new_target, new_rater = rng.permutation(target.max() + 1)[target], rng.permutation(rater.max() + 1)[rater]
    (one,) = fit_reml(target, rater, y, model="crossed")
    (two,) = fit_reml(new_target[order], new_rater[order], y[order], model="crossed")
    assert two.criterion == pytest.approx(one.criterion, abs=1e-8)
    assert (two.target, two.rater, two.residual) == pytest.approx(
        (one.target, one.rater, one.residual), rel=1e-5, abs=1e-9
    )


@given(seed=SEEDS, shift=st.floats(-1e6, 1e6), factor=st.floats(1e-3, 1e3))
def test_an_affine_change_of_the_scale_rescales_the_variances_and_keeps_the_ratios(
    seed: int, shift: float, factor: float
) -> None:
    target, rater, y = sample(seed, n_targets=12, n_raters=6, replicates=1, share=0.8)
    (one,) = fit_reml(target, rater, y, model="crossed")
    (two,) = fit_reml(target, rater, shift + factor * y, model="crossed")
    assert two.ratios == pytest.approx(one.ratios, rel=1e-4, abs=1e-6)
    assert two.residual == pytest.approx(one.residual * factor**2, rel=1e-4)


@given(seed=SEEDS)
def test_transposing_the_table_swaps_the_facets(seed: int) -> None:
    target, rater, y = sample(seed, n_targets=10, n_raters=7, replicates=1, share=0.8)
    (one,) = fit_reml(target, rater, y, model="crossed")
    (two,) = fit_reml(rater, target, y, model="crossed")
    assert two.criterion == pytest.approx(one.criterion, abs=1e-8)
    assert (two.rater, two.target) == pytest.approx((one.target, one.rater), rel=1e-5, abs=1e-9)


@given(seed=SEEDS)
def test_one_more_rater_with_a_single_rating_hardly_moves_the_estimate(seed: int) -> None:
    target, rater, y = sample(seed, n_targets=40, n_raters=8, replicates=1, share=0.6)
    (one,) = fit_reml(target, rater, y, model="crossed")
    more = (np.append(target, 0), np.append(rater, rater.max() + 1), np.append(y, np.median(y)))
    (two,) = fit_reml(*more, model="crossed")
    assert len(two.rater_effect) == len(one.rater_effect) + 1
    share = [f.target / (f.target + f.rater + f.residual) for f in (one, two) if f.rater is not None]
    assert share[1] == pytest.approx(share[0], abs=0.03)


def test_several_dimensions_in_one_call_equal_one_call_each() -> None:
    target, rater, y = sample(1, n_targets=20, n_raters=6, replicates=1)
    other = np.random.default_rng(0).normal(size=len(y))
    together = fit_reml(target, rater, np.column_stack([y, other]), model="crossed")
    alone = [fit_reml(target, rater, values, model="crossed")[0] for values in (y, other)]
    assert [f.criterion for f in together] == pytest.approx([f.criterion for f in alone], rel=1e-12)


def test_constant_ratings_are_refused() -> None:
    target, rater, y = sample(1, n_targets=20, n_raters=6, replicates=1)
    with pytest.raises(CannotEstimateError, match="all ratings are equal"):
        fit_reml(target, rater, np.full_like(y, 3.0), model="crossed")


def test_ratings_without_residual_variation_are_refused_and_not_called_perfect() -> None:
    target, rater = (a.ravel() for a in np.indices((8, 4)))
    with pytest.raises(CannotEstimateError, match="residual variance runs to zero"):
        fit_reml(target, rater, target + 10.0 * rater, model="crossed")
