"""A truth that is known comes back; the long runs behind the figures of docs/kinds.md are not repeated here."""

import numpy as np
import pytest

from dialgauge.stats.kinds import fit_kinds
from dialgauge.stats.kinds.observed import observed_correlation
from dialgauge.stats.kinds.profile import profile_correlation

from .conftest import people_and_models

RUNS = 16


def test_the_correlation_comes_back_on_average_where_that_of_observed_means_is_too_low() -> None:
    found, observed = [], []
    for seed in range(RUNS):
        data = people_and_models(1000 + seed, rho=0.6)
        found.append(fit_kinds(*data.all).correlation(0, 1) or 0.0)
        observed.append(observed_correlation(data.target, data.kind, data.values, (0, 1)).value)
    # one estimate has a standard deviation of about .10, so the mean of 16 has one of .025
    assert np.mean(found) == pytest.approx(0.6, abs=0.08)
    assert np.mean(observed) < 0.5


def test_the_interval_of_the_correlation_holds_the_truth_about_as_often_as_it_says() -> None:
    inside = 0
    for seed in range(RUNS):
        found = profile_correlation(fit_kinds(*people_and_models(2000 + seed, rho=0.6).all), 0, 1)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= 0.6 <= found.high
    assert inside >= 13  # at 95 % fewer than 13 of 16 come up 7 times in 1000


def test_a_large_study_gives_all_variances_back() -> None:
    fit = fit_kinds(*people_and_models(5, rho=0.6, n_targets=1500).all)
    assert fit.sigma == pytest.approx(np.array([[0.4, 0.268], [0.268, 0.5]]), abs=0.06)
    assert fit.residual == pytest.approx([0.5, 0.25], abs=0.03)
    assert fit.cell[1] == pytest.approx(0.0, abs=0.03)
    assert fit.correlation(0, 1) == pytest.approx(0.6, abs=0.05)
