"""The curvature of the criterion, the shared work of many dimensions, and searches that run to a plateau."""

import numpy as np
import pytest

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.reml import Panel
from dialgauge.stats.reml.criterion import Evaluation, evaluate
from dialgauge.stats.reml.fit import RemlFit, fit_panel
from dialgauge.stats.reml.minimise import FAR
from dialgauge.stats.reml.panel import Responses

from .test_independent_route import Floats, sample
from .test_large import draw


def differences(panel: Panel, responses: Responses, ratios: Floats) -> Floats:
    """Return the second derivatives in target and rater from central differences of the gradient, in log ratios."""
    found = np.empty((len(ratios), 2, 2))
    for i in range(2):
        step = np.zeros_like(ratios)
        step[:, i] = 1e-5 * ratios[:, i]
        up, down = (evaluate(panel, responses, ratios + side * step).gradient[:, :2] for side in (1.0, -1.0))
        found[:, :, i] = (up - down) / (2.0 * step[:, i, None])
    return found * ratios[:, :2, None] * ratios[:, None, :2]


def in_logs(at: Evaluation, ratios: Floats) -> Floats:
    return at.curvature[:, :2, :2] * ratios[:, :2, None] * ratios[:, None, :2]


@pytest.mark.parametrize("turned", [False, True])
def test_curvature_equals_differences_of_the_gradient_where_every_target_has_as_many_ratings(turned: bool) -> None:
    target, rater, y = draw(100, 30, 10, seed=1)
    ratios = np.array([[0.4, 0.2, 0.0], [3.0, 0.05, 0.0], [0.02, 8.0, 0.0]])
    first, second = (rater, target) if turned else (target, rater)
    panel = Panel.build(first, second)
    responses = Responses.of(panel, np.column_stack([y, y**2, np.exp(y)]))
    ratios = ratios[:, [1, 0, 2]] if turned else ratios
    found, expected = in_logs(evaluate(panel, responses, ratios), ratios), differences(panel, responses, ratios)
    scale = np.abs(expected).max()  # what the mean takes up is not exact
    assert found == pytest.approx(expected, rel=2e-3, abs=2e-3 * scale)


def test_curvature_is_close_where_the_numbers_of_ratings_differ() -> None:
    target, rater, y = sample(4, n_targets=80, n_raters=25, replicates=1, share=0.3)
    panel, ratios = Panel.build(target, rater), np.array([[0.5, 0.3, 0.0]])
    responses = Responses.of(panel, y[:, None])
    found, expected = in_logs(evaluate(panel, responses, ratios), ratios), differences(panel, responses, ratios)
    assert found == pytest.approx(expected, rel=0.02, abs=0.02 * np.abs(expected).max())


@pytest.mark.parametrize("ratios", [(0.4, 0.2, 0.0), (0.4, 0.0, 0.0), (0.0, 0.0, 0.0), (0.4, 0.2, 0.3)])
@pytest.mark.parametrize("replicates", [1, 2])
def test_dimensions_at_the_same_ratios_get_what_each_gets_alone(
    ratios: tuple[float, float, float], replicates: int
) -> None:
    target, rater, y = sample(2, n_targets=30, n_raters=15, replicates=replicates)
    panel = Panel.build(target, rater)
    values = np.column_stack([y, np.square(y), np.exp(y / 4.0)])
    rows = np.tile(ratios, (3, 1))
    together = evaluate(panel, Responses.of(panel, values), rows)
    for i in range(3):
        alone = evaluate(panel, Responses.of(panel, values[:, [i]]), rows[:1])
        assert together.criterion[i] == pytest.approx(alone.criterion[0], rel=1e-12)
        assert together.gradient[i] == pytest.approx(alone.gradient[0], rel=1e-9, abs=1e-9)
        assert together.information[i] == pytest.approx(alone.information[0], rel=1e-9, abs=1e-9)
        assert together.rater_effect[i] == pytest.approx(alone.rater_effect[0], rel=1e-9, abs=1e-12)


def test_without_second_derivatives_all_else_is_the_same() -> None:
    target, rater, y = sample(2, n_targets=30, n_raters=15, replicates=1)
    panel, ratios = Panel.build(target, rater), np.array([[0.4, 0.2, 0.0]])
    responses = Responses.of(panel, y[:, None])
    whole, part = (evaluate(panel, responses, ratios, second=second) for second in (True, False))
    assert part.criterion == whole.criterion
    assert np.array_equal(part.gradient, whole.gradient)
    assert np.isnan(part.information).all()
    assert np.isnan(part.curvature).all()


def test_no_answer_is_certified_on_the_plateau_of_a_table_that_targets_and_raters_explain_completely() -> None:
    target, rater = np.array([0, 1, 2, 3, 0]), np.array([0, 0, 0, 0, 1])  # as many effects as ratings
    values = np.random.default_rng(0).normal(size=(5, 300))
    found = fit_panel(Panel.build(target, rater), values, model="crossed")
    assert sum(isinstance(fit, CannotEstimateError) for fit in found) > 20
    assert max(fit.ratios.max() for fit in found if isinstance(fit, RemlFit)) < FAR
