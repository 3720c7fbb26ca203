"""Ratings by several kinds of rater: drawn with a known truth, and two small tables that other programs have fitted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Target and rater of each rating, kind of each rater, value of each rating; ``all`` is what `fit_kinds` takes."""

    target: Codes
    rater: Codes
    kind_of: Codes
    values: Floats

    @property
    def all(self) -> tuple[Codes, Codes, Codes, Floats]:
        return self.target, self.rater, self.kind_of, self.values

    @property
    def kind(self) -> Codes:
        return self.kind_of[self.rater]


def draw(
    seed: int,
    *,
    n_targets: int,
    sigma: Sequence[Sequence[float]],
    raters: Sequence[int],
    per_target: Sequence[int],
    replicates: Sequence[int],
    severity: float = 0.1,
    interaction: float = 0.0,
    noise: Sequence[float] = (0.5, 0.3, 0.4),
) -> Data:
    """Draw ratings: of each kind ``per_target`` of its ``raters`` rate every target, ``replicates`` times each."""
    rng = np.random.default_rng(seed)
    kind_of = np.repeat(np.arange(len(raters)), raters)
    target, rater = [], []
    for i in range(n_targets):
        for g, some in enumerate(per_target):
            for j in rng.choice(np.flatnonzero(kind_of == g), some, replace=False):
                target += [i] * replicates[g]
                rater += [int(j)] * replicates[g]
    t, r = np.array(target), np.array(rater)
    u = rng.multivariate_normal(np.zeros(len(raters)), sigma, size=n_targets)
    y = 3.0 + u[t, kind_of[r]] + np.sqrt(severity) * rng.normal(size=len(kind_of))[r]
    y += np.sqrt(interaction) * rng.normal(size=(n_targets, len(kind_of)))[t, r]
    y += np.sqrt(np.array(noise))[kind_of[r]] * rng.normal(size=len(t))
    return Data(t, r, kind_of, y)


def people_and_models(seed: int, *, rho: float = 0.6, n_targets: int = 100) -> Data:
    """Draw the design of the coverage study: 8 people of whom 3 rate each target, 2 models that rate all of them twice.

    Relative reliabilities of one rating are .444 and .667, absolute ones .404 and .595.
    """
    shared = rho * np.sqrt(0.4 * 0.5)
    return draw(
        seed,
        n_targets=n_targets,
        sigma=[[0.4, shared], [shared, 0.5]],
        raters=(8, 2),
        per_target=(3, 2),
        replicates=(1, 2),
        severity=0.09,
        interaction=0.0,
        noise=(0.5, 0.25),
    )


def sparse(seed: int) -> Data:
    """Draw a small unbalanced table with one to three kinds, rounded to points in half of the cases."""
    rng = np.random.default_rng(seed)
    n_kinds, n_targets = int(rng.integers(1, 4)), int(rng.integers(5, 25))
    kind_of = np.concatenate([np.arange(n_kinds), rng.integers(0, n_kinds, int(rng.integers(1, 4 * n_kinds)))])
    t, r = np.nonzero(rng.random((n_targets, len(kind_of))) < rng.uniform(0.4, 1.0))
    times = rng.integers(1, 3, n_kinds)[kind_of[r]]
    t, r = np.repeat(t, times), np.repeat(r, times)
    labels, r = np.unique(r, return_inverse=True)
    t = np.unique(t, return_inverse=True)[1]
    kind_of = np.unique(kind_of[labels], return_inverse=True)[1]
    n_kinds = int(kind_of.max()) + 1
    u = rng.normal(size=(n_targets, n_kinds)) @ (rng.normal(size=(n_kinds, n_kinds)) * rng.uniform(0.0, 1.2))
    y = u[t, kind_of[r]] + rng.uniform(0.0, 0.8) * rng.normal(size=len(kind_of))[r]
    y += rng.uniform(0.3, 1.0, n_kinds)[kind_of[r]] * rng.normal(size=len(t))
    if rng.random() < 0.5:
        y = np.clip(np.round(y + 3.0), 1.0, 5.0)
    return Data(t, r, kind_of, y)


@pytest.fixture(scope="session")
def peer_table() -> Callable[..., Data]:
    """Return a reader of the tables beside this file, the raters of ``kinds`` only, kinds numbered in that order."""

    def read(name: str, column: str, kinds: Sequence[str]) -> Data:
        frame = pl.read_csv(HERE / name).filter(pl.col(column).is_in(kinds))
        target, rater = (np.unique(frame[c].to_numpy(), return_inverse=True)[1] for c in ("target", "rater"))
        kind_of = np.zeros(int(rater.max()) + 1, dtype=np.intp)
        kind_of[rater] = [kinds.index(kind) for kind in frame[column]]
        return Data(target, rater, kind_of, frame["y"].to_numpy())

    return read
