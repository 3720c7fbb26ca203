"""Reference values and tables of category codes for the agreement tests."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Codes = NDArray[np.intp]
Table = Callable[[str], tuple[Codes, int]]


@pytest.fixture(scope="session")
def reference(shared: Path) -> dict[str, Any]:
    """Return reference values made by R irr, psych and irrCAC, by Python irrCAC, and by hand."""
    values: dict[str, Any] = json.loads((shared / "reference" / "stats" / "reference.json").read_text())
    return values


@pytest.fixture(scope="session")
def table(shared: Path) -> Table:
    """Return a reader: name -> (codes of shape (targets, raters) with -1 for empty cells, number of categories)."""

    def read(name: str) -> tuple[Codes, int]:
        with (shared / "reference" / "stats" / f"{name}.csv").open() as file:
            rows = list(csv.reader(file))[1:]
        labels = sorted({cell for row in rows for cell in row if cell})
        return np.array([[labels.index(cell) if cell else -1 for cell in row] for row in rows]), len(labels)

    return read
