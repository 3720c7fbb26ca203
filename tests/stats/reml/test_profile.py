"""Profile intervals for reliabilities."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from dialgauge.stats.estimate import Estimate
from dialgauge.stats.reml import fit_reml
from dialgauge.stats.reml.odds import Odds, reliability_estimate, step_up
from dialgauge.stats.reml.profile import profile_odds

from .conftest import Data
from .test_independent_route import sample

CHI2_95 = 3.841458820694124


def test_dyestuff_interval_equals_the_reml_profile(one_way: Callable[..., Data]) -> None:
    # cases.md: REML profile [0.0686137, 0.8187499], estimate .4184874 (lme4 prints the ML profile: not this)
    (fit,) = fit_reml(*one_way("Dyestuff", "Batch", "Yield"), model="one_way")
    value, low, high = profile_odds([fit])[0].reliability(1.0)
    assert value == pytest.approx(0.4184874, abs=1e-6)
    assert low == pytest.approx(0.0686137, abs=1e-6)
    assert high == pytest.approx(0.8187499, abs=1e-6)


def test_a_reliability_at_zero_still_has_an_upper_limit(one_way: Callable[..., Data]) -> None:
    (fit,) = fit_reml(*one_way("Dyestuff2", "Batch", "Yield"), model="one_way")
    value, low, high = profile_odds([fit])[0].reliability(1.0)
    assert (value, low) == (0.0, 0.0)
    assert high is not None
    assert 0.1 < high < 0.9
    rise = fit.evaluate(np.array([[high / (1 - high), 0.0, 0.0]])).criterion[0] - fit.criterion
    assert rise == pytest.approx(CHI2_95, abs=1e-5)


@pytest.mark.parametrize("form", ["absolute", "relative"])
@pytest.mark.parametrize("seed", range(4))
def test_each_end_lies_where_a_nested_search_finds_it(seed: int, form: str) -> None:
    target, rater, y = sample(seed, n_targets=25, n_raters=8, replicates=1)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    (odds,) = profile_odds([fit], form=form)  # type: ignore[arg-type]

    def rise(log_odds: float) -> float:
        c = float(np.exp(log_odds))
        weight = 1.0 if form == "absolute" else 0.0
        inner = minimize_scalar(
            lambda log_b: fit.evaluate(np.array([[c * (1 + weight * np.exp(log_b)), np.exp(log_b), 0.0]])).criterion[0],
            bounds=(-14, 8), method="bounded", options={"xatol": 1e-9},
        )  # fmt: skip
        return float(inner.fun) - fit.criterion - CHI2_95

    assert odds.high is not None
    assert odds.low is not None
    high = brentq(rise, np.log(odds.value), np.log(odds.value) + 6, xtol=1e-9)
    assert np.log(odds.high) == pytest.approx(high, abs=1e-5)
    if odds.low > 0.0:
        low = brentq(rise, np.log(odds.value) - 9, np.log(odds.value), xtol=1e-9)
        assert np.log(odds.low) == pytest.approx(low, abs=1e-5)
    else:
        assert rise(-14) <= 1e-4


def test_with_replicates_rel_counts_the_interaction_once_per_rater_and_the_noise_once_per_rating() -> None:
    target, rater, y = sample(2, n_targets=30, n_raters=8, replicates=3)
    (fit,) = fit_reml(target, rater, y, model="crossed_replicated")
    k, r = 4.0, 3.0
    value = profile_odds([fit], replicates=r)[0].reliability(k)[0]
    assert fit.rater is not None
    assert fit.cell is not None
    expected = fit.target / (fit.target + fit.rater / k + fit.cell / k + fit.residual / (k * r))
    assert value == pytest.approx(expected, rel=1e-12)


def test_the_k_form_is_the_single_form_stepped_up() -> None:
    target, rater, y = sample(1, n_targets=25, n_raters=8, replicates=1)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    (odds,) = profile_odds([fit])
    single, five = odds.reliability(1.0), odds.reliability(5.0)
    for one, many in zip(single, five, strict=True):
        assert one is not None
        assert many == pytest.approx(5 * one / (1 + 4 * one), rel=1e-12)
    assert step_up(float("inf"), 3.0) == 1.0


def test_without_a_profile_the_estimate_says_that_it_has_no_interval() -> None:
    target, rater, y = sample(1, n_targets=25, n_raters=8, replicates=1)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    estimate = reliability_estimate(fit, Odds(value=0.3, low=None, high=None, method="none"), k=1.0, level=0.95)
    assert isinstance(estimate, Estimate)
    assert (estimate.low, estimate.high) == (None, None)
    assert "no_interval" in estimate.flags


@pytest.mark.parametrize("seed", range(12))
def test_with_two_raters_each_end_is_that_of_a_search_over_all_minima(seed: int) -> None:
    # at fixed odds the criterion may have two minima in the rater ratio: the lower one counts
    rng = np.random.default_rng(seed)
    target, rater = (a.ravel() for a in np.indices((60, 2)))
    y = 0.6 * rng.normal(size=60)[target] + 0.55 * rng.normal(size=2)[rater] + 0.6 * rng.normal(size=120)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    (odds,) = profile_odds([fit])
    assert odds.low is not None
    assert odds.high is not None
    b = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 1200)])
    for end in (odds.low, odds.high):
        if 0.0 < end < np.inf:
            ratios = np.column_stack([end * (1.0 + b), b, np.zeros_like(b)])
            rise = fit.evaluate(ratios).criterion.min() - fit.criterion
            assert rise == pytest.approx(CHI2_95, abs=5e-3)
