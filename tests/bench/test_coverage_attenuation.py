"""The program behind the table of correlations without the noise of people runs, and its rows are on the page."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_program_prints_a_row_per_world() -> None:
    program = str(ROOT / "bench" / "coverage_attenuation.py")
    run = subprocess.run(
        [sys.executable, program, "--runs", "6"], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    rows = [line.split("|")[1:4] for line in run.stdout.splitlines()[2:]]
    assert len(rows) == 18
    page = (ROOT / "docs" / "kinds.md").read_text(encoding="utf-8")
    assert all(f"|{'|'.join(row)}|" in page for row in rows)
