"""Differences between kinds: means, worth, and the plain correlation."""

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.kinds import fit_kinds
from dialgauge.stats.kinds.contrast import contrast_means, exchange_raters
from dialgauge.stats.kinds.observed import ceiling_of_observed, observed_correlation
from dialgauge.stats.kinds.profile import profile_odds

from .conftest import draw, people_and_models


def test_degrees_of_freedom_of_a_balanced_one_way_mean_are_those_of_the_targets() -> None:
    # the mean's variance is MS_targets / n, a multiple of chi-square with 19 degrees of freedom
    rng = np.random.default_rng(0)
    target = np.repeat(np.arange(20), 4)
    y = rng.normal(size=20)[target] + 0.7 * rng.normal(size=80)
    fit = fit_kinds(target, np.arange(80), np.zeros(80, dtype=np.intp), y)
    found = contrast_means(fit, np.array([1.0]))
    means = y.reshape(20, 4).mean(axis=1)
    assert found.df == pytest.approx(19.0, rel=1e-4)
    assert found.value == pytest.approx(y.mean(), rel=1e-9)
    assert found.se == pytest.approx(means.std(ddof=1) / np.sqrt(20), rel=1e-6)


def test_the_difference_of_two_single_raters_is_the_paired_t_interval() -> None:
    rng = np.random.default_rng(1)
    y = rng.multivariate_normal([3.0, 3.6], [[0.5, 0.3], [0.3, 0.4]], size=25)
    fit = fit_kinds(np.repeat(np.arange(25), 2), np.tile([0, 1], 25), np.array([0, 1]), y.ravel())
    found = contrast_means(fit, np.array([-1.0, 1.0]))
    d = y[:, 1] - y[:, 0]
    assert found.value == pytest.approx(d.mean(), rel=1e-7)
    assert found.se == pytest.approx(d.std(ddof=1) / 5.0, rel=1e-5)
    assert found.df == pytest.approx(24.0, rel=1e-2)


def test_severity_of_few_raters_leaves_few_degrees_of_freedom() -> None:
    data = draw(
        2,
        n_targets=60,
        sigma=[[0.3, 0.2], [0.2, 0.3]],
        raters=(3, 3),
        per_target=(2, 2),
        replicates=(1, 1),
        severity=2.0,
    )
    found = contrast_means(fit_kinds(*data.all), np.array([-1.0, 1.0]))
    assert 1.0 <= found.df < 6.0


def test_raters_equal_to_one_are_the_ratio_of_the_odds_and_turn_around_with_the_kinds() -> None:
    fit = fit_kinds(*people_and_models(2).all)
    odds = [profile_odds(fit, g).value for g in (0, 1)]
    one, other = exchange_raters(fit, 0, 1), exchange_raters(fit, 1, 0)
    assert one.equal == pytest.approx(odds[0] / odds[1], rel=1e-9)
    assert one.equal * other.equal == pytest.approx(1.0)
    assert other.low is not None
    assert other.high is not None
    assert (one.low, one.high) == pytest.approx((1.0 / other.high, 1.0 / other.low))


def test_the_mean_of_stand_ins_correlates_with_the_view_as_highly_as_one_rater() -> None:
    fit = fit_kinds(*people_and_models(1, rho=0.9).all)
    found = exchange_raters(fit, 0, 1)
    assert found.correlation is not None
    assert found.stand_in is not None
    odds = [profile_odds(fit, g).value for g in (0, 1)]
    mean_of_stand_ins = found.stand_in * odds[1] / (1.0 + found.stand_in * odds[1])
    assert found.correlation**2 * mean_of_stand_ins == pytest.approx(odds[0] / (1.0 + odds[0]))


def test_raters_who_see_something_else_never_stand_in_however_reliable_they_are() -> None:
    fit = fit_kinds(*people_and_models(0, rho=0.3).all)
    found = exchange_raters(fit, 0, 1)
    assert found.equal < 1.0
    assert found.stand_in is None


def test_the_observed_correlation_is_pearsons_of_the_target_means() -> None:
    data = people_and_models(3, n_targets=30)
    found = observed_correlation(data.target, data.kind, data.values, (0, 1))
    means = [[data.values[(data.target == t) & (data.kind == g)].mean() for t in range(30)] for g in (0, 1)]
    expected = np.corrcoef(means)[0, 1]
    assert found.value == pytest.approx(expected, rel=1e-12)
    reach = 1.959963984540054 / np.sqrt(27)
    assert (found.low, found.high) == pytest.approx(np.tanh(np.arctanh(expected) + np.array([-reach, reach])))


def test_the_observed_correlation_of_too_few_targets_is_refused() -> None:
    with pytest.raises(CannotEstimateError, match="2 targets"):
        observed_correlation(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 3.0, 5.0]), (0, 1))


def test_noise_brings_a_perfect_correlation_down_to_the_ceiling() -> None:
    # severe models that rate every target shift all targets alike: that does not lower a correlation
    found, observed = [], []
    for seed in range(8):
        data = draw(
            seed,
            n_targets=300,
            sigma=[[0.4, 0.4], [0.4, 0.4]],
            raters=(8, 2),
            per_target=(3, 2),
            replicates=(1, 2),
            severity=1.0,
        )
        found.append(ceiling_of_observed(fit_kinds(*data.all), 0, 1))
        observed.append(observed_correlation(data.target, data.kind, data.values, (0, 1)).value)
    assert np.mean([one for one in found if one is not None]) == pytest.approx(np.mean(observed), abs=0.03)


def test_without_knowing_a_kinds_noise_there_is_no_ceiling() -> None:
    data = draw(0, n_targets=40, sigma=[[0.4, 0.3], [0.3, 0.5]], raters=(6, 1), per_target=(3, 1), replicates=(1, 1))
    assert ceiling_of_observed(fit_kinds(*data.all), 0, 1) is None
