"""Extreme scores, fit statistics, separation and refusals of the many-facet Rasch model."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2

from dialgauge.errors import CannotEstimateError, InputError, OffScaleError
from dialgauge.stats.ordinal import RaschFit, fit_rasch
from dialgauge.stats.ordinal.rasch_fit import separate

from .conftest import Ordered, Simulate

Floats = NDArray[np.float64]


def fitted(data: Ordered, m: int = 5) -> RaschFit:
    return fit_rasch(data.target, data.rater, category=data.category, n_categories=m)


def shares(fit: RaschFit, target: NDArray[np.intp], rater: NDArray[np.intp]) -> Floats:
    """Return the model's category probabilities of ratings, from the textbook formula in a loop."""
    out = []
    for t, r in zip(target, rater, strict=True):
        height, weights = 0.0, [1.0]
        for tau in np.broadcast_to(fit.thresholds, (len(fit.rater.measure), fit.thresholds.shape[-1]))[r]:
            height += float(fit.target.measure[t] - fit.rater.measure[r] - tau)
            weights.append(math.exp(height))
        out.append(np.array(weights) / sum(weights))
    return np.array(out)


@given(st.integers(0, 10_000))
@settings(max_examples=8)
def test_order_of_rows_and_names_of_levels_change_nothing(simulate_rasch: Simulate, seed: int) -> None:
    data = simulate_rasch(4, n_targets=30, n_raters=9, k=4)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(data.category))
    names = rng.permutation(30), rng.permutation(9)
    first = fitted(data)
    second = fitted(Ordered(names[0][data.target[rows]], names[1][data.rater[rows]], data.category[rows], data.X))
    assert second.target.measure[names[0]] == pytest.approx(first.target.measure, abs=1e-8)
    assert second.rater.measure[names[1]] == pytest.approx(first.rater.measure, abs=1e-8)
    assert second.thresholds == pytest.approx(first.thresholds, abs=1e-8)


def test_turning_the_scale_round_turns_all_measures_round(simulate_rasch: Simulate) -> None:
    data = simulate_rasch(4, n_targets=30, n_raters=9, k=4)
    first, second = fitted(data), fitted(Ordered(data.target, data.rater, 4 - data.category, data.X))
    assert second.target.measure == pytest.approx(-first.target.measure, abs=1e-8)
    assert second.rater.measure == pytest.approx(-first.rater.measure, abs=1e-8)
    assert second.thresholds == pytest.approx(-first.thresholds[::-1], abs=1e-8)
    assert second.target.extreme.tolist() == (-first.target.extreme).tolist()


def test_severities_and_thresholds_are_centred_at_zero(simulate_rasch: Simulate) -> None:
    fit = fitted(simulate_rasch(4, n_targets=30, n_raters=9, k=4))
    assert fit.rater.measure[fit.rater.calibrated].mean() == pytest.approx(0.0, abs=1e-12)
    assert fit.thresholds.mean() == pytest.approx(0.0, abs=1e-12)


def test_partial_credit_with_equal_raters_is_close_to_shared_thresholds(simulate_rasch: Simulate) -> None:
    data = simulate_rasch(4, n_targets=1500, n_raters=10, k=10)
    shared = fitted(data)
    own = fit_rasch(data.target, data.rater, category=data.category, n_categories=5, model="partial_credit")
    assert own.thresholds.shape == own.thresholds_se.shape == (10, 4)
    assert own.thresholds == pytest.approx(np.tile(shared.thresholds, (10, 1)), abs=0.4)
    assert own.rater.measure == pytest.approx(shared.rater.measure, abs=0.1)
    assert own.log_likelihood > shared.log_likelihood


def with_extremes(data: Ordered) -> Ordered:
    """Add a target rated highest by all of raters 0 .. 3, and a rater who rates targets 0 .. 4 lowest."""
    target = np.concatenate([data.target, np.full(4, 30), np.arange(5)])
    rater = np.concatenate([data.rater, np.arange(4), np.full(5, 9)])
    category = np.concatenate([data.category, np.full(4, 4), np.zeros(5, dtype=np.intp)])
    return Ordered(target, rater, category, data.X)


