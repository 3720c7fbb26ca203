"""Conditional residuals and leverages."""

from collections.abc import Callable

import numpy as np
import pytest

from dialgauge.stats.raters.inverse import invert
from dialgauge.stats.raters.residuals import conditional_residuals
from dialgauge.stats.reml import fit_reml

from .conftest import Dense, Sample
from .test_prediction import RATER, TARGET, VALUES

# lme4 1.1-31, hatvalues() of the fit of test_prediction.py
LME4_HAT = (
    0.5171073701, 0.4936791439, 0.5187464302, 0.6226047882, 0.6225267372, 0.5020713428, 0.5010287022, 0.4992673691,
    0.6178529144, 0.6174993371, 0.5132706043, 0.5163696479, 0.4962354972, 0.6017522738, 0.6018394041, 0.6049388895,
    0.6046579932, 0.4962354972, 0.5003771816, 0.5030134620,
)  # fmt: skip


def test_leverages_are_those_of_lme4() -> None:
    (fit,) = fit_reml(TARGET, RATER, VALUES, model="crossed")
    found = conditional_residuals(invert(fit), VALUES)
    assert 1.0 - found.free == pytest.approx(LME4_HAT, abs=2e-7)


def test_residuals_and_leverages_equal_those_of_dense_matrices(
    sample: Sample, dense: Callable[[Sample], Dense]
) -> None:
    found, expected = conditional_residuals(invert(sample.fit), sample.values), dense(sample)
    assert found.value == pytest.approx(expected.residual, abs=1e-9)
    assert found.free == pytest.approx(expected.free, abs=1e-9)
    assert found.rater_free == pytest.approx(expected.rater_free, abs=1e-7)


def test_squared_residuals_over_what_is_free_give_the_residual_variance_back(sample: Sample) -> None:
    """At the REML solution the sum of squares equals its expectation: one of the REML equations."""
    found = conditional_residuals(invert(sample.fit), sample.values)
    assert np.sum(found.value**2) == pytest.approx(found.free.sum(), rel=1e-5)


def test_residuals_follow_the_order_of_the_ratings(sample: Sample) -> None:
    order = np.random.default_rng(2).permutation(len(sample.values))
    (shuffled,) = fit_reml(sample.target[order], sample.rater[order], sample.values[order], model=sample.fit.model)
    found = conditional_residuals(invert(sample.fit), sample.values)
    again = conditional_residuals(invert(shuffled), sample.values[order])
    assert again.value == pytest.approx(found.value[order], abs=1e-5)
    assert again.free == pytest.approx(found.free[order], abs=1e-5)
