"""``dialgauge check`` and ``dialgauge probe`` from Python: forecast, collection, report, and bad input."""

import json
from pathlib import Path

import pytest
from tests.collect.conftest import write_study

from dialgauge.cli import run
from dialgauge.io.store import open_store

FAKE = {"name": "m", "kind": "llm", "model": "fake", "endpoint": "fake"}


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a study of twelve dialogues and a fake model on the instrument CONCEPT."""
    monkeypatch.chdir(tmp_path)
    return _begin("mine")


def _begin(name: str, **tables: object) -> str:
    write_study(Path(name), **{"n_targets": 12, "raters": [FAKE], "instrument": "concept", **tables})  # type: ignore[arg-type]
    open_store(Path(name) / "study.db", create=True).close()
    return name


def test_an_estimate_calls_nobody(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "probe"):
        assert run([command, study, "--estimate"]) == 0
        said = capsys.readouterr()
        assert "ratings to collect" in said.out
        assert said.err == ""
    with open_store(f"{study}/study.db") as store:
        assert store.spent().calls == 0


def test_checks_are_collected_once_and_then_only_reported(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", study]) == 0
    first = capsys.readouterr()
    assert "new ratings with a value, 0 missing" in first.err
    assert run(["check", study]) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (first.out, "")
    assert "known groups in order" in again.out


def test_a_probe_is_collected_once_and_then_only_reported(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--targets", "3", "--dimensions", "manner,relevance"]
    assert run(["probe", study, *options]) == 0
    first = capsys.readouterr()
    assert "dimensions: manner, relevance" in first.out
    assert run(["probe", study, *options]) == 0
    assert capsys.readouterr() == (first.out, "")


def test_json_and_page_come_beside_each_other(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, schema in (("check", "dialgauge.checks"), ("probe", "dialgauge.probe")):
        assert run([command, study, "--json", "--html", f"{command}.html"]) == 0
        said = capsys.readouterr()
        assert json.loads(said.out)["schema"] == schema
        assert f"wrote {command}.html" in said.err
        assert "<h1>" in Path(f"{command}.html").read_text(encoding="utf-8")


def test_ratings_of_checks_are_no_ratings_of_the_study(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", study])
    run(["probe", study, "--targets", "2"])
    capsys.readouterr()
    assert run(["rate", study]) == 0
    assert "m          192    192        0        0\n" in capsys.readouterr().out


def test_a_budget_that_does_not_suffice_leaves_a_report_of_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    study = _begin("poor", budget={"tokens": 30_000})
    assert run(["check", study, "--json"]) == 0
    said = capsys.readouterr()
    assert "The budget is spent" in said.err
    assert json.loads(said.out)["not_made"]


def test_repeated_ratings_are_reported_with_the_checks(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["rate", study])
    run(["check", study])
    capsys.readouterr()
    assert run(["retest", study, "--html", "r.html"]) == 0
    assert "Checks of the raters. 1 model rater" in capsys.readouterr().out
    assert 'id="checks"' in Path("r.html").read_text(encoding="utf-8")


def test_a_failed_check_forbids_every_use(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["rate", study])
    run(["check", study])
    capsys.readouterr()
    assert run(["decide", study, "--html", "d.html", "--out", "d.json"]) == 0
    assert "Failed\n- m, known groups in order" in capsys.readouterr().out
    decisions = json.loads(Path("d.json").read_text(encoding="utf-8"))["decisions"]
    assert {one["verdict"] for one in decisions} == {"do not use"}
    assert all("known groups in order" in " ".join(one["reasons"]) for one in decisions)
    assert 'id="checks"' in Path("d.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "nowhere"], "there is no study"),
        (["probe", "nowhere"], "there is no study"),
        (["probe", "mine", "--targets", "0"], "at least one target"),
        (["probe", "mine", "--dimensions", "0"], "at least one dimension"),
        (["probe", "mine", "--dimensions", ","], "--dimensions is empty"),
        (["probe", "mine", "--dimensions", "manners"], "no dimension 'manners'"),
        (["check", "mine", "--html", "none/c.html"], "there is no folder none"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    study: str, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert run(arguments) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert words in said.err


def test_a_study_of_code_alone_has_nothing_to_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    study = _begin("code", raters=[{"name": "words", "kind": "code", "measures": ["turns"]}])
    assert run(["check", study]) == 2
    assert "nothing could be checked" in capsys.readouterr().err
