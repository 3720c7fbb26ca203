"""``dialgauge simulate`` as a user starts it."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from dialgauge.io.simulated import read_simulations
from dialgauge.io.store import open_store

from .conftest import Command, command_line

SMALL = ("--personas", "4", "--preferences", "2")

TOY = """
import os, time

def reply(turns):
    return {"text": f"What genre do you like, {len(turns)}?", "recommends": False}

def broken(turns):
    raise ValueError("out of order")

def slow(turns):
    time.sleep(0.02)
    return reply(turns)

def page(turns):
    return "<!DOCTYPE html><p>502"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    (tmp_path / "toy.py").write_text(TOY)
    return tmp_path


def test_a_new_folder_is_begun_filled_and_ready_to_be_rated(dialgauge: Command, tmp_path: Path) -> None:
    run = dialgauge(
        "simulate", "study", "--system", "popularity", "--system", "attributes", *SMALL, "--out", "all.jsonl"
    )
    assert run.returncode == 0, run.stderr
    assert "16 of 16 dialogues to simulate" in run.stdout
    assert "Done: 16 new dialogues, 16 pairs of replies to a paraphrase." in run.stdout
    assert "dialgauge rate study" in run.stdout
    assert "wrote study/study.toml" in run.stderr
    assert "wrote all.jsonl (16 dialogues)" in run.stderr
    assert read_simulations(tmp_path / "all.jsonl") == read_simulations(tmp_path / "study")
    rated = dialgauge("rate", "study")
    assert rated.returncode == 0, rated.stderr
    with open_store(tmp_path / "study" / "study.db") as store:
        assert store.count_targets() == 16
        assert store.counts()[0].with_value == 16 * 8 * 4
        assert {target.system for target in store.targets()} == {"popularity", "attributes"}


def test_run_again_it_adds_only_what_lacks(dialgauge: Command, tmp_path: Path) -> None:
    for _ in range(2):
        run = dialgauge("simulate", "study", "--system", "popularity", *SMALL)
        assert run.returncode == 0, run.stderr
    assert "All there: 8 dialogues" in run.stdout
    before = read_simulations(tmp_path / "study")
    more = dialgauge(
        "simulate", "study", "--system", "popularity", "--personas", "5", "--preferences", "2", "--replicates", "2"
    )
    assert "12 of 20 dialogues to simulate" in more.stdout
    assert read_simulations(tmp_path / "study")[:8] == before


def test_a_study_of_dialgauge_init_keeps_its_own_dialogues_and_says_so(dialgauge: Command, tmp_path: Path) -> None:
    assert dialgauge("init", "study", "--instrument", "concept").returncode == 0
    run = dialgauge("simulate", "study", "--system", "popularity", *SMALL)
    assert run.returncode == 0, run.stderr
    assert "and the dialogues of study/targets.jsonl" in run.stdout
    assert dialgauge("rate", "study").returncode == 0
    with open_store(tmp_path / "study" / "study.db") as store:
        assert store.count_targets() == 8 + 3


def test_an_estimate_simulates_nothing(dialgauge: Command, tmp_path: Path) -> None:
    run = dialgauge("simulate", "study", "--system", "popularity", *SMALL, "--estimate")
    assert run.returncode == 0, run.stderr
    assert "8 of 8 dialogues to simulate" in run.stdout
    assert "160" in run.stdout
    assert not (tmp_path / "study").exists()


def test_named_personas_meet_a_function_of_ones_own_without_giving_up(dialgauge: Command, toy: Path) -> None:
    arguments = (
        "--system",
        "mine=toy:reply",
        "--personas",
        "boredom-teens,trust",
        "--preferences",
        "1",
        "--no-give-up",
    )
    run = dialgauge("simulate", "study", *arguments)
    assert run.returncode == 0, run.stderr
    found = read_simulations(toy / "study")
    assert {simulation.dialogue.system for simulation in found} == {"mine"}
    assert len({simulation.dialogue.persona.id for simulation in found}) == 5
    assert {simulation.dialogue.ended for simulation in found} == {"turn limit"}
    assert dialgauge("simulate", "study", *arguments[:-1]).stderr.count("'gives_up'") == 1


