"""The other intervals of a reliability, and the test of a variance at zero."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2

from dialgauge.seeding import child_rng
from dialgauge.stats.reml import fit_reml
from dialgauge.stats.reml.bootstrap import bootstrap_odds, draw, refit
from dialgauge.stats.reml.fit import RATER, TARGET
from dialgauge.stats.reml.profile import profile_odds
from dialgauge.stats.reml.wald import ratio_covariance, wald_odds
from dialgauge.stats.reml.zero import zero_variance_tests

from .conftest import Data
from .test_independent_route import dense, sample


def test_wald_covariance_equals_the_inverse_of_half_the_curvature_of_the_criterion() -> None:
    target, rater, y = sample(1, n_targets=60, n_raters=12, replicates=1)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    step = 1e-4

    def gradient(ratios: np.ndarray) -> np.ndarray:
        return dense(target, rater, y, ratios)[1][:2]

    curvature = np.array(
        [(gradient(fit.ratios + step * e) - gradient(fit.ratios - step * e)) / (2 * step) for e in np.eye(3)[:2]]
    )
    # the average information is not the observed one: they agree to sampling error
    assert np.sqrt(np.diag(ratio_covariance(fit))[:2]) == pytest.approx(
        np.sqrt(np.diag(np.linalg.inv(curvature / 2))), rel=0.15
    )


def test_wald_and_profile_agree_on_a_large_design() -> None:
    target, rater, y = sample(3, n_targets=400, n_raters=60, replicates=1, share=0.15)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    wald, profile = wald_odds([fit])[0].reliability(1.0), profile_odds([fit])[0].reliability(1.0)
    assert wald == pytest.approx(profile, abs=0.01)


def test_wald_has_no_interval_where_the_target_variance_is_zero(one_way: Callable[..., Data]) -> None:
    (fit,) = fit_reml(*one_way("Dyestuff2", "Batch", "Yield"), model="one_way")
    (odds,) = wald_odds([fit])
    assert (odds.value, odds.low, odds.high) == (0.0, None, None)


def test_drawn_ratings_have_the_covariance_of_the_model() -> None:
    target, rater, y = sample(2, n_targets=6, n_raters=4, replicates=3)
    (fit,) = fit_reml(target, rater, y, model="crossed_replicated")
    drawn = draw(fit, n=40_000, rng=child_rng(1, "draw"))
    same_target, same_rater = np.equal.outer(target, target), np.equal.outer(rater, rater)
    expected = fit.target * same_target + (fit.rater or 0) * same_rater + (fit.cell or 0) * (same_target & same_rater)
    expected = expected + fit.residual * np.eye(len(y))
    assert np.cov(drawn) == pytest.approx(expected, abs=0.05 * expected.max())
    assert drawn.mean(axis=1) == pytest.approx(np.full(len(y), fit.mean), abs=0.05)


def test_bootstrap_interval_lies_near_the_profile_and_is_the_same_under_the_same_seed() -> None:
    target, rater, y = sample(3, n_targets=100, n_raters=20, replicates=1, share=0.3)
    (fit,) = fit_reml(target, rater, y, model="crossed")
    one, two = (bootstrap_odds([fit], rng=child_rng(7, "b"), n=600)[0] for _ in range(2))
    assert one == two
    assert "600 refits" in one.method
    profile = profile_odds([fit])[0].reliability(1.0)
    assert one.reliability(1.0) == pytest.approx(profile, abs=0.06)


def test_refits_at_zero_are_counted_and_kept(one_way: Callable[..., Data]) -> None:
    # cases.md, lme4 #158: boundary zeros stay in the quantiles
    (fit,) = fit_reml(*one_way("Dyestuff2", "Batch", "Yield"), model="one_way")
    refits = refit(fit, n=300, rng=child_rng(1, "zero"))
    assert len(refits.ratios) + refits.failed == 300
    assert refits.at_zero == int((refits.ratios[:, TARGET] == 0).sum())
    assert refits.at_zero > 100
    (odds,) = bootstrap_odds([fit], rng=child_rng(1, "zero"), n=300)
    assert odds.low == 0.0
    assert odds.high is not None
    assert odds.high > 0.0


def test_rise_and_mixture_of_the_zero_test(one_way: Callable[..., Data]) -> None:
    data = one_way("Dyestuff", "Batch", "Yield")
    (fit,) = fit_reml(*data, model="one_way")
    (test,) = zero_variance_tests([fit], TARGET)
    without = fit.evaluate(np.zeros((1, 3))).criterion[0]
    assert test.statistic == pytest.approx(without - fit.criterion, rel=1e-12)
    # half the upper tail of chi-square with one degree of freedom (Self and Liang 1987, case 5)
    assert test.p == pytest.approx(0.5 * chi2.sf(test.statistic, 1), rel=1e-10)


def test_a_variance_that_is_estimated_as_zero_has_p_one(one_way: Callable[..., Data]) -> None:
    (fit,) = fit_reml(*one_way("Dyestuff2", "Batch", "Yield"), model="one_way")
    (test,) = zero_variance_tests([fit], TARGET)
    assert (test.statistic, test.p) == (0.0, 1.0)


def test_rounding_does_not_halve_the_p_of_a_crossed_variance_that_is_estimated_as_zero() -> None:
    target, rater = np.nonzero(child_rng(6, "zeros").random((25, 9)) < 0.5)
    y = child_rng(4, "zeros").normal(size=(9, 100))[rater] + child_rng(5, "zeros").normal(size=(len(target), 100))
    fits = fit_reml(target, rater, y, model="crossed")
    at_zero = [test for fit, test in zip(fits, zero_variance_tests(fits, TARGET), strict=True) if fit.target == 0.0]
    assert len(at_zero) > 20
    assert {(test.statistic, test.p) for test in at_zero} == {(0.0, 1.0)}


def test_the_zero_test_keeps_its_size_under_the_null() -> None:
    rng = child_rng(3, "null")
    target, rater = (a.ravel() for a in np.indices((40, 8)))
    y = rng.normal(size=(40, 400))[target] + rng.normal(size=(320, 400))
    fits = fit_reml(target, rater, y, model="crossed")
    p = [test.p for test in zero_variance_tests(fits, RATER)]
    assert None not in p
    share = np.mean([value is not None and value < 0.05 for value in p])
    assert share == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 400))