def test_extreme_scores_are_measured_three_tenths_of_a_point_inwards(simulate_rasch: Simulate) -> None:
    """The rest is calibrated without them; then the expected score of an extreme level is .3 short of its end."""
    data = simulate_rasch(11, n_targets=30, n_raters=9, k=6)
    plain, fit = fitted(data), fitted(with_extremes(data))
    assert not plain.target.extreme.any()
    assert np.flatnonzero(fit.target.extreme).tolist() == [30]
    assert np.flatnonzero(fit.rater.extreme).tolist() == [9]
    assert fit.target.extreme[30] == 1
    assert fit.rater.extreme[9] == -1
    assert not fit.target.calibrated[30]
    assert fit.n_calibrated == plain.n == fit.n - 9
    assert fit.target.measure[:30] == pytest.approx(plain.target.measure, abs=1e-9)
    assert fit.rater.measure[:9] == pytest.approx(plain.rater.measure, abs=1e-9)
    p = shares(fit, np.full(4, 30), np.arange(4))
    expected = p @ np.arange(5.0)
    assert expected.sum() == pytest.approx(4 * 4 - 0.3, abs=1e-8)
    variance = p @ np.arange(5.0) ** 2 - expected**2
    assert fit.target.se[30] == pytest.approx(1.0 / math.sqrt(variance.sum()), rel=1e-9)
    lowest = shares(fit, np.arange(5), np.full(5, 9)) @ np.arange(5.0)
    assert lowest.sum() == pytest.approx(0.3, abs=1e-8)
    assert fit.rater.measure[9] > fit.rater.measure[:9].max()
    assert 30 not in fit.target.fit.level
    assert fit.target.separation.n == 31
    assert fit.target.separation_measurable.n == 30


def test_a_level_whose_counterparts_are_all_extreme_is_measured_against_them(simulate_rasch: Simulate) -> None:
    """Target 31 is rated by rater 9, who rates all lowest, and rater 10, who rates all highest: its score is 4 of 8."""
    data = with_extremes(simulate_rasch(11, n_targets=30, n_raters=9, k=6))
    target = np.concatenate([data.target, np.arange(5, 10), np.full(2, 31)])
    rater = np.concatenate([data.rater, np.full(5, 10), np.array([9, 10])])
    category = np.concatenate([data.category, np.full(5, 4), np.array([0, 4])])
    fit = fitted(Ordered(target, rater, category, data.X))
    assert fit.target.extreme[31] == 0
    assert not fit.target.calibrated[31]
    assert np.isfinite(fit.target.measure).all()
    assert np.isfinite(fit.rater.se).all()
    expected = shares(fit, np.array([31, 31]), np.array([9, 10])) @ np.arange(5.0)
    assert expected.sum() == pytest.approx(4.0, abs=1e-8)


def test_categories_that_nobody_or_only_extreme_levels_used_are_merged_and_named(simulate_rasch: Simulate) -> None:
    data = simulate_rasch(11, n_targets=30, n_raters=9, k=6)
    spread = np.array([1, 2, 4, 5, 6])[data.category]
    fit = fit_rasch(data.target, data.rater, category=spread, n_categories=8)
    assert fit.categories == (1, 2, 4, 5, 6)
    assert fit.empty == (0, 3, 7)
    assert fit.thresholds == pytest.approx(fitted(data).thresholds, abs=1e-12)
    more = np.concatenate([spread, np.full(4, 7)])
    target, rater = np.append(data.target, np.full(4, 30)), np.append(data.rater, np.arange(4))
    extreme = fit_rasch(target, rater, category=more, n_categories=8)
    assert extreme.empty == (0, 3, 7)
    assert extreme.target.extreme[30] == 1
    assert extreme.target.score[30] == 16


def test_mean_squares_follow_their_formulas(simulate_rasch: Simulate) -> None:
    """Infit, outfit and their standardised forms of every rater, by loops over the model's probabilities."""
    data = simulate_rasch(6, n_targets=40, n_raters=8, k=6)
    fit = fitted(data)
    inside = fit.target.calibrated[data.target] & fit.rater.calibrated[data.rater]
    points = np.arange(5.0)
    for i, rater in enumerate(fit.rater.fit.level):
        rows = inside & (data.rater == rater)
        p = shares(fit, data.target[rows], data.rater[rows])
        mean = p @ points
        v = np.array([q @ (points - e) ** 2 for q, e in zip(p, mean, strict=True)])
        c = np.array([q @ (points - e) ** 4 for q, e in zip(p, mean, strict=True)])
        square = (data.category[rows] - mean) ** 2
        assert fit.rater.fit.infit[i] == pytest.approx(square.sum() / v.sum(), rel=1e-9)
        assert fit.rater.fit.outfit[i] == pytest.approx((square / v).mean(), rel=1e-9)
        s = math.sqrt((c / v**2).sum() / len(v) ** 2 - 1.0 / len(v))
        z = (np.cbrt((square / v).mean()) - 1.0) * 3.0 / s + s / 3.0
        assert fit.rater.fit.outfit_z[i] == pytest.approx(z, rel=1e-9)
        s = math.sqrt((c - v**2).sum()) / v.sum()
        z = (np.cbrt(square.sum() / v.sum()) - 1.0) * 3.0 / s + s / 3.0
        assert fit.rater.fit.infit_z[i] == pytest.approx(z, rel=1e-9)


