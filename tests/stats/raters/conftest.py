"""Small designs of every kind, and the same quantities from dense matrices."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from dialgauge.stats.reml import Model, RemlFit, fit_reml

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Sample:
    """Ratings with their fit, rows in random order."""

    target: Codes
    rater: Codes
    values: Floats
    fit: RemlFit


@dataclass(frozen=True)
class Dense:
    """What the inverse of the whole variance matrix says."""

    se: Floats
    se_known_mean: Floats
    se_among: Floats
    residual: Floats
    free: Floats
    rater_free: Floats


DESIGNS: dict[str, tuple[int, int, float, int, float]] = {
    "more targets than raters": (30, 8, 0.5, 1, 0.6),
    "more raters than targets": (8, 30, 0.5, 1, 0.6),
    "replicated, more targets": (12, 6, 0.3, 3, 0.6),
    "replicated, more raters": (6, 14, 0.3, 2, 0.6),
    "no severity, more targets": (30, 8, 0.5, 1, 0.0),
    "no severity, more raters": (8, 30, 0.5, 1, 0.0),
    "complete": (15, 5, 0.0, 1, 0.5),
}
"""Targets, raters, share of missing cells, most replicates, standard deviation of severity."""


def draw(targets: int, raters: int, missing: float, replicates: int, severity: float) -> Sample:
    rng = np.random.default_rng(1)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(targets), np.arange(raters), indexing="ij"))
    kept = rng.random(len(target)) >= missing
    times = rng.integers(1, replicates + 1, int(kept.sum()))
    target, rater = np.repeat(target[kept], times), np.repeat(rater[kept], times)
    order = rng.permutation(len(target))
    target, rater = (np.unique(codes[order], return_inverse=True)[1] for codes in (target, rater))
    cell = np.unique(target * raters + rater, return_inverse=True)[1]
    values = rng.normal(size=targets)[target] + severity * rng.normal(size=raters)[rater]
    values += 0.7 * rng.normal(size=len(target))
    model: Model = "crossed"
    if replicates > 1:
        values += 0.5 * rng.normal(size=int(cell.max()) + 1)[cell]
        model = "crossed_replicated"
    (fit,) = fit_reml(target, rater, values, model=model)
    return Sample(target, rater, values, fit)


@pytest.fixture(params=list(DESIGNS))
def sample(request: pytest.FixtureRequest) -> Sample:
    return draw(*DESIGNS[request.param])


@pytest.fixture(scope="session")
def dense() -> Callable[[Sample], Dense]:
    def solve(sample: Sample) -> Dense:
        a, b, g = sample.fit.ratios
        n, n_raters = len(sample.values), int(sample.rater.max()) + 1
        cell = np.unique(sample.target * n_raters + sample.rater, return_inverse=True)[1]
        z_target, z_rater, z_cell = (np.eye(int(c.max()) + 1)[c] for c in (sample.target, sample.rater, cell))
        inverse = np.linalg.inv(np.eye(n) + a * z_target @ z_target.T + b * z_rater @ z_rater.T + g * z_cell @ z_cell.T)
        one = np.ones(n)
        p = inverse - np.outer(inverse @ one, inverse @ one) / (one @ inverse @ one)
        scale = sample.fit.residual
        identity = np.eye(n_raters)
        errors = scale * (b * identity - b**2 * z_rater.T @ p @ z_rater)
        known = scale * (b * identity - b**2 * z_rater.T @ inverse @ z_rater)
        centre = identity - 1.0 / n_raters
        return Dense(
            se=np.sqrt(np.diag(errors)),
            se_known_mean=np.sqrt(np.diag(known)),
            se_among=np.sqrt(np.diag(centre @ errors @ centre)),
            residual=p @ sample.values / np.sqrt(scale),
            free=np.diag(p),
            rater_free=np.diag(z_rater.T @ p @ z_rater),
        )

    return solve
