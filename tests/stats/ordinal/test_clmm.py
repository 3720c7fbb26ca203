"""What a cumulative link mixed model must not depend on, what it refuses, and its zeros."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialgauge.errors import CannotEstimateError, InputError, OffScaleError
from dialgauge.stats.ordinal import ClmmFit, fit_clmm
from dialgauge.stats.ordinal import minimise as minimise_module
from dialgauge.stats.ordinal.laplace import Laplace
from dialgauge.stats.ordinal.links import Link
from dialgauge.stats.ordinal.minimise import NotCertifiedError

from .conftest import Ordered, Simulate

SAME = 1e-4


def fitted(data: Ordered, link: Link = "logit") -> ClmmFit:
    return fit_clmm(data.category, 5, target=data.target, rater=data.rater, X=data.X, link=link)


@given(st.integers(0, 10_000))
@settings(max_examples=6)
def test_order_of_rows_and_names_of_levels_change_nothing(simulate: Simulate, seed: int) -> None:
    data = simulate(3, n_targets=30, n_raters=9, k=4)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(data.category))
    names = rng.permutation(30), rng.permutation(9)
    other = Ordered(names[0][data.target[rows]], names[1][data.rater[rows]], data.category[rows], data.X[rows])
    first, second = fitted(data), fitted(other)
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-7)
    assert [second.target, second.rater] == pytest.approx([first.target, first.rater], rel=SAME, abs=SAME)
    assert first.target_effect is not None
    assert second.target_effect is not None
    assert second.target_effect[names[0]] == pytest.approx(first.target_effect, rel=SAME, abs=SAME)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_swapping_targets_and_raters_swaps_their_variances(simulate: Simulate, link: Link) -> None:
    data = simulate(3, n_targets=30, n_raters=9, k=4)
    first = fitted(data, link)
    second = fitted(Ordered(data.rater, data.target, data.category, data.X), link)
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-7)
    assert [second.rater, second.target] == pytest.approx([first.target, first.rater], rel=SAME, abs=SAME)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_turning_the_scale_round_turns_thresholds_and_coefficients_round(simulate: Simulate, link: Link) -> None:
    data = simulate(3, n_targets=30, n_raters=9, k=4)
    first = fitted(data, link)
    second = fitted(Ordered(data.target, data.rater, 4 - data.category, data.X), link)
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-7)
    assert second.thresholds == pytest.approx(-first.thresholds[::-1], rel=SAME, abs=SAME)
    assert second.coefficients == pytest.approx(-first.coefficients, rel=SAME, abs=SAME)
    assert second.target == pytest.approx(first.target, rel=SAME, abs=SAME)


def test_units_of_a_predictor_change_only_its_coefficient_and_the_origin(simulate: Simulate) -> None:
    data = simulate(3, n_targets=30, n_raters=9, k=4)
    first = fitted(data)
    second = fitted(Ordered(data.target, data.rater, data.category, 2020.0 + 0.01 * data.X))
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-7)
    assert second.coefficients == pytest.approx(100.0 * first.coefficients, rel=SAME, abs=SAME)
    assert second.coefficients_se == pytest.approx(100.0 * first.coefficients_se, rel=SAME, abs=SAME)
    assert second.thresholds == pytest.approx(first.thresholds + 2020.0 * second.coefficients, rel=1e-6)


def test_unused_categories_are_merged_and_named(simulate: Simulate) -> None:
    """Categories 0 .. 4 put at 0, 2, 3, 5, 6 of an eight-point scale leave 1, 4 and 7 empty, and the fit the same."""
    data = simulate(3, n_targets=30, n_raters=9, k=4)
    spread = np.array([0, 2, 3, 5, 6])[data.category]
    fit = fit_clmm(spread, 8, target=data.target, rater=data.rater, X=data.X)
    assert fit.empty == (1, 4, 7)
    assert fit.categories == (0, 2, 3, 5, 6)
    assert fit.thresholds == pytest.approx(fitted(data).thresholds, rel=1e-12)


def test_two_categories_are_a_mixed_logistic_regression_with_one_threshold(simulate: Simulate) -> None:
    data = simulate(3, n_targets=30, n_raters=9, k=6, m=2)
    fit = fit_clmm(data.category, 2, target=data.target, rater=data.rater)
    assert fit.thresholds.shape == (1,)
    share = float(np.mean(data.category == 0))
    assert np.sign(fit.thresholds[0]) == np.sign(share - 0.5)


def test_effects_of_targets_follow_their_mean_ratings(simulate: Simulate) -> None:
    data = simulate(3, n_targets=60, n_raters=9, k=6)
    effect = fitted(data).target_effect
    assert effect is not None
    means = np.bincount(data.target, data.category) / np.bincount(data.target)
    assert np.corrcoef(effect, means)[0, 1] > 0.9


def test_a_variance_of_zero_is_exact_flagged_and_the_criterion_rises_from_it(simulate: Simulate) -> None:
    data = simulate(12, n_targets=30, n_raters=9, k=4, target_sd=0.0)
    fit = fitted(data)
    assert fit.boundary == ("target",)
    assert fit.target == 0.0
    assert fit.rise[0] > 0.0
    laplace = Laplace(fit.data)
    free = fit.thresholds - fit.coefficients @ fit.data.centre, fit.coefficients * fit.data.spread
    heights = [laplace.evaluate(*free, np.array([v, fit.rater])).criterion for v in (0.0, 1e-4, 1e-2)]
    assert heights[0] == pytest.approx(-2.0 * fit.log_likelihood, abs=1e-9)
    assert heights[0] < heights[1] < heights[2]
    assert (heights[1] - heights[0]) / 1e-4 == pytest.approx(fit.rise[0], rel=1e-2)


def test_every_answer_carries_evidence(simulate: Simulate) -> None:
    fit = fitted(simulate(3, n_targets=30, n_raters=9, k=4))
    assert 0.0 <= fit.decrement < 1e-9
    assert fit.max_gradient < 1e-3
    assert fit.least_curvature > 0.0
    assert fit.evaluations > 0


def test_a_search_that_does_not_end_is_refused_not_reported(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimise_module, "MAX_EVALUATIONS", 0)
    monkeypatch.setattr(minimise_module, "PER_PARAMETER", 1)
    with pytest.raises(NotCertifiedError, match="did not converge"):
        fitted(simulate(3, n_targets=30, n_raters=9, k=4))


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("seed", range(4))
def test_a_predictor_whose_coefficient_runs_to_infinity_is_refused(link: Link, seed: int) -> None:
    """All ratings with x = 1 are lowest: the gradient vanishes on the way to infinity, and is no proof of a maximum."""
    rng = np.random.default_rng(seed)
    target, category = np.repeat(np.arange(15), 6), rng.integers(0, 3, 90)
    x = (rng.random(90) < 0.2).astype(float)
    category[x == 1.0] = 0
    with pytest.raises(NotCertifiedError):
        fit_clmm(category, 3, target=target, X=x[:, None], link=link)


def test_targets_that_explain_all_ratings_are_refused() -> None:
    target, rater = np.divmod(np.arange(100), 5)
    category = np.random.default_rng(0).integers(0, 5, 20)[target]
    with pytest.raises(CannotEstimateError, match="targets explain the ratings almost completely"):
        fit_clmm(category, 5, target=target, rater=rater)


T, R = (codes.astype(np.intp) for codes in np.divmod(np.arange(12), 3))
Y = np.array([0, 1, 2, 0, 1, 1, 2, 2, 0, 1, 0, 2])


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"category": np.full(12, 3)}, CannotEstimateError, "one category"),
        ({"category": np.where(Y == 2, 7, Y)}, OffScaleError, "rating 2 has category 7"),
        ({"category": Y.astype(float)}, InputError, "must be integers"),
        ({"category": Y[:0]}, InputError, "not empty"),
        ({"target": np.zeros(12, dtype=int)}, CannotEstimateError, "one target only"),
        ({"target": np.arange(12)}, CannotEstimateError, "no target has two ratings"),
        ({"rater": np.arange(12)}, CannotEstimateError, "no rater has two ratings"),
        ({"rater": T}, CannotEstimateError, "cannot be told apart"),
        ({"target": T * 2}, InputError, "target 1 has no rating"),
        ({"target": T - 1}, InputError, "negative"),
        ({"target": T[:5]}, InputError, "12 integers"),
        ({"X": np.ones((12, 1))}, CannotEstimateError, "rank 1, not 2"),
        ({"X": np.column_stack([T, T])}, CannotEstimateError, "rank 2, not 3"),
        ({"X": np.full((12, 1), np.nan)}, InputError, "finite matrix of 12 rows"),
    ],
)
def test_ratings_that_do_not_determine_the_model_are_refused_by_name(
    arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    everything: dict[str, Any] = {"category": Y, "target": T, "rater": R, "n_categories": 5} | arguments
    with pytest.raises(error, match=words):
        fit_clmm(**everything)
