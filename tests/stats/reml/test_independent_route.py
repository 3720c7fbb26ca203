"""The criterion against dense linear algebra, and the minimum against a general optimiser."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.design import detect
from dialgauge.stats.reml import Model, Panel, fit_reml
from dialgauge.stats.reml.criterion import evaluate
from dialgauge.stats.reml.panel import Responses

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def dense(target: Codes, rater: Codes, y: Floats, ratios: Floats) -> tuple[float, Floats]:
    """Return the REML criterion and its gradient in the ratios, from the n x n covariance matrix."""
    n = len(y)
    cell = np.unique(target * (rater.max() + 1) + rater, return_inverse=True)[1]
    blocks = [np.equal.outer(c, c).astype(float) for c in (target, rater, cell)]
    v = np.eye(n) + sum(r * b for r, b in zip(ratios, blocks, strict=True))
    inverse = np.linalg.inv(v)
    ones = np.ones(n)
    weight = ones @ inverse @ ones
    p = inverse - np.outer(inverse @ ones, inverse @ ones) / weight
    q = y @ p @ y
    criterion = np.linalg.slogdet(v)[1] + math.log(weight) + (n - 1) * (1 + math.log(2 * math.pi * q / (n - 1)))
    gradient = np.array([np.sum(p * b) - (n - 1) * (y @ p @ b @ p @ y) / q for b in blocks])
    return float(criterion), gradient


def sample(
    seed: int, *, n_targets: int, n_raters: int, replicates: int, share: float = 0.6
) -> tuple[Codes, Codes, Floats]:
    rng = np.random.default_rng(seed)
    target, rater = np.nonzero(rng.random((n_targets, n_raters)) < share)
    target, rater = np.repeat(target, replicates), np.repeat(rater, replicates)
    keep = rng.random(len(target)) < 0.85
    target = np.unique(target[keep], return_inverse=True)[1]
    rater = np.unique(rater[keep], return_inverse=True)[1]
    sd = rng.uniform(0.2, 1.5, 4)
    y = 3 + sd[0] * rng.normal(size=n_targets)[target] + sd[1] * rng.normal(size=n_raters)[rater]
    y += sd[2] * rng.normal(size=(n_targets, n_raters))[target, rater] + sd[3] * rng.normal(size=len(target))
    return target, rater, y


@pytest.mark.parametrize(
    "ratios", [(0.3, 0.2, 0.1), (0.0, 0.4, 0.0), (0.7, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.3, 0.5), (9.0, 40.0, 2.0)]
)
@pytest.mark.parametrize(("n_targets", "n_raters", "replicates"), [(14, 6, 1), (5, 11, 1), (9, 5, 3)])
def test_criterion_and_gradient_equal_dense_algebra_also_at_zero(
    ratios: tuple[float, float, float], n_targets: int, n_raters: int, replicates: int
) -> None:
    target, rater, y = sample(3, n_targets=n_targets, n_raters=n_raters, replicates=replicates)
    panel = Panel.build(target, rater)
    at = evaluate(panel, Responses.of(panel, y[:, None]), np.array([ratios]), cell=True)
    criterion, gradient = dense(target, rater, y, np.array(ratios))
    assert at.criterion[0] == pytest.approx(criterion, rel=1e-11)
    assert at.gradient[0] == pytest.approx(gradient, rel=1e-8, abs=1e-8)


def test_the_sparse_path_without_the_stack_of_co_occurrences_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    target, rater, y = sample(5, n_targets=20, n_raters=7, replicates=2)
    ratios = np.array([[0.4, 0.3, 0.2]])
    stacked = Panel.build(target, rater)
    monkeypatch.setattr("dialgauge.stats.reml.panel.DENSE_STACK_LIMIT", 0)
    bare = Panel.build(target, rater)
    assert stacked.stack is not None
    assert bare.stack is None
    first, second = (evaluate(p, Responses.of(p, y[:, None]), ratios) for p in (stacked, bare))
    assert first.criterion == pytest.approx(second.criterion, rel=1e-13)
    assert first.gradient == pytest.approx(second.gradient, rel=1e-10)


MODELS: list[tuple[Model, tuple[int, ...]]] = [
    ("one_way", (0,)), ("crossed", (0, 1)), ("crossed_replicated", (0, 1, 2)), ("nested", (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("model", "active"), MODELS)
@pytest.mark.parametrize("seed", range(6))
def test_the_minimum_is_not_beaten_by_a_general_optimiser_on_dense_algebra(
    model: Model, active: tuple[int, ...], seed: int
) -> None:
    replicates = 2 if len(active) == 3 or model == "nested" else 1
    target, rater, y = sample(seed, n_targets=12, n_raters=6, replicates=replicates)
    (fit,) = fit_reml(target, rater, y, model=model)

    def objective(x: Floats) -> float:
        ratios = np.zeros(3)
        ratios[list(active)] = x**2
        return dense(target, rater, y, ratios)[0]

    starts = [np.full(len(active), s) for s in (0.05, 0.6, 2.0)]
    best = min(
        minimize(objective, s, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 4000}).fun
        for s in starts
    )
    assert fit.criterion <= best + 1e-7
    assert fit.criterion == pytest.approx(best, abs=1e-5)


def test_no_grid_point_lies_below_the_reported_minimum_on_hundreds_of_small_tables() -> None:
    rng = np.random.default_rng(11)
    grid = [0.0, 1e-2, 0.1, 0.5, 2.0, 10.0, 100.0]
    checked = 0
    for seed in range(300):
        target, rater, y = sample(
            seed,
            n_targets=int(rng.integers(3, 12)),
            n_raters=int(rng.integers(2, 7)),
            replicates=1,
            share=rng.uniform(0.4, 1),
        )
        y = np.clip(np.round(y), 1, 5)
        if len(y) < 4 or np.ptp(y) == 0 or detect(target, rater).kind in ("unidentified", "nested"):
            continue
        try:
            (fit,) = fit_reml(target, rater, y, model="crossed")
        except CannotEstimateError:
            continue
        lowest = fit.evaluate(np.array([[a, b, 0.0] for a in grid for b in grid])).criterion.min()
        assert fit.criterion <= lowest + 1e-6, seed
        checked += 1
    assert checked > 200
