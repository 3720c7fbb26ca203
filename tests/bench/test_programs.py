"""The benchmark programs run, with small tables, and say what they could not compare."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.parametrize(
    ("program", "job"),
    [("bench_reliability.py", "18 dimensions"), ("bench_panels.py", "parametric bootstrap, 20 refits")],
)
def test_a_benchmark_prints_its_jobs(program: str, job: str) -> None:
    run = subprocess.run(
        [sys.executable, str(BENCH / program), "--small"], capture_output=True, text=True, check=False, timeout=300
    )
    assert run.returncode == 0, run.stderr
    assert job in run.stdout
    assert "crossed REML" in run.stdout


def test_the_benchmark_of_repeated_measurement_prints_seconds_and_memory() -> None:
    run = subprocess.run(
        [sys.executable, str(BENCH / "bench_retest.py"), "--small"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert "5,760 ratings, 8% missing, agreement on all" in run.stdout
    assert "peak memory" in run.stdout
