"""``dialgauge evaluate`` as a user starts it: simulate, rate and abilities in one command."""

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from dialgauge.cli import run
from dialgauge.io.study import read_study

from .conftest import command_line
from .test_simulate import TOY, wait_for_dialogues

SMALL = ("--personas", "4", "--preferences", "2")
SLOWLY = ("--preferences", "2", "--concurrency", "2")
REPORT = "Abilities, 0 to 5"
TWO = ("--system", "popularity", "--system", "attributes")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one, with a module of systems."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    return tmp_path


def count(root: Path) -> tuple[int, int]:
    """Return how many dialogues and ratings there are."""
    with sqlite3.connect(root / "study.db") as connection:
        query = "SELECT (SELECT count(*) FROM simulations), (SELECT count(*) FROM ratings)"
        dialogues, ratings = connection.execute(query).fetchone()
    return dialogues, ratings


def test_one_command_goes_from_nothing_to_abilities_and_a_page_and_again_does_only_what_lacks(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", "films", *TWO, *SMALL, "--html", "page.html", "--out", "all.jsonl"]) == 0
    first = capsys.readouterr().out
    said = ("Done: 16 new dialogues", "Done: 96 new ratings with a value, 0 missing.", REPORT, "Next:")
    places = [first.index(part) for part in said]
    assert places == sorted(places)
    assert "dialgauge compare films" in first
    assert "<h1>films</h1>" in (here / "page.html").read_text(encoding="utf-8")
    assert len((here / "all.jsonl").read_text(encoding="utf-8").splitlines()) == 16
    assert run(["evaluate", "films", *TWO, *SMALL]) == 0
    again = capsys.readouterr().out
    assert "All there: 16 dialogues" in again
    assert "All there: 96 ratings" in again
    assert again.partition(REPORT)[2] == first.partition(REPORT)[2] != ""
    assert count(here / "films") == (16, 96)


def test_a_study_that_it_begins_has_a_code_rater_and_no_made_up_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", "films", *TWO, *SMALL]) == 0
    (rater,) = read_study(here / "films").study.raters
    assert (rater.name, rater.kind) == ("counts", "code")
    capsys.readouterr()
    assert run(["abilities", "films", "--json"]) == 0
    (data_set,) = json.loads(capsys.readouterr().out)["data_sets"]
    assert data_set["made_up"] == []
    families = {measure["family"] for system in data_set["systems"] for measure in system["measures"]}
    assert families == {"recommendation", "success", "acceptance", "sincerity", "reliability"}


def test_killed_in_the_middle_it_goes_on_and_doubles_nothing(here: Path) -> None:
    command = command_line("evaluate", "films", "--system", "toy:slow", "--personas", "12", *SLOWLY)
    with subprocess.Popen(command, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True) as child:
        wait_for_dialogues(child, here / "films" / "study.db", 2)
        os.kill(child.pid, signal.SIGKILL)
    assert 2 <= count(here / "films")[0] < 24
    ended = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert count(here / "films") == (24, 144)


def test_interrupted_it_ends_with_130_and_neither_rates_nor_reports(here: Path) -> None:
    command = command_line("evaluate", "films", "--system", "toy:slow", "--personas", "12", *SLOWLY)
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        wait_for_dialogues(child, here / "films" / "study.db", 2)
        os.kill(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "Interrupted; what was finished is kept" in out
    assert "ratings to collect" not in out
    assert REPORT not in out


def test_a_system_that_is_left_ends_with_1_and_the_others_are_reported_all_the_same(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--system", "popularity", "--system", "toy:broken", "--personas", "12", "--preferences", "1")
    assert run(["evaluate", str(here / "films"), *asked]) == 1
    out, err = capsys.readouterr()
    assert "left early: toy:broken" in err
    assert "films: 2 systems, 12 dialogues each" in out
    assert "toy:broken: all dialogues failed by the system" in " ".join(out.split())


def test_where_no_dialogue_has_a_reply_it_says_so_and_stops(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", str(here / "films"), "--system", "toy:broken", *SMALL]) == 2
    out, err = capsys.readouterr()
    assert "no dialogue has a proper reply of a system" in err
    assert REPORT not in out


def test_an_estimate_simulates_and_rates_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "films", *TWO, *SMALL, "--estimate", "--html", "page.html"]) == 0
    assert "16 of 16 dialogues to simulate" in capsys.readouterr().out
    assert not (here / "films").exists()
    assert not (here / "page.html").exists()


def test_the_raters_of_a_study_that_is_there_are_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text("def rate(dialogue, dimension):\n    return 3\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        'name = "mine"\ninstrument = "concept"\n'
        '[[raters]]\nname = "all-alike"\nkind = "code"\nfunction = "mine:rate"\n',
        encoding="utf-8",
    )
    assert run(["evaluate", str(tmp_path), *TWO, *SMALL]) == 0
    out = capsys.readouterr().out
    assert "Social awareness  " in out.partition("What could not be computed")[0]
    assert "Rated measures: take" not in out