def test_a_system_that_is_out_of_order_ends_with_1_and_its_failures_written_down(dialgauge: Command, toy: Path) -> None:
    run = dialgauge("simulate", "study", "--system", "toy:broken", "--system", "popularity", "--personas", "12")
    assert run.returncode == 1
    assert "left early: toy:broken" in run.stderr
    assert "ValueError: out of order" in run.stdout
    assert "system: crashed" in run.stdout
    found = read_simulations(toy / "study")
    assert sum(simulation.dialogue.system == "popularity" for simulation in found) == 48
    assert {s.dialogue.ended for s in found if s.dialogue.system == "toy:broken"} == {"failed"}


def count_dialogues(database: Path) -> int:
    """Return how many dialogues there are, 0 while there is no such database or table."""
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM simulations").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def wait_for_dialogues(child: "subprocess.Popen[str]", database: Path, n: int) -> None:
    """Wait until ``child`` has written ``n`` dialogues."""
    until = time.monotonic() + 60.0
    while count_dialogues(database) < n:
        assert child.poll() is None, child.communicate()[1]
        assert time.monotonic() < until, "not written in time"
        time.sleep(0.02)


def test_interrupted_it_keeps_what_is_finished_ends_with_130_and_goes_on(toy: Path) -> None:
    command = command_line(
        "simulate", "study", "--system", "toy:slow", "--personas", "12", "--preferences", "2", "--concurrency", "2"
    )
    with subprocess.Popen(command, cwd=toy, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        wait_for_dialogues(child, toy / "study" / "study.db", 2)
        os.kill(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "ending the dialogues under way" in err
    assert "Interrupted; what was finished is kept" in out
    kept = read_simulations(toy / "study")
    assert 2 <= len(kept) < 24
    assert all(simulation.dialogue.ended != "failed" for simulation in kept)
    run = subprocess.run(command, cwd=toy, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert len(read_simulations(toy / "study")) == 24


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--system", "none:such"), "'none:such'"),
        (
            ("--system", "popularity", "--system", "popularity"),
            "the system 'popularity' is named twice; write NAME=SPEC",
        ),
        (("--system", "popularity", "--personas", "angry"), "no persona 'angry'"),
        (("--system", "popularity", "--personas", "99"), "there are 48 personas, got a wish for 99"),
        (("--system", "popularity", "--preferences", "100000"), "take fewer preferences"),
        (("--system", "popularity", "--catalogue", "none.csv"), "there is no catalogue 'none.csv'"),
        (("--system", "popularity", "--users", "gpt"), "'gpt' is no language model"),
        (("--system", "popularity", "--out", "all.csv"), "has the suffix '.csv'"),
        ((), "Missing option '--system'"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(dialgauge: Command, arguments: tuple[str, ...], message: str) -> None:
    run = dialgauge("simulate", "study", *arguments)
    assert run.returncode == 2
    assert message in run.stderr
    said = [line for line in run.stderr.splitlines() if not line.startswith("wrote ")]
    assert len(said) == 1
    assert "Traceback" not in run.stderr


def test_a_name_cannot_come_to_mean_another_system(dialgauge: Command) -> None:
    assert dialgauge("simulate", "study", "--system", "mine=popularity", *SMALL).returncode == 0
    run = dialgauge("simulate", "study", "--system", "mine=attributes", *SMALL)
    assert run.returncode == 2
    assert "the system 'mine' was 'popularity' when its dialogues were simulated, and is 'attributes' now" in run.stderr


def test_a_page_of_html_instead_of_a_reply_is_a_failure_on_record(dialgauge: Command, toy: Path) -> None:
    run = dialgauge("simulate", "study", "--system", "toy:page", *SMALL, "--out", "all.jsonl")
    assert run.returncode == 0, run.stderr
    for line in (toy / "all.jsonl").read_text().splitlines():
        assert json.loads(line)["turns"][1]["failure"] == "no reply: the reply is a page of HTML or XML"
