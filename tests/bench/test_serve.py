"""The benchmark of the page for raters runs, with few people."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


def test_people_at_once_have_every_answer_acknowledged() -> None:
    pytest.importorskip("uvicorn", reason="the page for raters needs the extra: pip install 'dialgauge[web]'")
    command = [sys.executable, str(BENCH / "bench_serve.py"), "--people", "10", "--dialogues", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    assert "10 dialogues" in run.stdout
    assert "180 answers" in run.stdout
    assert "; 0 refused" in run.stdout
