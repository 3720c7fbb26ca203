"""A study of raters with one of each kind, and the same with hostile names."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from dialgauge.analyse.raters import RaterReport, analyse_raters
from dialgauge.io import from_frame

HOSTILE = "<script>alert(1)</script> a & b_c 100% \x1b[31mred\x07\u202egnp"
"""A name that could break HTML and terminals."""


def make(raters: int = 12, *, timed: bool = True, dimensions: int = 4, hostile: bool = False) -> RaterReport:
    rng = np.random.default_rng(11)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(15), np.arange(raters), indexing="ij"))
    values = 3.0 + rng.normal(size=(15, 1))[target] + 0.3 * rng.normal(size=(raters, 1))[rater]
    values = np.clip(np.round(values + 0.7 * rng.normal(size=(len(target), dimensions))), 1.0, 5.0)
    values[rater == 1] = np.clip(values[rater == 1] - 2.0, 1.0, 5.0)
    values[rater == 2] = rng.integers(1, 6, (15, dimensions))
    values[rater == 3] = 4.0
    names = [HOSTILE if hostile and j == 2 else f"rater_{j:02d}" for j in range(raters)]
    frame = pl.DataFrame(
        {
            "target": [f"t{i:02d}" for i in target],
            "rater": [names[j] for j in rater],
            **{(HOSTILE if hostile and d == 0 else f"d{d}"): values[:, d] for d in range(dimensions)},
        }
    )
    rows = np.arange(2, 2 + len(frame))
    seconds = pl.DataFrame({"row": rows, "value": np.where(rater == 4, 8.0, 60.0 + rater)})
    order = pl.DataFrame({"row": rows, "value": rows.astype(float)})
    ratings = from_frame(frame, target="target", rater="rater", dimensions=frame.columns[2:], scale="1:5")
    return analyse_raters(ratings, seconds=seconds if timed else None, order=order if timed else None)


@pytest.fixture(scope="session")
def report() -> RaterReport:
    """Return twelve raters: 1 is strict, 2 clicks at random, 3 gives one value, 4 is in a hurry."""
    return make()


@pytest.fixture(scope="session")
def plain() -> RaterReport:
    """Return one dimension without seconds: hardly anything can be told."""
    return make(timed=False, dimensions=1)


@pytest.fixture(scope="session")
def crowded() -> RaterReport:
    return make(35)


@pytest.fixture(scope="session")
def hostile() -> RaterReport:
    made = make(hostile=True)
    return replace(made, source=HOSTILE, scale=HOSTILE, notes=(HOSTILE,), findings=(HOSTILE,))
