"""``dialgauge serve`` and ``dialgauge people``: what is printed, how they end, and what they refuse."""

import json
import os
import signal
import socket
import sqlite3
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
        assert said["Panels"] == f"{address}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        assert 'value="5f1"' in httpx.get(f"{address}/?PROLIFIC_PID=5f1", trust_env=False).text
        progress = httpx.get(said["Progress"], trust_env=False)
        assert "0 of 2 tasks completed" in progress.text
        os.kill(server.pid, number)
        out, err = server.communicate(timeout=30)
    assert (server.returncode, out, err) == (0, "Ended.\n", "")


def test_a_name_that_is_the_code_of_somebody_else_frees_nothing_and_is_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        raters = [people.enter("person-002"), people.enter("zed")]
        for rater in raters:
            people.next_task(rater)
        assert run(["people", str(study), "--give-back", "person-002"]) == 2
        said = one_line(capsys.readouterr().err)
        assert (
            "'person-002' is the name of one rater and the code of another; give 'person-001' for the one who" in said
        )
        assert [people.held(rater) for rater in raters] == [("a<b",), ("a<b",)]
        assert run(["people", str(study), "--give-back", "person-001"]) == 0
        assert [people.held(rater) for rater in raters] == [(), ("a<b",)]


def test_progress_is_shown_while_another_process_holds_the_database(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["people", str(study)]) == 0
    with sqlite3.connect(study / "study.db", isolation_level=None) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert run(["people", str(study)]) == 0
        connection.execute("ROLLBACK")
    connection.close()
    assert capsys.readouterr().out.count("0 of 2 tasks completed") == 2


def test_completed_dialogues_that_lack_a_new_question_are_told_of_by_serve_and_people(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        rater = people.enter("anna")
        people.next_task(rater)
        people.answer(rater, "a<b", "accuracy", 4.0)
        people.complete(rater, "a<b")
    wider = STUDY.replace('["accuracy"]', '["accuracy", "novelty"]')
    (study / "study.toml").write_text(wider + PEOPLE, encoding="utf-8")
    told = "1 completed task lacks an answer to a question that is asked now"
    assert run(["people", str(study)]) == 0
    assert told in one_line(capsys.readouterr().out)
    assert run(["people", str(study), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unanswered"] == 1
    with serving(study) as (server, _):
        server.terminate()
        _, err = server.communicate(timeout=30)
    assert told in one_line(err)


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
    assert [line.split()[:7] for line in lines[5:7]] == [
        ["person-001", "anna", "1", "0", "0", "0", "0"],
        ["person-002", "bené", "0", "1", "-", "0", "0"],
    ]
    assert lines[-1] == "Completed: 1 dialogue by 1 rater. 1 dialogue held just now."
    assert run(["people", str(study), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["schema"], found["wanted"], found["completed"], found["reserved"]) == ("dialgauge.people", 2, 1, 1)
    assert [(one["rater"], one["code"]) for one in found["people"]] == [("person-001", "anna"), ("person-002", "bené")]
    keys = {"rater", "code", "completed", "reserved", "given_back", "revised", "seconds", "first_seen", "last_seen"}
    assert {*found["people"][0]} == keys | {"withdrew"}
    assert found["people"][1]["seconds"] is None
    assert found["targets"] == [{"target": "a<b", "completed": 1, "reserved": 1, "wanted": 2, "unanswered": 0}]


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


def test_withdraw_takes_somebody_out_by_name_or_code_and_erases_their_code_alone(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        for code in ("anna", "ben"):
            task = people.next_task(people.enter(code))
            assert task is not None
            people.answer(task.rater, "a<b", "accuracy", 4.0)
            people.complete(task.rater, "a<b")
    assert run(["people", str(study), "--withdraw", "ANNA", "--erase-codes"]) == 0
    said = capsys.readouterr()
    assert "person-001 is withdrawn: their answers stay in the database, and are in no analysis" in said.err
    assert "1 code erased; copies of the database, such as backups, still have what was in them" in said.err
    assert "1 of 2 tasks completed" in said.out
    assert "person-001  (erased)" in said.out
    assert "ben" in said.out
    assert "Withdrew, and counted nowhere else: person-001." in said.out
    assert run(["people", str(study), "--withdraw", "person-001"]) == 0
    assert "person-001 had withdrawn before" in capsys.readouterr().err
    assert run(["export", str(study)]) == 0
    table = capsys.readouterr().out
    assert "person-002" in table
    assert "person-001" not in table
    assert run(["people", str(study), "--erase-codes"]) == 0
    assert "1 code erased" in capsys.readouterr().err
    assert run(["people", str(study), "--withdraw", "carl"]) == 2
    assert one_line("nobody has entered as 'carl'") in capsys.readouterr().err


def test_a_study_is_copied_while_it_is_served_and_nothing_is_overwritten(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = study / "copy.db"
    with serving(study):
        assert run(["backup", str(study), str(file)]) == 0
        assert f"wrote {file}" in capsys.readouterr().err
    open_store(file).close()
    assert run(["backup", str(study), str(file)]) == 2
    assert "exists and is not overwritten; name a new file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("least_per_rater = 3\nmost_per_rater = 2\n", "nobody can do enough"),
        ("least_per_rater = 0\n", "least_per_rater"),
        ('code_parameter = "a b"\n', "code_parameter"),
    ],
)
def test_keys_of_people_that_cannot_be_are_told_in_one_line(
    study: Path, capsys: pytest.CaptureFixture[str], keys: str, why: str
) -> None:
    (study / "study.toml").write_text(STUDY + PEOPLE + keys, encoding="utf-8")
    assert run(["people", str(study)]) == 2
    err = capsys.readouterr().err
    assert why in err
    assert err.count("\n") == 1


def test_init_of_a_study_with_people_says_how_they_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = '[[raters]]\nname = "c"\nkind = "code"\n'
    for text, told in ((STUDY + PEOPLE, "serve"), (STUDY + code + PEOPLE, "serve {0} and dialgauge rate")):
        folder = tmp_path / str(len(text))
        folder.mkdir()
        (folder / "study.toml").write_text(text, encoding="utf-8")
        (folder / "targets.jsonl").write_text(TARGET, encoding="utf-8")
        assert run(["init", str(folder)]) == 0
        assert f"Next: dialgauge {told.format(folder)} {folder}\n" in capsys.readouterr().out
