"""The program behind the table of compared systems in docs/statistics.md runs, and its rows are on the page."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*options: str) -> list[list[str]]:
    """Return the cells of the rows that the program prints."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "coverage_compare.py"), *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if re.match(r"\| (normal|acceptance)", line)]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


def test_the_program_prints_a_row_per_world_and_resumes(tmp_path: Path) -> None:
    options = ["--runs", "2", "--personas", "6", "--systems", "2", "--keep", str(tmp_path / "cells.jsonl")]
    first = run(*options)
    assert len(first) == 10
    kept = (tmp_path / "cells.jsonl").read_text(encoding="utf-8")
    assert run(*options) == first
    assert (tmp_path / "cells.jsonl").read_text(encoding="utf-8") == kept


def test_the_page_shows_the_worlds_of_the_program() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8").split("## Comparing systems", 1)[1]
    shown = [line for line in page.splitlines() if re.match(r"\| (normal|acceptance)", line)]
    assert {row.split("|")[1].strip() for row in shown} == {
        "normal",
        "acceptance 0.5",
        "acceptance 0.1",
        "acceptance 0.1 to 0.9",
        "normal, 3 raters",
        "normal, 10 raters",
    }
