"""Killed at any moment, a simulation has kept what it had counted, and goes on without doing anything twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

KILLS = 5
ARGUMENTS = ("--system", "slow:reply", "--personas", "24", "--preferences", "4", "--concurrency", "2")

SLOW = """
import time

def reply(turns):
    time.sleep(0.002)
    return {"text": f"What genre do you like, {len(turns)}?", "recommends": False}
"""

CHILD = """
import sys
from dialgauge.cli import run
from dialgauge.simulate.tally import SimulationTally

add = SimulationTally.add

def tell(tally, simulations):
    add(tally, simulations)
    sys.stdout.write(f"told {tally.done}\\n")
    sys.stdout.flush()

SimulationTally.add = tell
sys.exit(run(["simulate", *sys.argv[1:]]))
"""


def simulate_until_killed(root: Path, seconds: float) -> int:
    """Start the command in a process of its own, kill it ``seconds`` after its first count, return its last count."""
    command = [sys.executable, "-c", CHILD, str(root), *ARGUMENTS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root.parent) as child:
        assert child.stdout is not None
        told = 0
        for line in child.stdout:
            if line.startswith("told"):
                told = int(line.split()[1])
                break
        time.sleep(seconds)
        os.kill(child.pid, signal.SIGKILL)
        for line in child.stdout:
            if line.startswith("told") and line.endswith("\n"):
                told = int(line.split()[1])
    return told


def test_kills_lose_no_dialogue_that_was_counted_and_double_none(tmp_path: Path) -> None:
    root = tmp_path / "study"
    (tmp_path / "slow.py").write_text(SLOW)
    rng = np.random.default_rng(3)
    grown = [0]
    for _ in range(KILLS):
        told = simulate_until_killed(root, float(rng.uniform(0.0, 0.25)))
        with sqlite3.connect(root / "study.db") as connection:
            there, keys, whole, targets = connection.execute(
                "SELECT count(*), count(DISTINCT system || '|' || persona || '|' || preference || '|' || replicate),"
                " (SELECT count(DISTINCT simulation) FROM simulated_turns),"
                " (SELECT count(*) FROM targets t JOIN simulations s ON s.dialogue = t.id) FROM simulations"
            ).fetchone()
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert there >= told > 0
        assert there == keys == whole == targets
        grown.append(there)
    assert grown == sorted(grown)
    assert len({*grown}) > KILLS // 2  # it was killed at work, not before or after
    assert grown[-1] < 96
    command = [sys.executable, "-m", "dialgauge", "simulate", str(root), *ARGUMENTS]
    finished = subprocess.run(command, check=False, capture_output=True, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    with sqlite3.connect(root / "study.db") as connection:
        there, keys = connection.execute(
            "SELECT count(*), count(DISTINCT persona || '|' || preference || '|' || replicate) FROM simulations"
        ).fetchone()
    assert there == keys == 96