def test_fit_is_near_one_for_raters_who_follow_the_model_and_high_for_one_who_guesses(simulate_rasch: Simulate) -> None:
    data = simulate_rasch(7, n_targets=400, n_raters=10, k=10)
    category = data.category.copy()
    guesses = data.rater == 3
    category[guesses] = np.random.default_rng(0).integers(0, 5, guesses.sum())
    fit = fitted(Ordered(data.target, data.rater, category, data.X)).rater.fit
    others = np.flatnonzero(fit.level != 3)
    assert 0.6 < fit.infit[others].min() < fit.infit[others].max() < 1.1
    assert fit.infit[3] > 1.8
    assert fit.outfit_z[3] > 5.0


def test_separation_is_that_of_the_textbook() -> None:
    """Measures -1, 0, 1 with errors .5: observed variance 1, error .25, true .75; separation root 3."""
    found = separate(np.array([-1.0, 0.0, 1.0]), np.full(3, 0.5))
    assert found.reliability == pytest.approx(0.75, rel=1e-12)
    assert found.separation == pytest.approx(math.sqrt(3.0), rel=1e-12)
    assert found.strata == pytest.approx((4.0 * math.sqrt(3.0) + 1.0) / 3.0, rel=1e-12)
    assert found.chi2 == pytest.approx(8.0, rel=1e-12)
    assert found.p == pytest.approx(chi2.sf(8.0, 2), rel=1e-12)


def test_separation_is_zero_where_errors_exceed_the_spread() -> None:
    found = separate(np.array([-0.1, 0.0, 0.1]), np.full(3, 0.5))
    assert (found.separation, found.reliability, found.true_sd) == (0.0, 0.0, 0.0)
    assert found.strata == pytest.approx(1.0 / 3.0)


def test_equal_raters_are_not_told_apart_and_unequal_ones_are(simulate_rasch: Simulate) -> None:
    data = simulate_rasch(7, n_targets=400, n_raters=10, k=10)
    assert fitted(data).rater.separation.reliability > 0.9
    mixed = np.random.default_rng(1).permuted(data.rater.reshape(400, 10), axis=1).ravel()
    assert fitted(Ordered(data.target, mixed, data.category, data.X)).rater.separation.p > 0.001


def test_subsets_without_a_link_are_refused_with_their_number(simulate_rasch: Simulate) -> None:
    one = simulate_rasch(7, n_targets=20, n_raters=6, k=4)
    target = np.concatenate([one.target, one.target + 20, one.target + 40])
    rater = np.concatenate([one.rater, one.rater + 6, one.rater + 12])
    with pytest.raises(CannotEstimateError, match="fall into 3 subsets"):
        fit_rasch(target, rater, category=np.tile(one.category, 3), n_categories=5)


def test_subsets_linked_by_an_extreme_rater_only_are_refused(simulate_rasch: Simulate) -> None:
    one = simulate_rasch(7, n_targets=20, n_raters=6, k=4)
    target = np.concatenate([one.target, one.target + 20, np.array([0, 1, 20, 21])])
    rater = np.concatenate([one.rater, one.rater + 6, np.full(4, 12)])
    category = np.concatenate([one.category, one.category, np.zeros(4, dtype=np.intp)])
    with pytest.raises(CannotEstimateError, match="without extreme scores fall into 2 subsets"):
        fit_rasch(target, rater, category=category, n_categories=5)


T, R = (codes.astype(np.intp) for codes in np.divmod(np.arange(12), 3))
Y = np.array([0, 1, 2, 0, 1, 1, 2, 2, 0, 1, 0, 2])


@pytest.mark.parametrize(
    ("target", "category", "model", "error", "words"),
    [
        (T, np.full(12, 2), "rating_scale", CannotEstimateError, "only extreme scores"),
        (T, T % 2, "rating_scale", CannotEstimateError, "only extreme scores"),
        (T, np.where(Y == 2, 5, Y), "rating_scale", OffScaleError, "rating 2 has category 5"),
        (T + 1, Y, "rating_scale", InputError, "target 0 has no rating"),
        (T[:3], Y, "rating_scale", InputError, "12 integers"),
        (T, np.where(R == 0, Y.clip(0, 1), Y), "partial_credit", CannotEstimateError, "1 of 3 raters leave a category"),
    ],
)
def test_ratings_that_do_not_determine_the_model_are_refused_by_name(
    target: NDArray[np.intp], category: NDArray[np.intp], model: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        fit_rasch(target, R, category=category, n_categories=5, model=model)  # type: ignore[arg-type]


def test_too_large_a_dense_matrix_is_refused_before_allocation(
    simulate_rasch: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialgauge.stats.ordinal.rasch_jmle.MOST_DENSE", 12)
    with pytest.raises(CannotEstimateError, match="need a dense matrix of 13 rows"):
        fitted(simulate_rasch(11, n_targets=30, n_raters=9, k=6))
