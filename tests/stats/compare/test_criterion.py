"""The criterion against dense algebra, and its gradient against differences of that."""

import numpy as np
import pytest
from scipy.optimize import minimize

from dialgauge.stats.arrays import Floats
from dialgauge.stats.compare import SystemPanel
from dialgauge.stats.compare.criterion import evaluate, slope_of_squares
from dialgauge.stats.compare.layout import Layout
from dialgauge.stats.compare.minimise import minimise
from dialgauge.stats.compare.terms import choose_terms

from .conftest import draw

RATIOS = ((0.3, 0.0, 0.7, 0.2, 0.0, 0.4, 0.1), (0.0,) * 7, (0.5, 0.5, 2.0, 3.0, 0.1, 0.0, 5.0))


def same_levels(panel: SystemPanel, layout: Layout) -> Floats:
    """Return for each effect which values share a level, shape (k, n, n)."""
    codes = {term.name: term.codes for term in choose_terms(panel).kept}
    return np.array([np.equal.outer(codes[name], codes[name]) for name in layout.names], dtype=np.float64)


def dense(
    panel: SystemPanel, layout: Layout, ratios: Floats, same: Floats | None = None
) -> tuple[float, float, Floats]:
    """Return criterion, y'Py and the covariance of the means over the residual variance, written out."""
    same = same_levels(panel, layout) if same is None else same
    covariance = np.eye(layout.n) + np.einsum("k,kij->ij", ratios, same)
    system, y = np.eye(layout.n_systems)[panel.system], (panel.values - layout.centre) / layout.scale
    inverse = np.linalg.inv(covariance)
    information = system.T @ inverse @ system
    rest = y - system @ np.linalg.solve(information, system.T @ inverse @ y)
    squares, free = float(rest @ inverse @ rest), layout.n - layout.n_systems
    log_det = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(information)[1]
    value = log_det + free * (1.0 + np.log(2.0 * np.pi * squares / free))
    return float(value), squares, np.asarray(np.linalg.inv(information), dtype=np.float64)


@pytest.mark.parametrize("at", RATIOS)
@pytest.mark.parametrize("name", ["rated", "unbalanced"])
def test_criterion_squares_and_spread_are_those_of_dense_algebra(
    name: str, at: tuple[float, ...], request: pytest.FixtureRequest
) -> None:
    panel: SystemPanel = request.getfixturevalue(name)
    layout = Layout.of(panel.values, panel.system, choose_terms(panel).kept)
    ratios = np.array(at[: len(layout.names)])
    found, (value, squares, spread) = evaluate(layout, ratios), dense(panel, layout, ratios)
    assert found.criterion == pytest.approx(value, abs=1e-9)
    assert found.squares == pytest.approx(squares, rel=1e-11)
    assert found.spread == pytest.approx(spread, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("at", RATIOS)
@pytest.mark.parametrize("name", ["rated", "unbalanced"])
def test_gradients_are_the_slopes_of_dense_algebra_at_zero_too(
    name: str, at: tuple[float, ...], request: pytest.FixtureRequest
) -> None:
    panel: SystemPanel = request.getfixturevalue(name)
    layout = Layout.of(panel.values, panel.system, choose_terms(panel).kept)
    ratios = np.array(at[: len(layout.names)])
    steps = 1e-5 * np.eye(len(ratios))
    ahead, back = ([dense(panel, layout, ratios + side * step) for step in steps] for side in (1.0, -1.0))
    slopes, of_squares = ([(a[i] - b[i]) / 2e-5 for a, b in zip(ahead, back, strict=True)] for i in (0, 1))
    assert evaluate(layout, ratios).gradient == pytest.approx(np.array(slopes), rel=1e-6, abs=1e-5)
    assert slope_of_squares(layout, ratios) == pytest.approx(np.array(of_squares), rel=1e-6, abs=1e-5)


def test_the_chain_of_effects_may_run_through_preferences(rated: SystemPanel) -> None:
    turned = SystemPanel(
        rated.values, rated.system, rated.preference, rated.persona, rated.dialogue, rated.rater
    )  # fewer personas than preferences now
    one, other = (Layout.of(p.values, p.system, choose_terms(p).kept) for p in (rated, turned))
    assert one.names[: one.n_chain] == ("dialogue", "persona x system", "persona")
    assert other.names[: other.n_chain] == ("dialogue", "preference x system", "preference")
    ratios = {name: 0.1 * (k + 1) for k, name in enumerate(one.names)}
    swapped = {"persona": "preference", "preference": "persona"}
    there = [ratios[" ".join(swapped.get(word, word) for word in name.split())] for name in other.names]
    here = evaluate(one, np.array(list(ratios.values()))).criterion
    assert evaluate(other, np.array(there)).criterion == pytest.approx(here, abs=1e-9)


@pytest.mark.parametrize("case", range(3))
def test_no_search_over_dense_algebra_ends_below_the_answer(case: int) -> None:
    sd = [(0.6, 0.5, 0.5, 0.4), (0.0, 0.9, 0.0, 0.4), (1.5, 0.0, 0.9, 0.0)][case]
    panel = draw((2, 5, 3, 2, 1), (*sd, 0.4, 0.3, 0.0, 0.7), 2 + case)
    layout = Layout.of(panel.values, panel.system, choose_terms(panel).kept)
    answer = minimise(layout)
    assert answer.at.criterion == pytest.approx(dense(panel, layout, answer.ratios)[0], abs=1e-8)
    same = same_levels(panel, layout)
    for start in (-3.0, 0.0):
        other = minimize(
            lambda x: dense(panel, layout, np.exp(x), same)[0],
            np.full(len(layout.names), start),
            method="L-BFGS-B",
            bounds=[(-14.0, 6.0)] * len(layout.names),
            options={"maxiter": 40},
        )
        assert other.fun >= answer.at.criterion - 1e-6
