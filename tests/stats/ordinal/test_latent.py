"""Latent reliabilities, their intervals, and the test of a variance at zero."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import chi2, norm

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.ordinal import ClmmFit, fit_clmm, latent_odds, latent_reliability, likelihood_ratio_test
from dialgauge.stats.ordinal.laplace import Laplace
from dialgauge.stats.ordinal.latent import Interval
from dialgauge.stats.ordinal.links import Link
from dialgauge.stats.reml.odds import Form

from .conftest import Ordered, Simulate


@pytest.fixture(scope="module")
def accuracy(redial: Callable[[str], Ordered]) -> ClmmFit:
    data = redial("accuracy")
    return fit_clmm(data.category, 5, target=data.target, rater=data.rater)


@pytest.mark.parametrize(("link", "residual"), [("logit", math.pi**2 / 3.0), ("probit", 1.0)])
@pytest.mark.parametrize("k", [1.0, 5.2])
def test_reliability_is_the_share_of_targets_in_the_latent_variance(
    simulate: Simulate, link: Link, residual: float, k: float
) -> None:
    data = simulate(5, n_targets=30, n_raters=10, k=5)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater, link=link)
    assert fit.target is not None
    assert fit.rater is not None
    forms: list[tuple[Form, float]] = [("absolute", fit.rater + residual), ("relative", residual)]
    for form, error in forms:
        found = latent_reliability(fit, latent_odds(fit, form=form, interval="wald"), k=k)
        assert found.value == pytest.approx(fit.target / (fit.target + error / k), rel=1e-12)
        assert form in found.method


@pytest.mark.parametrize("form", ["absolute", "relative"])
def test_profile_ends_are_where_the_least_criterion_has_risen_by_the_quantile(simulate: Simulate, form: Form) -> None:
    """The criterion is minimised by a general optimiser with the odds held at each end."""
    data = simulate(5, n_targets=30, n_raters=10, k=5)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater)
    odds = latent_odds(fit, form=form, level=0.9)
    laplace = Laplace(fit.data)
    for end in (odds.low, odds.high):

        def criterion(x: NDArray[np.float64], end: float = end) -> float:
            rater = math.exp(x[4])
            target = end * (fit.residual + rater * (form == "absolute"))
            thresholds = np.cumsum([x[0], *np.exp(x[1:4])])
            return laplace.evaluate(thresholds, np.zeros(0), np.array([target, rater])).criterion

        least = minimize(criterion, [*fit.minimum.free, math.log(fit.rater or 1.0)], method="BFGS").fun
        assert least + 2.0 * fit.log_likelihood == pytest.approx(chi2.ppf(0.9, 1), abs=1e-3)


def test_wald_interval_is_symmetric_in_the_logit_and_follows_the_delta_method(accuracy: ClmmFit) -> None:
    odds = latent_odds(accuracy, interval="wald")
    single, mean = (latent_reliability(accuracy, odds, k=k) for k in (1.0, 5.0))
    for found in (single, mean):
        assert found.low is not None
        assert found.high is not None
        low, value, high = (math.log(x / (1.0 - x)) for x in (found.low, found.value, found.high))
        assert high - value == pytest.approx(value - low, rel=1e-9)
    sds = np.sqrt([accuracy.target or 0.0, accuracy.rater or 0.0])

    def log_odds(sd: NDArray[np.float64]) -> float:
        return math.log(sd[0] ** 2 / (sd[1] ** 2 + accuracy.residual))

    slope = np.array([(log_odds(sds + h) - log_odds(sds - h)) / 2e-6 for h in 1e-6 * np.eye(2)])
    error = math.sqrt(slope @ accuracy.covariance[-2:, -2:] @ slope)
    assert math.log(odds.high / odds.value) == pytest.approx(norm.ppf(0.975) * error, rel=1e-6)


def test_profile_and_wald_intervals_nearly_agree_on_the_dialogues(accuracy: ClmmFit) -> None:
    """Values of this implementation (logit, accuracy of 200 dialogues): .330 [.264, .400] by profile, [.265, .401]."""
    profile, wald = (latent_reliability(accuracy, latent_odds(accuracy, interval=i)) for i in ("profile", "wald"))
    assert [profile.value, profile.low, profile.high] == pytest.approx([0.3295, 0.2638, 0.4002], abs=5e-4)
    assert [wald.low, wald.high] == pytest.approx([profile.low, profile.high], abs=0.005)
    assert wald.flags == ("approximate",)
    assert profile.flags == ()
    assert profile.covers == "targets and raters"
    assert profile.n == 1053


def test_few_raters_and_zeros_are_flagged(simulate: Simulate) -> None:
    data = simulate(17, n_targets=30, n_raters=4, k=4, target_sd=0.0)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater)
    found = latent_reliability(fit, latent_odds(fit))
    assert found.value == 0.0
    assert found.low == 0.0
    assert found.high is not None
    assert 0.0 < found.high < 0.3
    assert found.flags == ("few_raters", "boundary")
    with pytest.raises(CannotEstimateError, match="use the profile interval"):
        latent_odds(fit, interval="wald")


def test_a_wald_interval_next_to_zero_is_wide_and_finite(simulate: Simulate) -> None:
    data = simulate(12, n_targets=30, n_raters=4, k=4, target_sd=0.0)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater)
    assert fit.target is not None
    assert 0.0 < fit.target < 0.01
    found = latent_reliability(fit, latent_odds(fit, interval="wald"), k=1000.0)
    assert (found.low, found.high) == pytest.approx((0.0, 1.0), abs=1e-3)


@pytest.mark.parametrize("interval", ["profile", "wald"])
def test_without_raters_both_forms_are_the_one_way_reliability(simulate: Simulate, interval: Interval) -> None:
    data = simulate(5, n_targets=30, n_raters=10, k=5, target_sd=2.5)
    fit = fit_clmm(data.category, 5, target=data.target)
    forms: list[Form] = ["absolute", "relative"]
    absolute, relative = (latent_odds(fit, form=form, interval=interval) for form in forms)
    assert replace(absolute, form="relative") == relative
    assert 0.0 < absolute.low < absolute.value < absolute.high


def test_no_targets_no_reliability(simulate: Simulate) -> None:
    data = simulate(5, n_targets=30, n_raters=10, k=5)
    fit = fit_clmm(data.category, 5, rater=data.rater)
    with pytest.raises(CannotEstimateError, match="no variance of targets"):
        latent_odds(fit)


def test_likelihood_ratio_halves_the_p_of_one_degree_of_freedom(accuracy: ClmmFit) -> None:
    """R: the likelihoods of clmm with both factors and with one (see test_clmm_reference) give 104.41 for raters."""
    found = likelihood_ratio_test(accuracy, "rater")
    assert found.statistic == pytest.approx(2.0 * (1453.729631362 - 1401.5221403772), abs=4e-4)
    assert found.p == pytest.approx(0.5 * chi2.sf(found.statistic, 1), rel=1e-12)


def test_a_variance_at_zero_has_statistic_zero_and_p_one(simulate: Simulate) -> None:
    data = simulate(12, n_targets=30, n_raters=9, k=4, target_sd=0.0)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater)
    found = likelihood_ratio_test(fit, "target")
    assert (found.statistic, found.p) == (0.0, 1.0)
    assert found.log_likelihood_without == pytest.approx(found.log_likelihood, abs=1e-6)


def test_a_facet_the_model_lacks_cannot_be_tested(simulate: Simulate) -> None:
    data = simulate(5, n_targets=30, n_raters=10, k=5)
    with pytest.raises(CannotEstimateError, match="no variance of raters"):
        likelihood_ratio_test(fit_clmm(data.category, 5, target=data.target), "rater")
