"""``dialgauge simulate`` with what users and systems should not do: one line, nothing lost, nothing left behind."""

import sys
from pathlib import Path

import pytest

from dialgauge.cli import run
from dialgauge.io.simulated import read_simulations

from .conftest import Command

FOUR = ("--personas", "4", "--preferences", "1")

ODD = """
import asyncio, os, sys

def wanders(turns):
    os.chdir("/")
    return "What genre do you like?"

def closes(turns):
    sys.stdout.close()
    sys.stderr.close()
    return "What genre do you like?"

async def cancels(turns):
    raise asyncio.CancelledError
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one; modules in it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    for name in ("odd_systems", "changing_system", "odd_import"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "odd_systems.py").write_text(ODD, encoding="utf-8")
    return tmp_path


def simulate(*arguments: str) -> int:
    return run(["simulate", "study", *arguments])


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that was said on standard error."""
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--system", "populrity"), "did you mean popularity?"),
        (("--system", "popularity", "--users", "gpt"), "'gpt' is no language model"),
        (("--system", "a\nb=popularity"), "the system 'a\\nb' has a sign in its name that cannot be printed"),
        (("--system", "a\udced=popularity"), "the system 'a\\udced' has a sign in its name that cannot be printed"),
        (("--system", f"{'x' * 500}=popularity"), "has a name of 500 characters; give it one of 200"),
        (("--system", "popularity", "--personas", "9" * 5000), "there is no persona '9999"),
        (("--system", "popularity", "--personas", ","), "no persona is named; give a number from 1 to 48"),
        (("--system", "popularity", "--personas", ""), "no persona is named; give a number from 1 to 48"),
        (("--system", "popularity", "--out", "study/targets.jsonl"), "there is no folder study"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line_and_no_study_is_begun(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert simulate(*arguments) == 2
    assert said in complaint(capsys)
    assert not (here / "study").exists()


def test_an_estimate_of_a_new_study_leaves_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate("--system", "popularity", *FOUR, "--estimate") == 0
    assert "4 of 4 dialogues to simulate" in capsys.readouterr().out
    assert not (here / "study").exists()
    assert simulate("--system", "popularity", *FOUR) == 0
    capsys.readouterr()
    assert simulate("--system", "popularity", "--personas", "5", "--preferences", "1", "--estimate") == 0
    assert "1 of 5 dialogues to simulate" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("raise BaseException('boo')", 2, "importing odd_import fails with BaseException: boo; correct the module"),
        ("raise SystemExit(0)", 2, "importing odd_import fails with SystemExit: 0"),
        ("raise KeyboardInterrupt", 130, ""),
    ],
)
def test_whatever_a_module_raises_when_it_is_imported_is_no_traceback(
    here: Path, capsys: pytest.CaptureFixture[str], text: str, code: int, said: str
) -> None:
    (here / "odd_import.py").write_text(f"{text}\n", encoding="utf-8")
    assert simulate("--system", "odd_import:reply", *FOUR) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_a_database_without_its_study_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "study").mkdir()
    (here / "study" / "study.db").touch()
    assert simulate("--system", "popularity") == 2
    assert "study has a study.db and no study.toml; put the study.toml back" in complaint(capsys)


def test_the_dialogues_of_the_study_itself_are_not_overwritten(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "study", "--instrument", "concept"]) == 0
    before = (here / "study" / "targets.jsonl").read_bytes()
    capsys.readouterr()
    assert simulate("--system", "popularity", *FOUR, "--out", "study/targets.jsonl") == 2
    assert "study/targets.jsonl holds the study's own dialogues" in complaint(capsys)
    assert (here / "study" / "targets.jsonl").read_bytes() == before


def test_a_system_that_changes_the_current_folder_moves_no_file_of_ours(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate("--system", "odd_systems:wanders", *FOUR, "--out", "all.jsonl") == 0
    assert "wrote all.jsonl (4 dialogues)" in capsys.readouterr().err
    assert Path.cwd() == here
    assert len(read_simulations(here / "all.jsonl")) == len(read_simulations(here / "study")) == 4


def test_a_system_that_closes_the_output_takes_nothing_away(here: Path, dialgauge: Command) -> None:
    said = dialgauge("simulate", "study", "--system", "odd_systems:closes", *FOUR, "--out", "all.jsonl")
    assert said.returncode == 0, said.stderr
    assert "Done: 4 new dialogues" in said.stdout
    assert "wrote all.jsonl" in said.stderr
    assert len(read_simulations(here / "all.jsonl")) == 4


def test_a_system_that_cancels_itself_has_crashed_in_each_of_its_dialogues(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate("--system", "odd_systems:cancels", *FOUR) == 0
    assert "- system: crashed: 4" in capsys.readouterr().out
    failures = {simulation.dialogue.failure for simulation in read_simulations(here / "study")}
    assert failures == {"system: crashed: odd_systems:cancels raised CancelledError"}


def test_a_server_that_is_not_up_costs_no_dialogue_and_ends_with_1(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = ("--system", "mine=http://127.0.0.1:1", "--personas", "2", "--preferences", "1")
    assert simulate(*server) == 1
    said = capsys.readouterr()
    assert "Not finished, 2 dialogues still lacking" in said.out
    assert "dialogues that still lack: 2; run the same command again" in said.err
    assert read_simulations(here / "study") == ()


def write_system(here: Path, text: str) -> None:
    """Write another version of a system, as before a new start of Python."""
    (here / "changing_system.py").write_text(f"def reply(turns):\n    return {text!r}\n", encoding="utf-8")
    sys.modules.pop("changing_system", None)


def test_a_system_whose_source_has_changed_does_not_go_on_under_its_name(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = ("--system", "mine=changing_system:reply", "--preferences", "1")
    write_system(here, "What genre do you like?")
    assert simulate(*mine, "--personas", "2") == 0
    assert simulate(*mine, "--personas", "3") == 0
    write_system(here, "Which film did you like?")
    assert simulate(*mine, "--personas", "3") == 0  # all are there: nothing is mixed
    capsys.readouterr()
    assert simulate(*mine, "--personas", "4") == 2
    said = complaint(capsys)
    assert "what 'changing_system:reply' consists of has changed since dialogues of the system 'mine' were" in said
    assert "give it a name of its own, as in NAME=SPEC" in said
    assert len(read_simulations(here / "study")) == 3
    assert simulate("--system", "better=changing_system:reply", *FOUR) == 0
    write_system(here, "What genre do you like?")
    assert simulate(*mine, "--personas", "4") == 0
