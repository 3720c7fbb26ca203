"""The program behind the tables of docs/monitor.md runs, and its rows are on the page."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_program_prints_a_row_per_world() -> None:
    options = ["--runs", "2", "--occasions", "7", "--targets", "12", "--replicates", "2"]
    run = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "coverage_monitor.py"), *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    rows = [line for line in run.stdout.splitlines() if re.match(r"\| (shift|reliability|naive) ", line)]
    assert len(rows) == 19
    page = (ROOT / "docs" / "monitor.md").read_text(encoding="utf-8")
    drifts = {row.split("|")[4].strip() for row in rows} - {"none"}
    assert {drift for drift in drifts if f"| {drift} |" in page} == drifts
