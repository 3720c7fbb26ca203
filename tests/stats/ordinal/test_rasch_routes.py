"""Joint estimates of the many-facet Rasch model by other routes: VGAM, a general optimiser, logistic regression."""

import time

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logsumexp

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.ordinal import fit_rasch
from dialgauge.stats.ordinal.rasch_jmle import RaschModel, calibrate

from .conftest import Ordered, Simulate

Floats = NDArray[np.float64]


def test_wine_equals_the_adjacent_category_model_of_vgam(wine: Ordered) -> None:
    """R 4.2.2, VGAM 1.1-7: vglm(y ~ bottle + C(judge, contr.sum), acat(parallel = TRUE)), epsilon 1e-12.

    Its four intercepts are bottle 1 minus the thresholds, its judges are leniencies. It stops when the deviance does, a
    few 1e-6 before the estimates do.
    """
    fit = fit_rasch(wine.target, wine.rater, category=wine.category, n_categories=5)
    assert fit.log_likelihood == pytest.approx(-68.8101973784, abs=1e-8)
    bottles = [0.9997750044180, 2.1724289782028, 1.8959708419072, 2.9478487479988, 3.4297726966703, 5.0186647504420,
               4.5639519342952]  # fmt: skip
    assert fit.target.measure[1:] - fit.target.measure[0] == pytest.approx(bottles, abs=3e-6)
    lenient = [1.9142694156352, -0.6367140786156, 1.3472836970394, -0.0504553329122, 0.2324649052238, 0.5120020842740,
               -2.3429100393638, -0.3392265726652]  # fmt: skip
    assert -fit.rater.measure[:8] == pytest.approx(lenient, abs=3e-6)
    intercepts = [1.0418874970858, -1.8854015309767, -4.3727818552338, -5.4134849913396]
    assert fit.target.measure[0] - fit.thresholds == pytest.approx(intercepts, abs=3e-6)
    errors = [0.598302328592, 0.529531720025, 0.548067444651, 0.506255525884, 0.503811686502, 0.507125003530,
              0.696387765816, 0.514756696049]  # fmt: skip
    assert fit.rater.joint_se[:8] == pytest.approx(errors, abs=1e-5)
    assert fit.max_gradient < 1e-9
    assert fit.last_move < 1e-9


def unpacked(x: Floats, n_t: int, n_r: int, q: int) -> tuple[Floats, Floats, Floats]:
    """Return measures, severities and thresholds of the free parameters; the last of each sum makes up for the rest."""
    target, severity, rest = np.split(x, [n_t, n_t + n_r - 1])
    steps = rest.reshape(-1, q - 1)
    return (
        target,
        np.append(severity, -severity.sum()),
        np.column_stack([steps, -steps.sum(axis=1)]),
    )


@pytest.mark.parametrize(
    ("n_targets", "n_raters", "k", "m", "model"),
    [(30, 6, 5, 4, "rating_scale"), (6, 30, 25, 4, "rating_scale"), (40, 4, 4, 3, "partial_credit")],
)
def test_estimates_and_errors_equal_direct_maximisation(
    simulate_rasch: Simulate, n_targets: int, n_raters: int, k: int, m: int, model: RaschModel
) -> None:
    """The same likelihood with the constraints built in, by BFGS; errors from second differences of it."""
    data = simulate_rasch(2, n_targets=n_targets, n_raters=n_raters, k=k, m=m, wobble=0.3 * (model != "rating_scale"))
    fit = fit_rasch(data.target, data.rater, category=data.category, n_categories=m, model=model)
    inside = fit.target.calibrated[data.target] & fit.rater.calibrated[data.rater]
    t = np.unique(data.target[inside], return_inverse=True)[1]
    r = np.unique(data.rater[inside], return_inverse=True)[1]
    y = data.category[inside]
    n_t, n_r, q = t.max() + 1, r.max() + 1, m - 1

    def height(x: Floats) -> float:
        target, severity, steps = unpacked(x, n_t, n_r, q)
        logits = (target[t] - severity[r])[:, None] - steps[r if model == "partial_credit" else np.zeros_like(r)]
        potential = np.concatenate([np.zeros((len(y), 1)), np.cumsum(logits, axis=1)], axis=1)
        return float((logsumexp(potential, axis=1) - potential[np.arange(len(y)), y]).sum())

    rows = n_r if model == "partial_credit" else 1
    found = minimize(height, np.zeros(n_t + n_r - 1 + rows * (q - 1)), method="BFGS", options={"gtol": 1e-8})
    target, severity, steps = unpacked(found.x, n_t, n_r, q)
    assert -fit.log_likelihood == pytest.approx(found.fun, abs=1e-6)
    assert fit.target.measure[fit.target.calibrated] == pytest.approx(target, abs=1e-5)
    assert fit.rater.measure[fit.rater.calibrated] == pytest.approx(severity, abs=1e-5)
    assert np.atleast_2d(fit.thresholds) == pytest.approx(steps, abs=1e-5)
    h = 2e-3
    moves = h * np.eye(len(found.x))
    hessian = np.array([
        [sum(a * b * height(found.x + a * u + b * v) for a in (1, -1) for b in (1, -1)) for u in moves] for v in moves
    ]) / (4.0 * h**2)  # fmt: skip
    errors = np.sqrt(np.linalg.inv(hessian).diagonal())
    assert fit.target.joint_se[fit.target.calibrated] == pytest.approx(errors[:n_t], rel=1e-4)
    assert fit.rater.joint_se[fit.rater.calibrated][:-1] == pytest.approx(errors[n_t : n_t + n_r - 1], rel=1e-4)
    assert np.atleast_2d(fit.thresholds_se)[:, :-1].ravel() == pytest.approx(errors[n_t + n_r - 1 :], rel=1e-4)


