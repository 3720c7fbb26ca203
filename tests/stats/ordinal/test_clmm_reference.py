"""Cumulative link mixed models against R's ordinal::clmm, and what they cost."""

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from dialgauge.stats.ordinal import fit_clmm
from dialgauge.stats.ordinal.links import Link

from .conftest import Ordered

LOG_LIKELIHOOD = 1e-4
COMPONENT = 1e-3
ESTIMATE = 1e-4


def test_wine_with_one_random_factor_equals_the_reference_values(wine: Ordered, shared: Path) -> None:
    """Thresholds, coefficients, variance, log likelihood and standard errors to 1e-4.

    Reference: r.wine_clmm, rating ~ temp + contact + (1 | judge), logit. ``ST1`` there is the error of the log of the
    judges' standard deviation.
    """
    reference = json.loads((shared / "reference/stats/reference.json").read_text())["r"]["wine_clmm"]
    fit = fit_clmm(wine.category, 5, rater=wine.rater, X=wine.X)
    assert [*fit.thresholds, *fit.coefficients] == pytest.approx(list(reference["coef"].values()), abs=ESTIMATE)
    assert fit.rater == pytest.approx(reference["var_judge"], abs=ESTIMATE)
    assert fit.log_likelihood == pytest.approx(reference["logLik"], abs=LOG_LIKELIHOOD)
    assert fit.rater is not None
    assert fit.rater_sd_se is not None
    errors = [*fit.thresholds_se, *fit.coefficients_se, fit.rater_sd_se / math.sqrt(fit.rater)]
    assert errors == pytest.approx(list(reference["se"].values()), abs=ESTIMATE)


def test_wine_with_the_probit_link_equals_clmm(wine: Ordered) -> None:
    """R 4.2.2, ordinal 2022.11-16: clmm(rating ~ temp + contact + (1 | judge), link = "probit")."""
    fit = fit_clmm(wine.category, 5, rater=wine.rater, X=wine.X, link="probit")
    expected = [-0.926479680283, 0.889437740956, 2.467592735987, 3.536662180627, 1.800014411245, 1.048205467120]
    assert [*fit.thresholds, *fit.coefficients] == pytest.approx(expected, abs=ESTIMATE)
    assert fit.rater == pytest.approx(0.439772152814, abs=ESTIMATE)
    assert fit.log_likelihood == pytest.approx(-80.930607153564, abs=LOG_LIKELIHOOD)
    errors = [0.388151355, 0.348476507, 0.446872254, 0.525615926, 0.326939982, 0.285545229]
    assert [*fit.thresholds_se, *fit.coefficients_se] == pytest.approx(errors, abs=ESTIMATE)


def test_crossed_wine_equals_clmm_with_its_standard_errors(wine: Ordered) -> None:
    """R 4.2.2, ordinal 2022.11-16: clmm(rating ~ 1 + (1 | judge) + (1 | bottle)).

    The errors are of the standard deviations. R stops early here (largest gradient 5e-5 of the log likelihood), hence
    2e-4 for estimates.
    """
    fit = fit_clmm(wine.category, 5, target=wine.target, rater=wine.rater)
    expected = [-3.875681992118, -0.866593808009, 1.668836602405, 3.450528828000]
    assert fit.thresholds == pytest.approx(expected, abs=2e-4)
    assert fit.rater == pytest.approx(1.21013369558, abs=COMPONENT)
    assert fit.target == pytest.approx(2.74961070429, abs=COMPONENT)
    assert fit.log_likelihood == pytest.approx(-92.111814958422, abs=LOG_LIKELIHOOD)
    errors = [0.950987643, 0.762792838, 0.791495110, 0.898065145]
    assert fit.thresholds_se == pytest.approx(errors, abs=ESTIMATE)
    assert [fit.rater_sd_se, fit.target_sd_se] == pytest.approx([0.405272455, 0.537572714], abs=ESTIMATE)


def test_a_variance_that_clmm_drives_to_zero_is_exactly_zero_here(wine: Ordered) -> None:
    """R: clmm(rating ~ temp + contact + (1 | judge) + (1 | bottle)) gives bottle 1.6e-11 and the same likelihood."""
    fit = fit_clmm(wine.category, 5, target=wine.target, rater=wine.rater, X=wine.X)
    assert fit.target == 0.0
    assert fit.boundary == ("target",)
    assert fit.rise[0] > 0.0
    assert fit.target_sd_se is None
    assert fit.rater == pytest.approx(1.27948827069, abs=ESTIMATE)
    assert fit.log_likelihood == pytest.approx(-81.565412776967, abs=LOG_LIKELIHOOD)


