"""Ratings to analyse: the real crowd study, and small tables written out."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.io import from_frame, read_ratings
from dialgauge.model import Ratings
from dialgauge.stats.estimate import Estimate, Refusal

Rows = Sequence[tuple[str, str, float | None]]


def known(coefficient: Estimate | Refusal | None) -> Estimate:
    assert isinstance(coefficient, Estimate)
    return coefficient


def ends(coefficient: Estimate | Refusal) -> tuple[float, float]:
    estimate = known(coefficient)
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


@pytest.fixture(scope="session")
def crowd(shared: Path) -> Ratings:
    return read_ratings(
        shared / "data/crs_que_redial/annotations.csv",
        target="dialogue_id",
        rater="participant_id",
        instrument="crs-que",
        where="is_gold_standard == 0",
    )


@pytest.fixture
def table() -> Callable[..., Ratings]:
    """Return a maker of one-dimensional ratings from rows (target, rater, value)."""

    def make(rows: Rows, scale: str = "1:5", **options: Any) -> Ratings:  # noqa: ANN401 (passed on)
        frame = pl.DataFrame(list(rows), schema=["target", "rater", "value"], orient="row")
        return from_frame(frame, scale=scale, **options)

    return make
