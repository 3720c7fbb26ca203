"""Answers on the edge of what is possible: perfect correlations, variances of zero."""

import numpy as np
import pytest
from scipy.special import chdtrc

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.kinds import KindsFit, fit_kinds
from dialgauge.stats.kinds.chart import Chart
from dialgauge.stats.kinds.contrast import perfect_correlation_test
from dialgauge.stats.kinds.profile import profile_correlation, profile_odds, rise_at_correlation

from .conftest import Data, draw, people_and_models


@pytest.fixture(scope="module")
def perfect() -> KindsFit:
    return fit_kinds(*people_and_models(4, rho=1.0).all)


def test_a_correlation_of_one_is_exactly_one_and_keeps_a_lower_limit(perfect: KindsFit) -> None:
    found = profile_correlation(perfect, 0, 1)
    assert perfect.correlation(0, 1) == 1.0
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert 0.5 < found.low < 1.0


def test_at_the_edge_no_step_into_the_possible_goes_down(perfect: KindsFit) -> None:
    chart, at = Chart.free(perfect.slots), perfect.minimum.variances
    rng = np.random.default_rng(0)
    for _ in range(200):
        x = chart.coordinates(at) + rng.normal(scale=10.0 ** rng.uniform(-4, -1), size=chart.bounded.size)
        assert perfect.evaluate(chart.variances(x)).criterion >= perfect.criterion - 1e-9


def test_turned_around_it_is_minus_one(perfect: KindsFit) -> None:
    data = people_and_models(4, rho=1.0)
    fit = fit_kinds(data.target, data.rater, data.kind_of, np.where(data.kind == 1, -data.values, data.values))
    assert fit.correlation(0, 1) == -1.0
    found = profile_correlation(fit, 0, 1)
    assert (found.value, found.low) == (-1.0, -1.0)
    assert found.high is not None
    assert found.high < -0.5


def test_an_estimate_at_one_does_not_speak_against_one(perfect: KindsFit) -> None:
    found = perfect_correlation_test(perfect, 0, 1)
    assert (found.statistic, found.p) == (0.0, 1.0)


def test_the_test_of_a_perfect_correlation_halves_the_p_of_the_likelihood_ratio_with_two_kinds() -> None:
    fit = fit_kinds(*people_and_models(0, rho=0.9).all)
    found = perfect_correlation_test(fit, 0, 1)
    assert found.df == 1
    assert found.statistic == pytest.approx(rise_at_correlation(fit, 0, 1, 1.0))
    assert found.p == pytest.approx(0.5 * chdtrc(1.0, found.statistic))


def test_with_three_kinds_the_test_mixes_one_and_two_degrees_of_freedom() -> None:
    sigma = [[0.5, 0.4, 0.3], [0.4, 0.5, 0.3], [0.3, 0.3, 0.5]]
    data = draw(1, n_targets=60, sigma=sigma, raters=(6, 4, 3), per_target=(3, 2, 2), replicates=(1, 1, 1))
    found = perfect_correlation_test(fit_kinds(*data.all), 0, 1)
    assert found.df == 2
    assert found.p == pytest.approx(0.5 * (chdtrc(1.0, found.statistic) + chdtrc(2.0, found.statistic)))


def test_low_correlations_are_told_from_one() -> None:
    assert perfect_correlation_test(fit_kinds(*people_and_models(0, rho=0.3).all), 0, 1).p < 1e-4


@pytest.fixture(scope="module")
def flat() -> KindsFit:
    """Fit people whose ratings do not depend on the targets: every target gets the same five from them."""
    target, rater = (x.ravel() for x in np.indices((5, 5)))
    model = np.repeat(np.arange(5), 3)
    y = np.concatenate([(target + rater) % 5 + 1.0, model + np.tile([0.1, -0.2, 0.3], 5)])
    data = Data(np.concatenate([target, model]), np.concatenate([rater, np.full(15, 5)]), np.array([0] * 5 + [1]), y)
    return fit_kinds(*data.all)


def test_a_target_variance_of_zero_is_exactly_zero_and_correlates_with_nothing(flat: KindsFit) -> None:
    assert flat.sigma[0, 0] == 0.0
    assert flat.correlation(0, 1) is None
    with pytest.raises(CannotEstimateError, match="estimated as zero"):
        profile_correlation(flat, 0, 1)


def test_a_reliability_of_zero_keeps_an_upper_limit(flat: KindsFit) -> None:
    found = profile_odds(flat, 0)
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high is not None
    assert 0.0 < found.high < np.inf


def test_where_no_variance_of_targets_is_as_good_every_correlation_is_possible() -> None:
    rng = np.random.default_rng(2)
    target, rater = (x.ravel() for x in np.indices((8, 6)))
    fit = fit_kinds(target, rater, np.repeat([0, 1], 3), rng.normal(size=48) + 0.25 * rng.normal(size=8)[target])
    if fit.correlation(0, 1) is None:
        pytest.fail("this sample was chosen for a positive variance of targets")
    found = profile_correlation(fit, 0, 1)
    assert (found.low, found.high) == (-1.0, 1.0)
