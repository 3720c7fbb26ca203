"""The criterion against dense linear algebra, its minima and profiles against a general optimiser."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.kinds import KindsFit, fit_kinds
from dialgauge.stats.kinds.chart import Chart, Pin, Slots
from dialgauge.stats.kinds.criterion import Variances, evaluate, lower_triangle
from dialgauge.stats.kinds.panel import KindsPanel, KindsResponses
from dialgauge.stats.kinds.profile import error_weights, profile_correlation, profile_odds

from .conftest import Data, Floats, people_and_models, sparse

CHI2_95 = 3.841458820694124


def dense(data: Data, at: Variances) -> tuple[float, Floats, Floats]:
    """Return criterion, gradient and average information in the units of ``data``, from the n x n covariance matrix."""
    k, n, n_kinds = data.kind, len(data.values), len(at.residual)
    cell = data.target * len(data.kind_of) + data.rater
    of_target, of_rater, of_cell = (np.equal.outer(c, c).astype(float) for c in (data.target, data.rater, cell))
    mine = [np.outer(k == g, k == g) for g in range(n_kinds)]
    parts, sizes = [], []
    for g, h in zip(*lower_triangle(n_kinds), strict=True):
        parts.append(of_target * (np.outer(k == g, k == h) | np.outer(k == h, k == g)))
        sizes.append(at.sigma[g, h])
    for block, variances in ((of_rater, at.rater), (of_cell, at.cell), (np.eye(n), at.residual)):
        parts += [block * mine[g] for g in range(n_kinds)]
        sizes += list(variances)
    v = sum(s * p for s, p in zip(sizes, parts, strict=True))
    inverse, x = np.linalg.inv(v), np.eye(n_kinds)[k]
    gram = x.T @ inverse @ x
    p = inverse - inverse @ x @ np.linalg.inv(gram) @ x.T @ inverse
    py = p @ data.values
    criterion = np.linalg.slogdet(v)[1] + np.linalg.slogdet(gram)[1] + data.values @ py
    gradient = np.array([np.sum(p * part) - py @ part @ py for part in parts])
    information = np.array([[py @ a @ p @ b @ py for a in parts] for b in parts])
    return float(criterion) + (n - n_kinds) * math.log(2.0 * math.pi), gradient, information


def replicated(n_kinds: int) -> Data:
    rng = np.random.default_rng(n_kinds)
    kind_of = rng.permutation(np.arange(9) % n_kinds)
    t, r = np.nonzero(rng.random((13, 9)) < 0.6)
    times = rng.integers(1, 4, len(t))
    t, r = np.repeat(t, times), np.repeat(r, times)
    order = rng.permutation(len(t))
    return Data(t[order], r[order], kind_of, 5.0 + 2.0 * kind_of[r[order]] + 1.5 * rng.normal(size=len(t)))


@pytest.mark.parametrize("edge", [False, True])
@pytest.mark.parametrize("n_kinds", [1, 2, 3])
@pytest.mark.parametrize("limit", [50_000, 0])
def test_criterion_gradient_and_information_equal_dense_algebra_also_at_the_edge(
    n_kinds: int, limit: int, edge: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dialgauge.stats.kinds.panel.DENSE_TABLE_LIMIT", limit)
    monkeypatch.setattr("dialgauge.stats.kinds.panel.SLICE", 8_000_000 if limit else 20)
    data, rng = replicated(n_kinds), np.random.default_rng(7)
    panel = KindsPanel.build(data.target, data.rater, data.kind_of)
    responses = KindsResponses.of(panel, data.values)
    root = np.tril(rng.normal(size=(n_kinds, n_kinds)))
    rater, cell, residual = rng.uniform(0.1, 1.0, (3, n_kinds))
    if edge:
        root[-1] = 2.0 * root[0]
        rater[0], cell[-1] = 0.0, 0.0
    at = evaluate(panel, responses, Variances(root, rater, cell, residual))
    scale = responses.scale
    criterion, gradient, information = dense(data, Variances(root, rater, cell, residual).in_units(scale))
    rows, columns = lower_triangle(n_kinds)
    units = np.concatenate([scale[rows] * scale[columns], *[scale**2] * 3])
    assert at.criterion == pytest.approx(criterion, rel=1e-11)
    assert at.gradient == pytest.approx(gradient * units, rel=1e-9, abs=1e-9)
    assert at.information == pytest.approx(information * np.outer(units, units), rel=1e-8, abs=1e-8)


WEIGHTS = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.0]])
SLOTS = Slots(rater=(0, 1, 1), cell=(0, -1, 1), residual=(0, 1, -1))  # shared, missing and unsplit ones


@pytest.mark.parametrize(
    "chart",
    [
        Chart.free(SLOTS),
        Chart.with_correlation(SLOTS, (2, 0), 0.3),
        Chart.with_correlation(SLOTS, (1, 2), 1.0),
        Chart.with_odds(SLOTS, Pin(1, 0.7, WEIGHTS)),
        Chart.with_odds(SLOTS, Pin(1, 0.0, WEIGHTS)),
    ],
)
def test_first_and_second_derivatives_in_the_coordinates_of_a_chart_are_those_of_differences(chart: Chart) -> None:
    data = replicated(3)
    panel = KindsPanel.build(data.target, data.rater, data.kind_of)
    responses = KindsResponses.of(panel, data.values)
    x, steps = np.random.default_rng(1).uniform(0.3, 1.0, len(chart.bounded)), 1e-5 * np.eye(len(chart.bounded))
    at = evaluate(panel, responses, chart.variances(x))
    gradient, hessian = chart.pull(x, at.gradient, at.information)

    def height(x: Floats) -> float:
        return evaluate(panel, responses, chart.variances(x)).criterion

    differences = [(height(x + step) - height(x - step)) / 2e-5 for step in steps]
    assert gradient == pytest.approx(differences, rel=1e-3, abs=1e-3)
    jacobian = chart.jacobian(x)
    bend = [(chart.jacobian(x + step) - chart.jacobian(x - step)).T @ at.gradient / 2e-5 for step in steps]
    assert hessian == pytest.approx(jacobian.T @ at.information @ jacobian + np.array(bend), rel=1e-5, abs=1e-5)


def lowest(fit: KindsFit, chart: Chart, seed: int, n_starts: int = 8) -> float:
    """Return the least criterion that a general optimiser finds on ``chart``, from random starts."""
    rng = np.random.default_rng(seed)
    bounds = [(0.0, 6.0) if bounded else (-6.0, 6.0) for bounded in chart.bounded]

    def objective(x: Floats) -> tuple[float, Floats]:
        at = fit.evaluate(chart.variances(x))
        return at.criterion, chart.jacobian(x).T @ at.gradient

    found = [
        minimize(objective, rng.normal(scale=0.6, size=len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds)
        for _ in range(n_starts)
    ]
    return min(float(one.fun) for one in found)


def test_no_minimum_is_beaten_by_a_general_optimiser_on_small_sparse_tables() -> None:
    checked = 0
    for seed in range(25):
        try:
            fit = fit_kinds(*sparse(seed).all)
        except CannotEstimateError:
            continue
        assert fit.criterion <= lowest(fit, Chart.free(fit.slots), seed, n_starts=3) + 1e-6, seed
        checked += 1
    assert checked > 15


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_the_ends_of_an_interval_for_the_correlation_lie_where_a_general_optimiser_finds_them(seed: int) -> None:
    fit = fit_kinds(*people_and_models(seed, rho=0.7, n_targets=40).all)
    found = profile_correlation(fit, 0, 1)
    assert found.low is not None
    assert found.high is not None
    for end in (found.low, found.high):
        rise = lowest(fit, Chart.with_correlation(fit.slots, (0, 1), end), seed) - fit.criterion
        assert rise == pytest.approx(CHI2_95, abs=1e-4) if abs(end) < 1.0 else rise < CHI2_95


@pytest.mark.parametrize(("kind", "form"), list(product([0, 1], ["absolute", "relative"])))
def test_the_ends_of_an_interval_for_a_reliability_lie_where_a_general_optimiser_finds_them(
    kind: int, form: str
) -> None:
    # with these two raters of kind 1 its absolute form has two minima at fixed odds: little severity, and much of it
    fit = fit_kinds(*people_and_models(30, rho=0.9, n_targets=60).all)
    found = profile_odds(fit, kind, form=form)  # type: ignore[arg-type]
    weights = error_weights(fit, kind, form, 1.0)  # type: ignore[arg-type]
    assert found.low
    assert found.high
    for end in (found.low, found.high):
        rise = lowest(fit, Chart.with_odds(fit.slots, Pin(kind, end, weights)), 3, n_starts=20) - fit.criterion
        assert rise == pytest.approx(CHI2_95, abs=1e-4)
