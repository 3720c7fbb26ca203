"""`dialgauge rate`: what it says of what it did, and what may be changed before and after."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from dialgauge.cli import run
from dialgauge.collect.tally import Tally
from dialgauge.io.store import open_store
from dialgauge.io.study import init_study
from dialgauge.report.collection.terminal import say_errors

Captured = pytest.CaptureFixture[str]

CODE = '[[raters]]\nname = "own"\nkind = "code"\nfunction = "own_of_{name}:rate"\n'


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    init_study("s")
    change("# dimensions = ", "dimensions = ")


def change(old: str, new: str) -> None:
    text = Path("s/study.toml").read_text(encoding="utf-8")
    assert old in text
    Path("s/study.toml").write_text(text.replace(old, new, 1), encoding="utf-8")


def write_code(name: str, *lines: str) -> None:
    """Write a function of one's own into a module that no other test has, and name it in the study."""
    Path(f"s/own_of_{name}.py").write_text("\n    ".join(["def rate(dialogue, dimension):", *lines]) + "\n")
    if "own_of_" not in Path("s/study.toml").read_text():
        change("[prompt]", CODE.format(name=name) + "[prompt]")


@pytest.mark.parametrize("command", ["rate", "check", "probe"])
def test_an_estimate_leaves_nothing_behind(command: str, capsys: Captured) -> None:
    assert run([command, "s", "--estimate"]) == 0
    assert "to collect" in capsys.readouterr().out
    with open_store("s/study.db") as store:
        assert store.count_targets(purpose=None) == 0
        assert store.raters() == ()
        assert store.runs().height == 0


def test_a_study_may_be_changed_until_there_is_a_rating_and_then_old_and_new_are_named(capsys: Captured) -> None:
    change('endpoint = "fake"', 'endpoint = "http://127.0.0.1:1/v1"\nkey_env = "DG_NO_SUCH_KEY"')
    assert run(["rate", "s"]) == 2
    assert "DG_NO_SUCH_KEY" in capsys.readouterr().err
    change('endpoint = "http://127.0.0.1:1/v1"\nkey_env = "DG_NO_SUCH_KEY"', 'endpoint = "fake"')
    lines = Path("s/targets.jsonl").read_text(encoding="utf-8").splitlines()
    other = json.loads(lines[0])
    other["turns"][0]["text"] = "Something else"
    Path("s/targets.jsonl").write_text("\n".join([json.dumps(other), *lines[1:]]), encoding="utf-8")
    assert run(["rate", "s"]) == 0
    change('endpoint = "fake"', 'endpoint = "fake"\ntemperature = 0.5')
    capsys.readouterr()
    assert run(["rate", "s"]) == 2
    assert "rater 'made-up' has changed since it rated (temperature was 1.0, is now 0.5)" in capsys.readouterr().err


def test_what_calls_said_where_they_failed_is_counted(capsys: Captured) -> None:
    change('endpoint = "fake"', 'endpoint = "http://127.0.0.1:1/v1"')
    change("attempts = 4", "attempts = 1")
    write_code("raising", "raise RuntimeError('no such word')")
    assert run(["rate", "s"]) == 1
    said = capsys.readouterr()
    out = " ".join(said.out.split())
    assert re.search(
        r"Why calls failed - made-up: [0-9]+ × model 'fake' at http://127\.0\.0\.1:1/v1 cannot be reached", out
    )
    assert "- own: 3 × RuntimeError: no such word" in out
    assert "what the calls said is above" in said.err


def test_the_three_errors_that_came_most_often_are_told_and_the_others_counted() -> None:
    tally = Tally(errors={"m": Counter({"rare": 1, "often": 9, "rarer": 1, "usual": 5, "some": 3})})
    assert say_errors(tally) == ["m: 9 × often; 5 × usual; 3 × some; 2 × something else"]


