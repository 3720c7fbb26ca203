"""Comparisons of people and models, and one with hostile names."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.kinds import KindsComparison, compare_kinds
from dialgauge.io import from_frame

HOSTILE = "<script>alert(1)</script> a & b_c 100% \x1b[31mred\x07\u202egnp"
"""A name that could break HTML and terminals."""

PEOPLE = [f"p{j}" for j in range(6)]


def make(*, models: int = 2, replicates: int = 2, dimensions: int = 2, hostile: bool = False) -> KindsComparison:
    """Compare six people, of whom three rate each of 30 targets, with models that rate all; the last is constant."""
    rng = np.random.default_rng(8)
    kind = HOSTILE if hostile else "llm"
    rows = []
    for d in range(dimensions):
        name = HOSTILE if hostile and d == 0 else f"d{d}"
        severity = dict(zip([*PEOPLE, "m0", "m1"], 0.4 * rng.normal(size=8), strict=True))
        for t in range(30):
            seen = rng.multivariate_normal([4.0, 4.5], [[1.0, 0.7], [0.7, 1.0]])
            people = [(str(rater), 0, 1) for rater in rng.choice(PEOPLE, 3, replace=False)]
            for rater, which, times in [*people, *((f"m{j}", 1, replicates) for j in range(models))]:
                for s in range(times):
                    y = seen[which] + severity[rater] + 0.8 * rng.normal()
                    rows.append((f"t{t:02d}", rater, s + 1, name, float(np.clip(np.round(y), 1, 7))))
    rows += [(f"t{t:02d}", rater, 1, "same", 4.0) for t in range(3) for rater in (*PEOPLE[:2], "m0")]
    frame = pl.DataFrame(rows, schema=["target", "rater", "replicate", "dimension", "value"], orient="row")
    kinds = {**dict.fromkeys(PEOPLE, "human"), **{f"m{j}": kind for j in range(models)}}
    return compare_kinds(from_frame(frame, scale="1:7"), kinds)


@pytest.fixture(scope="session")
def compared() -> KindsComparison:
    return make()


@pytest.fixture(scope="session")
def one_model() -> KindsComparison:
    """Return people and one model with one rating per target: its noise cannot be told."""
    return make(models=1, replicates=1, dimensions=1)


@pytest.fixture(scope="session")
def hostile() -> KindsComparison:
    made = make(hostile=True, dimensions=1)
    return replace(made, source=HOSTILE, scale=HOSTILE, notes=(HOSTILE,), findings=(HOSTILE,))
