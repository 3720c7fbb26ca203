"""The command as a user starts it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

Run = subprocess.CompletedProcess[str]
Command = Callable[..., Run]

ROWS = [
    {"dialogue": f"d{target}", "rater": rater, "accuracy": accuracy, "same": 4}
    for target, ratings in enumerate([(5, 4, 5), (2, 1, 3), (4, 4, 4), (3, 2, 3), (1, 1, 2), (4, 3, 5)])
    for rater, accuracy in zip("abc", ratings, strict=True)
]

READING = ("--target", "dialogue", "--rater", "rater", "--scale", "1:5")


def command_line(*arguments: str | Path) -> list[str]:
    return [str(Path(sys.executable).with_name("dialgauge")), *map(str, arguments)]


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Return a file of ratings in which the dimension "same" is constant."""
    path = tmp_path / "ratings.csv"
    pl.DataFrame(ROWS).write_csv(path)
    return path


@pytest.fixture
def dialgauge(tmp_path: Path) -> Command:
    """Return a function that runs the command in an empty folder."""

    def start(*arguments: str | Path, **environment: str) -> Run:
        return subprocess.run(
            command_line(*arguments),
            cwd=tmp_path,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return start
