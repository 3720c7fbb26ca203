"""Variance components of ratings that were cut to points."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import InputError
from dialgauge.stats.components import Components, Score
from dialgauge.stats.plan.ordinal import cut_components, place_cuts

from .conftest import REPLICATED, TYPICAL


def test_the_cuts_of_five_points_divide_two_standard_deviations_to_either_side() -> None:
    assert place_cuts(5) == pytest.approx([-1.2, -0.4, 0.4, 1.2])


@given(target=st.floats(0.01, 0.49), rater=st.floats(0.0, 0.49))
def test_two_points_give_the_arcsine_of_sheppard(target: float, rater: float) -> None:
    # Sheppard (1899): two signs of normal variables with correlation rho have the covariance asin(rho) / (2 pi)
    cut = cut_components(Components(target=target, rater=rater, residual=1 - target - rater), 2)
    assert cut.target == pytest.approx(math.asin(target) / (2 * math.pi), rel=1e-9)
    assert cut.rater == pytest.approx(math.asin(rater) / (2 * math.pi), rel=1e-9, abs=1e-12)
    assert cut.total == pytest.approx(0.25)


def test_five_points_give_the_covariances_of_a_large_sample() -> None:
    rng, n = np.random.default_rng(1), 400_000
    sd = [
        math.sqrt(v or 0.0)
        for v in (REPLICATED.target, REPLICATED.rater, REPLICATED.target_x_rater, REPLICATED.residual)
    ]
    t, r, other, c, cc = (rng.standard_normal(n) for _ in range(5))

    def cut(rater: np.ndarray, cell: np.ndarray) -> np.ndarray:
        latent = sd[0] * t + sd[1] * rater + sd[2] * cell + sd[3] * rng.standard_normal(n)
        return np.searchsorted(place_cuts(5), latent)

    one, again, another = cut(r, c), cut(r, c), cut(other, cc)
    found = cut_components(REPLICATED, 5)
    assert np.cov(one, another)[0, 1] == pytest.approx(found.target, abs=0.01)
    assert np.cov(one, again)[0, 1] == pytest.approx(found.total - found.residual, abs=0.01)
    assert one.var() == pytest.approx(found.total, abs=0.01)


def test_the_fewer_points_the_less_reliable() -> None:
    found = [cut_components(TYPICAL, points).reliability(Score()) for points in (2, 3, 5, 7, 101)]
    assert found == sorted(found)
    assert found[-1] < TYPICAL.reliability(Score())


def test_a_rating_without_noise_keeps_none() -> None:
    exact = cut_components(Components(target=1.0, rater=0.0, target_x_rater=0.0, residual=0.0), 5)
    assert exact.residual == 0.0
    assert exact.target == pytest.approx(exact.total)


def test_one_point_is_no_scale() -> None:
    with pytest.raises(InputError, match="points"):
        place_cuts(1)
