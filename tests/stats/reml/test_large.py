"""The iterative path of large panels against the exact one."""

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.reml import Panel, fit_reml
from dialgauge.stats.reml.criterion import evaluate
from dialgauge.stats.reml.panel import Responses
from dialgauge.stats.reml.wald import wald_odds

from .test_independent_route import Codes, Floats


def draw(n_targets: int, n_raters: int, per_target: int, seed: int) -> tuple[Codes, Codes, Floats]:
    rng = np.random.default_rng(seed)
    target = np.repeat(np.arange(n_targets), per_target)
    rater = np.concatenate([rng.choice(n_raters, per_target, replace=False) for _ in range(n_targets)])
    y = 0.6 * rng.normal(size=n_targets)[target] + 0.4 * rng.normal(size=n_raters)[rater]
    return target, np.unique(rater, return_inverse=True)[1], y + 0.9 * rng.normal(size=len(target))


@pytest.fixture
def iterative(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr("dialgauge.stats.reml.panel.LARGE", 10)
    return monkeypatch


def test_criterion_and_gradient_lie_within_the_noise_of_the_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    target, rater, y = draw(600, 150, 6, seed=1)
    panel = Panel.build(target, rater)
    responses = Responses.of(panel, y[:, None])
    ratios = np.array([[0.45, 0.2, 0.0]])
    exact = evaluate(panel, responses, ratios)
    monkeypatch.setattr("dialgauge.stats.reml.panel.LARGE", 10)
    found = evaluate(panel, responses, ratios)
    assert found.noise[0] < 1.0
    assert found.criterion[0] == pytest.approx(exact.criterion[0], abs=4 * found.noise[0])
    # what rests on solutions alone is exact: mean, residual variance, information
    assert found.mean[0] == pytest.approx(exact.mean[0], rel=1e-8)
    assert found.residual[0] == pytest.approx(exact.residual[0], rel=1e-8)
    assert found.information[0] == pytest.approx(exact.information[0], rel=1e-6, abs=1e-6)
    scale = np.sqrt(np.diag(exact.information[0])[:2])
    assert np.abs(found.gradient - exact.gradient)[0, :2] / scale == pytest.approx(np.zeros(2), abs=0.2)


def test_components_agree_with_the_exact_ones_to_a_small_part_of_their_standard_error(
    iterative: pytest.MonkeyPatch,
) -> None:
    data = draw(800, 200, 6, seed=2)
    (found,) = fit_reml(*data, model="crossed")
    (odds,) = wald_odds([found])
    assert "probes" in found.approximation
    iterative.undo()
    (exact,) = fit_reml(*data, model="crossed")
    (known,) = wald_odds([exact])
    assert known.low is not None
    assert known.high is not None
    width = np.log(known.high / known.low)
    assert abs(np.log(odds.value / known.value)) < 0.05 * width
    assert found.residual == pytest.approx(exact.residual, rel=2e-3)
    assert exact.approximation == ""


def test_a_variance_at_zero_is_found_by_the_iterative_path_too(iterative: pytest.MonkeyPatch) -> None:
    del iterative
    target, rater, _ = draw(300, 60, 5, seed=3)
    y = np.random.default_rng(5).normal(size=len(target)) + 0.5 * np.random.default_rng(6).normal(size=300)[target]
    (fit,) = fit_reml(target, rater, y, model="crossed")
    assert fit.rater is not None
    assert fit.rater < 0.02


def test_replicates_of_a_large_panel_are_refused_before_anything_is_allocated(iterative: pytest.MonkeyPatch) -> None:
    del iterative
    target, rater, y = draw(100, 30, 5, seed=3)
    with pytest.raises(CannotEstimateError, match="interaction"):
        fit_reml(np.tile(target, 2), np.tile(rater, 2), np.tile(y, 2) + 0.1, model="crossed_replicated")


def test_a_size_that_will_not_fit_is_refused_before_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialgauge.stats.reml.panel.MEMORY", 1e6)
    with pytest.raises(CannotEstimateError, match="memory"):
        fit_reml(*draw(600, 150, 6, seed=1), model="crossed")


def test_a_complete_table_that_a_probe_solves_exactly_is_no_problem(iterative: pytest.MonkeyPatch) -> None:
    target, rater = (a.ravel() for a in np.indices((40, 12)))
    rng = np.random.default_rng(3)
    y = rng.normal(size=40)[target] + 0.5 * rng.normal(size=12)[rater] + rng.normal(size=480)
    (found,) = fit_reml(target, rater, y, model="crossed")
    iterative.undo()
    (exact,) = fit_reml(target, rater, y, model="crossed")
    assert found.target == pytest.approx(exact.target, rel=0.05)
    assert found.residual == pytest.approx(exact.residual, rel=0.01)
