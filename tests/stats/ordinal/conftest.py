"""Ordered ratings for the tests of this folder: real ones of the reference folder, and simulated ones."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray


@dataclass(frozen=True)
class Ordered:
    """Targets, raters, categories 0 .. m - 1 and predictors of n ratings."""

    target: NDArray[np.intp]
    rater: NDArray[np.intp]
    category: NDArray[np.intp]
    X: NDArray[np.float64]


Simulate = Callable[..., Ordered]


def codes(column: pl.Series) -> NDArray[np.intp]:
    return np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)[1]


@pytest.fixture(scope="session")
def wine(shared: Path) -> Ordered:
    """Bitterness of wine (Randall 1989): 8 bottles as targets, 9 judges, 5 categories; predictors warm and contact."""
    frame = pl.read_csv(shared / "reference/stats/wine.csv")
    return Ordered(
        target=codes(frame["bottle"]),
        rater=codes(frame["judge"]),
        category=frame["rating"].cast(pl.Int64).to_numpy() - 1,
        X=np.column_stack([(frame["temp"] == "warm").to_numpy(), (frame["contact"] == "yes").to_numpy()]).astype(float),
    )


@pytest.fixture(scope="session")
def redial(shared: Path) -> Callable[[str], Ordered]:
    """Read a dimension of the study of [R] without gold: 200 dialogues, 117 raters; predictor: more than 200 s."""
    frame = pl.read_csv(shared / "data/crs_que_redial/annotations.csv").filter(pl.col("is_gold_standard") == 0)

    def read(dimension: str) -> Ordered:
        return Ordered(
            target=codes(frame["dialogue_id"]),
            rater=codes(frame["participant_id"]),
            category=frame[dimension].cast(pl.Int64).to_numpy() - 1,
            X=(frame["time_spent"].to_numpy() > 200).astype(float)[:, None],
        )

    return read


@pytest.fixture(scope="session")
def simulate() -> Simulate:
    """Draw ratings of each target by ``k`` of ``n_raters`` raters from a latent logistic model."""

    def draw(
        seed: int, *, n_targets: int, n_raters: int, k: int, m: int = 5, target_sd: float = 1.2, rater_sd: float = 0.8
    ) -> Ordered:
        rng = np.random.default_rng(seed)
        target = np.repeat(np.arange(n_targets), k)
        rater = np.concatenate([rng.choice(n_raters, k, replace=False) for _ in range(n_targets)])
        rater = np.unique(rater, return_inverse=True)[1]
        x = rng.normal(size=len(target))
        latent = target_sd * rng.normal(size=n_targets)[target] + rater_sd * rng.normal(size=n_raters)[rater]
        latent += 0.4 * x + rng.logistic(size=len(target))
        return Ordered(target, rater, np.searchsorted(np.linspace(-2.0, 2.0, m - 1), latent), x[:, None])

    return draw


@pytest.fixture(scope="session")
def simulate_rasch() -> Simulate:
    """Draw ratings from the many-facet Rasch model itself, with targets N(0, 1.5) and severities N(0, .8)."""

    def draw(seed: int, *, n_targets: int, n_raters: int, k: int, m: int = 5, wobble: float = 0.0) -> Ordered:
        rng = np.random.default_rng(seed)
        target = np.repeat(np.arange(n_targets), k)
        rater = np.concatenate([rng.choice(n_raters, k, replace=False) for _ in range(n_targets)])
        measure, severity = 1.5 * rng.normal(size=n_targets), 0.8 * rng.normal(size=n_raters)
        severity -= severity.mean()
        steps = np.linspace(-1.5, 1.5, m - 1) * (m > 2) + wobble * rng.normal(size=(n_raters, m - 1))
        logits = (measure[target] - severity[rater])[:, None] - steps[rater]
        weight = np.exp(np.concatenate([np.zeros((len(target), 1)), np.cumsum(logits, axis=1)], axis=1))
        share = np.cumsum(weight / weight.sum(axis=1, keepdims=True), axis=1)
        category = (share < rng.random((len(target), 1))).sum(axis=1)
        rater = np.unique(rater, return_inverse=True)[1]
        truth = np.column_stack([measure[target], severity[rater]])
        return Ordered(target, rater, category, truth)

    return draw