def test_the_likelihood_is_not_higher_anywhere_near(simulate_rasch: Simulate) -> None:
    """At the answer every observed score equals its expected score to 1e-9: the estimating equations of Facets."""
    data = simulate_rasch(6, n_targets=80, n_raters=12, k=6)
    fit = fit_rasch(data.target, data.rater, category=data.category, n_categories=5)
    logits = (fit.target.measure[data.target] - fit.rater.measure[data.rater])[:, None] - fit.thresholds
    weight = np.exp(np.concatenate([np.zeros((len(logits), 1)), np.cumsum(logits, axis=1)], axis=1))
    expected = (weight / weight.sum(axis=1, keepdims=True)) @ np.arange(5.0)
    inside = fit.target.calibrated[data.target] & fit.rater.calibrated[data.rater]
    gap = (data.category - expected) * inside
    assert np.bincount(data.target, gap) == pytest.approx(np.zeros(80), abs=1e-9)
    assert np.bincount(data.rater, gap) == pytest.approx(np.zeros(12), abs=1e-9)


def test_two_categories_equal_a_logistic_regression_on_dummy_columns(simulate_rasch: Simulate) -> None:
    data = simulate_rasch(9, n_targets=25, n_raters=14, k=10, m=2)
    fit = fit_rasch(data.target, data.rater, category=data.category, n_categories=2)
    inside = fit.target.calibrated[data.target] & fit.rater.calibrated[data.rater]
    t = np.unique(data.target[inside], return_inverse=True)[1]
    r = np.unique(data.rater[inside], return_inverse=True)[1]
    y = data.category[inside]
    n_t, n_r = t.max() + 1, r.max() + 1
    design = np.zeros((len(y), n_t + n_r - 1))
    design[np.arange(len(y)), t] = 1.0
    design[:, n_t:] = -np.eye(n_r)[r, :-1]
    design[r == n_r - 1, n_t:] = 1.0
    beta = np.zeros(design.shape[1])
    for _ in range(30):
        p = expit(design @ beta)
        information = design.T @ ((p * (1.0 - p))[:, None] * design)
        beta += np.linalg.solve(information, design.T @ (y - p))
    errors = np.sqrt(np.linalg.inv(information).diagonal())
    assert fit.target.measure[fit.target.calibrated] == pytest.approx(beta[:n_t], abs=1e-8)
    assert fit.rater.measure[fit.rater.calibrated][:-1] == pytest.approx(beta[n_t:], abs=1e-8)
    assert fit.target.joint_se[fit.target.calibrated] == pytest.approx(errors[:n_t], rel=1e-7)
    assert fit.rater.joint_se[fit.rater.calibrated][:-1] == pytest.approx(errors[n_t:], rel=1e-7)
    assert fit.thresholds == pytest.approx([0.0], abs=1e-12)


def test_a_finite_maximum_is_claimed_exactly_where_there_is_one() -> None:
    """Two categories: there is one if and only if the graph 'won against' is strongly connected (Ford 1957)."""
    outcomes = {True: 0, False: 0}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n_t, n_r = int(rng.integers(5, 10)), int(rng.integers(4, 8))
        target, rater = np.nonzero(rng.random((n_t, n_r)) < 0.8)
        target, rater = (np.unique(codes, return_inverse=True)[1] for codes in (target, rater))
        category = rng.integers(0, 2, len(target))
        n = int(target.max() + rater.max() + 2)
        ends = target, target.max() + 1 + rater
        winner, loser = np.where(category, ends[0], ends[1]), np.where(category, ends[1], ends[0])
        graph = coo_array((np.ones(len(target)), (winner, loser)), shape=(n, n))
        if category.min() == category.max() or connected_components(graph, directed=False, return_labels=False) > 1:
            continue
        finite = connected_components(graph, connection="strong", return_labels=False) == 1
        outcomes[finite] += 1
        if finite:
            assert calibrate(target, rater, category, model="rating_scale").max_gradient < 1e-8
        else:
            with pytest.raises(CannotEstimateError, match="no finite maximum"):
                calibrate(target, rater, category, model="rating_scale")
    assert min(outcomes.values()) >= 20


def test_severities_are_recovered_from_many_targets(simulate_rasch: Simulate) -> None:
    """3,000 targets by 10 of 10 raters: standard error of a severity .025; joint estimates stretch by about 10 / 9."""
    data = simulate_rasch(1, n_targets=3000, n_raters=10, k=10)
    fit = fit_rasch(data.target, data.rater, category=data.category, n_categories=5)
    true_severity, true_measure = np.zeros(10), np.zeros(3000)
    true_measure[data.target], true_severity[data.rater] = data.X[:, 0], data.X[:, 1]
    stretch = float(np.polyfit(true_severity, fit.rater.measure, 1)[0])
    assert 1.05 < stretch < 1.2
    assert fit.rater.measure / stretch == pytest.approx(true_severity, abs=0.09)
    assert fit.thresholds / stretch == pytest.approx([-1.5, -0.5, 0.5, 1.5], abs=0.15)
    assert np.corrcoef(fit.target.measure, true_measure)[0, 1] > 0.95


@pytest.mark.parametrize("model", ["rating_scale", "partial_credit"])
def test_twenty_thousand_ratings_take_less_than_three_seconds(simulate_rasch: Simulate, model: RaschModel) -> None:
    data = simulate_rasch(3, n_targets=2000, n_raters=12, k=10, wobble=0.2 * (model == "partial_credit"))
    start = time.process_time()
    fit = fit_rasch(data.target, data.rater, category=data.category, n_categories=5, model=model)
    assert time.process_time() - start < 3.0
    assert fit.n == 20_000
