"""``dialgauge compare`` as a user starts it."""

import json
from pathlib import Path

import polars as pl
import pytest
from tests.analyse.compare.examples import make_rated, make_values
from tests.cli.conftest import Command

from dialgauge.cli import run

READING = (
    "--target",
    "target",
    "--rater",
    "rater",
    "--value",
    "value",
    "--dimension",
    "dimension",
    "--scale",
    "-20.0:20.0",
)
COLUMNS = ("--system", "system", "--persona", "persona", "--preference", "preference")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return ratings of three systems with the users that they share."""
    rated = make_rated(make_values((0.0, 2.0, 0.0), n_raters=2))
    frame = rated.ratings.frame.select("target", "rater", "dimension", "value")
    for name in ("system", "persona", "preference"):
        entries = getattr(rated, f"{name}s")
        frame = frame.with_columns(pl.col("target").replace_strict(entries).alias(name))
    path = tmp_path / "ratings.csv"
    frame.write_csv(path)
    return path


def test_the_logs_of_four_systems_are_compared_by_data_set(dialgauge: Command, shared: Path) -> None:
    run = dialgauge("compare", shared / "data/concept_logs", "--measure", "acceptance", "--json")
    assert run.returncode == 0, run.stderr
    found = {each["data_set"]: each for each in json.loads(run.stdout)["data_sets"]}
    assert set(found) == {"opendialkg", "redial"}
    for each in found.values():
        better = [d["better"] for d in each["measures"][0]["differences"]]
        assert better.count("chatgpt") == 3, "it alone has users who accept"
        assert better.count(None) == 3
        assert "Systems met different users" in each["findings"][0]


def test_a_table_is_compared_and_all_files_are_written(dialgauge: Command, table: Path, tmp_path: Path) -> None:
    files = ("--html", "a.html", "--latex", "a.tex", "--csv", "a.csv")
    run = dialgauge("compare", table, *COLUMNS, *READING, "--margin", "6", "--difference", "1", *files)
    assert run.returncode == 0, run.stderr
    assert "two better, within ±6.00" in run.stdout
    assert "What a difference of 1.00 takes" in run.stdout
    for name in files[1::2]:
        assert (tmp_path / name).stat().st_size > 500


def test_only_the_systems_named_are_compared(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", str(table), *COLUMNS, *READING, "--system-names", "three, one", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["data_sets"]
    assert [system["system"] for system in found["systems"]] == ["one", "three"]
    assert found["n_comparisons"] == 1


def test_made_up_ratings_of_a_study_do_not_count_and_its_dialogues_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = str(tmp_path / "study")
    asked = ["--system", "popularity", "--system", "attributes", "--personas", "8", "--preferences", "3"]
    assert run(["simulate", study, *asked]) == 0
    assert run(["rate", study]) == 0
    capsys.readouterr()
    assert run(["compare", study, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["data_sets"]
    assert [system["system"] for system in found["systems"]] == ["attributes", "popularity"]
    assert {"acceptance", "consistent_action", "ability:quality"} <= {measure["name"] for measure in found["measures"]}
    reasons = {refused["name"]: refused["reason"] for refused in found["refused"]}
    assert reasons["manner"] == "all its ratings are made up, by a fake model"
    assert found["findings"][0].startswith("The ratings by made-up are made up")


def test_rated_dialogues_of_a_study_that_name_their_systems_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dialogues = [
        {"id": f"{system}{i}", "system": system, "turns": [{"speaker": "system", "text": text * (1 + i % 3)}]}
        for system, text in (("brief", "Well. "), ("wordy", "A good many words, one after another. "))
        for i in range(6)
    ]
    path = tmp_path / "dialogues.jsonl"
    path.write_text("".join(json.dumps(dialogue) + "\n" for dialogue in dialogues), encoding="utf-8")
    study = tmp_path / "study"
    assert run(["init", str(study), "--targets", str(path)]) == 0
    settings = study / "study.toml"
    text = settings.read_text(encoding="utf-8").split("[[raters]]")[0]
    settings.write_text(f'{text}\n[[raters]]\nname = "counter"\nkind = "code"\n', encoding="utf-8")
    assert run(["rate", str(study)]) == 0
    capsys.readouterr()
    assert run(["compare", str(study), "--measure", "words_per_turn_system", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["data_sets"]
    (difference,) = found["measures"][0]["differences"]
    assert difference["difference"]["value"] < 0.0
    assert found["systems"][0]["n_personas"] is None


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "a table needs --system"),
        (("--system", "nothing", *READING), "no column 'nothing' (--system)"),
        (("--system", "system", "--persona", "system", *READING), "is named for --system and for --persona"),
        (("--system", "persona", *READING, "--measure", "accuracy"), "there is no measure 'accuracy'"),
        (("--system", "system", *READING, "--level", "2"), "confidence level"),
        (("--system", "system", *READING, "--system-names", "one"), "got 'one' alone"),
    ],
)
def test_what_cannot_be_used_ends_with_one_line(
    arguments: tuple[str, ...], word: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", str(table), *arguments]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert len(said.splitlines()) == 1


def test_a_study_and_logs_know_their_columns(tmp_path: Path, shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", str(tmp_path / "study")]) == 0
    capsys.readouterr()
    for source in (tmp_path / "study", shared / "data/concept_logs"):
        assert run(["compare", str(source), "--persona", "user"]) == 2
        assert "--persona is about a table" in capsys.readouterr().err


def test_a_study_without_dialogues_of_systems_says_how_to_make_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", str(tmp_path / "study")]) == 0
    assert run(["compare", str(tmp_path / "study")]) == 2
    assert "make some with dialgauge simulate" in capsys.readouterr().err


def test_where_nothing_can_be_compared_the_code_is_2_and_the_reason_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"target": f"{s}{i}", "rater": "r", "system": s, "trust": 4} for s in "ab" for i in range(4)]
    path = tmp_path / "flat.csv"
    pl.DataFrame(rows).write_csv(path)
    options = ("--system", "system", "--target", "target", "--rater", "rater", "--scale", "1:5")
    assert run(["compare", str(path), *options]) == 2
    captured = capsys.readouterr()
    assert "the values of each system are all alike" in " ".join(captured.out.split())
    assert "could not be compared on any measure" in captured.err
