"""``dialgauge serve`` and ``dialgauge people``: what is printed, how they end, and what they refuse."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from dialgauge.cli import run
from dialgauge.cli.output import one_line
from dialgauge.collect.people import open_people
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study

from .conftest import command_line

pytest.importorskip("starlette", reason="the page for raters needs the extra: pip install 'dialgauge[web]'")

STUDY = 'name = "films"\ninstrument = "crs_que"\ndimensions = ["accuracy"]\n'
PEOPLE = "[people]\nper_target = 2\n"
TARGET = '{"id": "a<b", "turns": [{"speaker": "user", "text": "Hello"}]}\n'


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a study of one dialogue and one question."""
    (tmp_path / "study.toml").write_text(STUDY + PEOPLE, encoding="utf-8")
    (tmp_path / "targets.jsonl").write_text(TARGET, encoding="utf-8")
    open_store(tmp_path / "study.db", create=True).close()
    return tmp_path


@contextmanager
def serving(study: Path, *options: str) -> Iterator[tuple["subprocess.Popen[str]", dict[str, str]]]:
    """Start the server on a free port, and yield it with what it printed, by the first word of the line."""
    command = command_line("serve", study, "--port", "0", *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = {}
        try:
            for line in server.stdout:
                first, _, rest = line.strip().partition(" ")
                said[first] = rest.strip()
                if first == "Ctrl-C":
                    break
            yield server, said
        finally:
            server.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_prints_where_everything_is_and_ends_cleanly_when_it_is_told_to(study: Path, number: int) -> None:
    with serving(study, "--code-parameter", "PROLIFIC_PID") as (server, said):
        assert said["films:"] == "1 dialogue, 1 question each, 2 raters per dialogue"
        address = said["People"].rstrip("/")
        assert said["Panels"] == f"{address}/?PROLIFIC_PID=CODE"
        assert 'value="5f1"' in httpx.get(f"{address}/?PROLIFIC_PID=5f1", trust_env=False).text
        progress = httpx.get(said["Progress"], trust_env=False)
        assert "0 of 2 tasks completed" in progress.text
        os.kill(server.pid, number)
        out, err = server.communicate(timeout=30)
    assert (server.returncode, out, err) == (0, "Ended.\n", "")


def test_the_page_of_progress_has_the_same_address_after_a_restart(study: Path) -> None:
    tokens = []
    for _ in range(2):
        with serving(study) as (_, said):
            tokens.append(said["Progress"].partition("token=")[2])
    assert tokens[0] == tokens[1] != ""


def test_serving_to_other_machines_is_warned_of(study: Path) -> None:
    with serving(study, "--host", "0.0.0.0") as (server, _):  # noqa: S104 (the warning is about this)
        os.kill(server.pid, signal.SIGTERM)
        _, err = server.communicate(timeout=30)
    assert "not encrypted; put TLS in front" in err


def test_a_port_that_is_taken_is_told_in_one_line(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert run(["serve", str(study), "--port", str(taken.getsockname()[1])]) == 2
    err = capsys.readouterr().err
    assert "cannot be used" in err
    assert "--port" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "targets", "options", "told"),
    [
        (STUDY + '[[raters]]\nname = "c"\nkind = "code"\n', TARGET, [], "add a table [people]"),
        (STUDY + PEOPLE + 'instructions = "none.txt"\n', TARGET, [], "none.txt"),
        (STUDY + PEOPLE, TARGET, ["--code-parameter", "a b"], "--code-parameter is a word"),
        (STUDY + PEOPLE, TARGET, ["--host", "no host"], "no host"),
        (STUDY + PEOPLE, "", [], "dialogue"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    study: Path, capsys: pytest.CaptureFixture[str], text: str, targets: str, options: list[str], told: str
) -> None:
    (study / "study.toml").write_text(text, encoding="utf-8")
    (study / "targets.jsonl").write_text(targets, encoding="utf-8")
    assert run(["serve", str(study), "--port", "0", *options]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1


def test_people_shows_nobody_then_who_did_what_and_json_has_it_all(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["people", str(study)]) == 0
    assert "Nobody has entered yet." in capsys.readouterr().out
    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        done, held = people.enter("anna"), people.enter("ben\u00e9")
        for name in (done, held):
            assert people.next_task(name) is not None
        people.answer(done, "a<b", "accuracy", 4.0)
        people.complete(done, "a<b")
    assert run(["people", str(study)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 of 2 tasks completed: 1 dialogue, 0 have all their raters"
    assert [line.split()[:4] for line in lines[4:6]] == [
        ["person-001", "anna", "1", "0"],
        ["person-002", "bené", "0", "1"],
    ]
    assert lines[-1] == "Completed: 1 dialogue by 1 rater. 1 dialogue held just now."
    assert run(["people", str(study), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["wanted"], found["completed"], found["reserved"]) == ("dialgauge.people", 2, 1, 1)
    assert [(one["rater"], one["code"]) for one in found["people"]] == [("person-001", "anna"), ("person-002", "bené")]
    assert found["targets"] == [{"target": "a<b", "completed": 1, "reserved": 1, "wanted": 2}]


@pytest.mark.parametrize("who", ["person-001", "anna"])
def test_give_back_frees_what_somebody_holds_by_name_or_code(
    study: Path, capsys: pytest.CaptureFixture[str], who: str
) -> None:
    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        assert people.next_task(people.enter("anna")) is not None
    assert run(["people", str(study), "--give-back", who]) == 0
    assert "1 dialogue freed of person-001" in capsys.readouterr().err
    assert run(["people", str(study), "--give-back", who]) == 0
    assert "person-001 holds no dialogue" in capsys.readouterr().err
    assert run(["people", str(study), "--give-back", "carl"]) == 2
    assert one_line("nobody has entered as 'carl'") in capsys.readouterr().err
