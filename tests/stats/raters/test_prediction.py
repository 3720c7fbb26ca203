"""Severity: against lme4, against dense mixed model equations, and where it cannot be told."""

from collections.abc import Callable

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.raters.inverse import invert
from dialgauge.stats.raters.prediction import predict_raters
from dialgauge.stats.reml import fit_reml

from .conftest import Dense, Sample

TARGET = np.array([1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 8]) - 1
RATER = np.array([1, 2, 3, 1, 4, 2, 3, 5, 1, 5, 2, 4, 5, 3, 4, 1, 2, 3, 4, 5]) - 1
VALUES = np.array([3, 4, 2, 5, 4, 2, 1, 3, 4, 5, 1, 2, 2, 3, 4, 5, 5, 2, 3, 4], dtype=np.float64)

# lme4 1.1-31, lmer(y ~ 1 + (1|target) + (1|rater)), bobyqa with rhoend 1e-12: ranef(condVar = TRUE)$rater
LME4_EFFECT = (0.1329567455283, 0.0775926614712, -0.9815947744030, 0.0361921446459, 0.7348532227576)
LME4_SE = (0.333679405079, 0.327508165685, 0.327673665967, 0.330566166692, 0.326938157776)


def test_effects_and_standard_errors_with_the_mean_known_are_those_of_lme4() -> None:
    (fit,) = fit_reml(TARGET, RATER, VALUES, model="crossed")
    found = predict_raters(invert(fit))
    assert found.effect == pytest.approx(LME4_EFFECT, abs=2e-7)
    assert found.se_known_mean == pytest.approx(LME4_SE, abs=2e-7)


def test_a_mean_that_must_be_estimated_adds_to_the_error_as_lme4_says_it_does_not() -> None:
    """lme4 leaves the uncertainty of the mean out of condVar; here it is in ``se`` and out of ``se_known_mean``."""
    (fit,) = fit_reml(TARGET, RATER, VALUES, model="crossed")
    found = predict_raters(invert(fit))
    assert (found.se > found.se_known_mean).all()
    assert (found.se_among < found.se_known_mean).all()


def test_standard_errors_equal_those_of_dense_matrices(sample: Sample, dense: Callable[[Sample], Dense]) -> None:
    if not sample.fit.rater:
        with pytest.raises(CannotEstimateError, match="estimated as zero"):
            predict_raters(invert(sample.fit))
        return
    found, expected = predict_raters(invert(sample.fit)), dense(sample)
    for name in ("se", "se_known_mean", "se_among"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9), name


def test_effects_sum_to_zero_so_that_they_are_distances_from_the_mean_of_the_raters(sample: Sample) -> None:
    if sample.fit.rater:
        assert predict_raters(invert(sample.fit)).effect.sum() == pytest.approx(0.0, abs=1e-9)


def test_severity_is_refused_where_each_rater_saw_one_target() -> None:
    target = np.repeat(np.arange(6), 3)
    values = np.random.default_rng(3).normal(size=18) + target
    (fit,) = fit_reml(target, np.arange(18), values, model="one_way")
    with pytest.raises(CannotEstimateError, match="each rater rated one target only"):
        predict_raters(invert(fit))


def test_severity_is_refused_where_only_the_one_way_model_was_fitted() -> None:
    (fit,) = fit_reml(TARGET, RATER, VALUES, model="one_way")
    with pytest.raises(CannotEstimateError, match="crossed model cannot be estimated"):
        predict_raters(invert(fit))


def test_the_intervals_cover_the_true_distances() -> None:
    """40 studies of 40 targets x 30 raters, six raters a target: 95 % intervals cover 90 to 98 % of the raters."""
    rng = np.random.default_rng(8)
    inside = []
    for _ in range(40):
        rater = np.concatenate([np.arange(30), *(rng.choice(30, 6, replace=False) for _ in range(35))])
        target = np.repeat(np.arange(40), 6)
        severity = 0.4 * rng.normal(size=30)
        values = 0.6 * rng.normal(size=40)[target] + severity[rater] + 0.7 * rng.normal(size=240)
        (fit,) = fit_reml(target, rater, values, model="crossed")
        if fit.rater:
            found = predict_raters(invert(fit))
            inside += list(np.abs(severity - severity.mean() - found.effect) < 1.96 * found.se_among)
    assert 0.90 < np.mean(inside) < 0.98