def test_calls_of_code_are_counted_apart_and_have_no_tokens(capsys: Captured) -> None:
    write_code("counting", "return 3")
    assert run(["rate", "s"]) == 0
    assert re.search(
        r"This time: 27 calls \(3 by code\); [0-9,]+ tokens in, [0-9]+ out; 0 USD", capsys.readouterr().out
    )
    change("replicates = 4", "replicates = 5")
    assert run(["rate", "s", "--rater", "own"]) == 0
    write_code("counting", "return 3")
    change('name = "own"', 'name = "again"')
    capsys.readouterr()
    assert run(["rate", "s", "--rater", "again"]) == 0
    assert re.search(r"This time: 3 calls by code; [0-9.]+ s\.", capsys.readouterr().out)


def test_what_does_not_apply_is_an_answer_and_not_missing(capsys: Captured) -> None:
    write_code("declining", "return None")
    assert run(["rate", "s", "--rater", "own"]) == 0
    said = capsys.readouterr().out
    assert "not-applicable" in said
    assert re.search(r"\nown +6 +0 +6 +0 +0\n", said)


def test_a_function_that_was_mended_is_refused_under_the_old_name_of_its_rater(capsys: Captured) -> None:
    write_code("mended", "return 1")
    assert run(["rate", "s", "--rater", "own"]) == 0
    write_code("mended", "return 5")
    capsys.readouterr()
    assert run(["rate", "s", "--rater", "own"]) == 2
    said = capsys.readouterr().err
    assert "the rater 'own' has changed since it rated (its code is not what it was); " in said
    assert "give the changed rater another name" in said


def test_ratings_beyond_the_plan_are_counted(capsys: Captured) -> None:
    assert run(["rate", "s"]) == 0
    change("replicates = 4", "replicates = 1")
    capsys.readouterr()
    assert run(["rate", "s"]) == 0
    said = capsys.readouterr().out
    assert "made-up: 18 more than planned" in said
    assert re.search(r"\nmade-up +6 +6 +0 +0\n", said)


def test_a_dialogue_that_was_taken_out_keeps_its_ratings_and_is_not_rated_further(capsys: Captured) -> None:
    change("replicates = 4", "replicates = 1")
    assert run(["rate", "s"]) == 0
    lines = Path("s/targets.jsonl").read_text(encoding="utf-8").splitlines()
    Path("s/targets.jsonl").write_text("\n".join(lines[1:]), encoding="utf-8")
    change("replicates = 1", "replicates = 2")
    capsys.readouterr()
    assert run(["rate", "s"]) == 0
    said = capsys.readouterr()
    assert "1 target of the study is no longer in targets.jsonl; its ratings are kept" in said.err
    assert "4 of 8 ratings to collect" in said.out
    with open_store("s/study.db") as store:
        assert store.ratings().frame.height == 6 + 4


def test_the_next_step_is_named(capsys: Captured) -> None:
    assert run(["rate", "s"]) == 0
    assert capsys.readouterr().out.endswith("\nNext: dialgauge check s\n")
    run(["check", "s"])
    assert capsys.readouterr().out.endswith("\nNext: dialgauge retest s\n")
    run(["check", "s", "--json"])
    assert "Next:" not in capsys.readouterr().out
    write_code("second", "return 3")
    run(["check", "s"])
    assert capsys.readouterr().out.endswith("\nNext: dialgauge reliability s\n")


def test_a_long_name_of_a_rater_is_whole_where_there_is_room(capsys: Captured) -> None:
    name = "a rater with a name of some length"
    change('name = "made-up"', f'name = "{name}"')
    assert run(["rate", "s", "--estimate"]) == 0
    assert f"\n{name} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("films.csv", "films.csv is no study; give the folder of a study, or its study.toml"),
        ("nowhere", "there is no study nowhere; check the path, or begin a study with dialgauge init nowhere"),
        ("no where", "begin a study with dialgauge init 'no where'"),
    ],
)
def test_what_is_no_study_is_said_to_be_none(source: str, why: str, capsys: Captured) -> None:
    Path("films.csv").write_text("a,b\n1,2\n")
    assert run(["rate", source]) == 2
    assert why in capsys.readouterr().err
