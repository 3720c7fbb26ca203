"""The classic data sets of the reference folder, as codes and values."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

Data = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


def codes(column: pl.Series) -> NDArray[np.intp]:
    return np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)[1]


@pytest.fixture(scope="session")
def reference(shared: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((shared / "reference/stats/reference.json").read_text())
    return values


@pytest.fixture(scope="session")
def crossed(shared: Path) -> Callable[[str, str, str, str], Data]:
    def read(name: str, target: str, rater: str, value: str) -> Data:
        frame = pl.read_csv(shared / f"reference/stats/{name}.csv")
        return codes(frame[target]), codes(frame[rater]), frame[value].cast(pl.Float64).to_numpy()

    return read


@pytest.fixture(scope="session")
def one_way(shared: Path) -> Callable[[str, str, str], Data]:
    """Read data in which each rating has a rater of its own."""

    def read(name: str, target: str, value: str) -> Data:
        frame = pl.read_csv(shared / f"reference/stats/{name}.csv")
        return codes(frame[target]), np.arange(len(frame)), frame[value].cast(pl.Float64).to_numpy()

    return read