@dataclass(frozen=True)
class Crossed:
    """What clmm gave for one dimension of the study of [R], 1,053 ratings of 200 dialogues by 117 raters."""

    dimension: str
    link: Link
    log_likelihood: float
    target: float
    rater: float
    thresholds: tuple[float, ...]


# R 4.2.2, ordinal 2022.11-16: clmm(y ~ 1 + (1 | dialogue_id) + (1 | participant_id)) without gold dialogues, with
# clmm.control(gradTol = 1e-9) and nlminb to rel.tol = 1e-14; about 3 s each
CROSSED = [
    Crossed("accuracy", "logit", -1401.5221403772, 2.22019324983, 1.22851355851,
            (-4.397787903549, -2.343254530192, -0.247666216922, 2.325457029065)),
    Crossed("accuracy", "probit", -1401.6925543009, 0.715946212068, 0.377390391336,
            (-2.423478335171, -1.326241580052, -0.140496268282, 1.324082239384)),
    Crossed("cui_rapport", "logit", -1390.2222353385, 1.17623434583, 4.09560308943,
            (-3.443511887078, -1.397590470679, 0.822705305565, 3.488393451903)),
    Crossed("cui_rapport", "probit", -1391.9678031861, 0.416413651259, 1.302416856410,
            (-1.931215226916, -0.795577687379, 0.479809732440, 1.968290709705)),
]  # fmt: skip


@pytest.mark.parametrize("expected", CROSSED, ids=lambda c: f"{c.dimension}-{c.link}")
def test_crossed_ratings_of_dialogues_equal_clmm(redial: Callable[[str], Ordered], expected: Crossed) -> None:
    data = redial(expected.dimension)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater, link=expected.link)
    assert fit.log_likelihood == pytest.approx(expected.log_likelihood, abs=LOG_LIKELIHOOD)
    assert fit.target == pytest.approx(expected.target, abs=COMPONENT)
    assert fit.rater == pytest.approx(expected.rater, abs=COMPONENT)
    assert fit.thresholds == pytest.approx(expected.thresholds, abs=ESTIMATE)
    assert fit.decrement < 1e-9
    assert fit.max_gradient < 1e-3
    assert fit.least_curvature > 0.01


def test_crossed_ratings_with_a_predictor_equal_clmm(redial: Callable[[str], Ordered]) -> None:
    """R 4.2.2, ordinal 2022.11-16: clmm(accuracy ~ (time_spent > 200) + (1 | dialogue_id) + (1 | participant_id))."""
    data = redial("accuracy")
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater, X=data.X)
    assert fit.log_likelihood == pytest.approx(-1396.041609, abs=LOG_LIKELIHOOD)
    assert fit.coefficients == pytest.approx([-0.618604636741], abs=ESTIMATE)
    assert fit.coefficients_se == pytest.approx([0.187578158037], abs=ESTIMATE)
    assert [fit.target, fit.rater] == pytest.approx([2.25061631511, 1.29290057695], abs=COMPONENT)


def test_one_factor_or_none_equals_clmm_and_clm(redial: Callable[[str], Ordered]) -> None:
    """R 4.2.2, ordinal 2022.11-16: clmm(accuracy ~ 1 + (1 | one of them)), clm(accuracy ~ (time_spent > 200))."""
    data = redial("accuracy")
    targets = fit_clmm(data.category, 5, target=data.target)
    assert targets.log_likelihood == pytest.approx(-1453.729631362, abs=LOG_LIKELIHOOD)
    assert targets.target == pytest.approx(1.37700879785, abs=COMPONENT)
    assert targets.rater is None
    raters = fit_clmm(data.category, 5, rater=data.rater)
    assert raters.log_likelihood == pytest.approx(-1490.0810330238, abs=LOG_LIKELIHOOD)
    assert raters.rater == pytest.approx(0.576543303464, abs=COMPONENT)
    fixed = fit_clmm(data.category, 5, X=data.X)
    assert fixed.log_likelihood == pytest.approx(-1513.5972811445, abs=LOG_LIKELIHOOD)
    assert fixed.coefficients == pytest.approx([-0.354064205855], abs=ESTIMATE)
    assert fixed.facets == ()


def test_a_crossed_fit_of_1053_ratings_takes_less_than_two_seconds(redial: Callable[[str], Ordered]) -> None:
    data = redial("accuracy")
    start = time.process_time()
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater)
    assert time.process_time() - start < 2.0
    assert fit.n == 1053
    assert np.isfinite(fit.covariance).all()
