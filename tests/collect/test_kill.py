"""Killed at any moment, a collection has kept what it had counted, and goes on without doing anything twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from .conftest import RATER, Desk, write_study

KILLS = 20

CHILD = """
import sys
from collections.abc import Sequence
from dialgauge.cli import run
from dialgauge.collect.tally import Tally

add = Tally.add

def tell(tally, items):
    add(tally, items)
    sys.stdout.write(f"told {tally.done}\\n")
    sys.stdout.flush()

Tally.add = tell
sys.exit(run(["rate", sys.argv[1]]))
"""


def collect_until_killed(root: Path, seconds: float) -> int:
    """Start the command in a process of its own, kill it ``seconds`` after its first count, return its last count."""
    with subprocess.Popen([sys.executable, "-c", CHILD, str(root)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = 0
        for line in child.stdout:
            if line.startswith("told"):
                told = int(line.split()[1])
                break
        time.sleep(seconds)
        os.kill(child.pid, signal.SIGKILL)
        for line in child.stdout:  # what it had said before it died
            if line.startswith("told") and line.endswith("\n"):
                told = int(line.split()[1])
    return told


def test_twenty_kills_lose_no_rating_that_was_counted_and_double_none(tmp_path: Path) -> None:
    fake = {**RATER, "endpoint": "fake", "fake": {"seconds": 0.02, "garbage": 0.1}}
    root = write_study(tmp_path, n_targets=300, replicates=4, raters=[fake], limits={"allowed_missing": 0.2})
    Desk(root).open().close()
    rng = np.random.default_rng(3)
    grown = [0]
    for _ in range(KILLS):
        told = collect_until_killed(root, float(rng.uniform(0.0, 0.25)))
        with sqlite3.connect(root / "study.db") as connection:
            there, keys, paired = connection.execute(
                "SELECT count(*), count(DISTINCT rater || '|' || target || '|' || dimension || '|' || replicate),"
                " (SELECT count(*) FROM ratings r JOIN attempts a ON a.id = r.attempt AND a.target = r.target)"
                " FROM ratings"
            ).fetchone()
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert there >= told > 0
        assert there == keys == paired
        grown.append(there)
    assert grown == sorted(grown)
    assert len(set(grown)) > KILLS // 2  # it was killed at work, not before or after
    assert grown[-1] < 2400
    finished = subprocess.run([sys.executable, "-m", "dialgauge", "rate", str(root)], check=False, capture_output=True)
    assert finished.returncode == 0, finished.stderr
    with Desk(root).open() as store:
        (counts,) = store.counts()
        assert counts.with_value + sum(counts.missing.values()) == 2400
        assert set(counts.missing) <= {"unparsed"}
        assert store.attempts()["number"].min() == 1
