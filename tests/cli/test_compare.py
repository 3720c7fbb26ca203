"""``dialgauge compare`` as a user starts it."""

import json
from pathlib import Path

import numpy as np
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
    assert "two is better, within ±6.00" in run.stdout
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
    assert "4 dialogues were rated, fewer than the 5" in " ".join(captured.out.split())
    assert "could not be compared on any measure" in captured.err


def test_a_source_that_does_not_exist_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "nothere"]) == 2
    assert "there is no file or study 'nothere'" in capsys.readouterr().err


def test_ratings_of_one_dialogue_of_each_system_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"target": f"d{s}", "rater": f"r{r}", "system": s, "trust": mean + r % 2}
        for s, mean in (("A", 1), ("B", 4))
        for r in range(6)
    ]
    path = tmp_path / "one.csv"
    pl.DataFrame(rows).write_csv(path)
    options = ("--system", "system", "--target", "target", "--rater", "rater", "--scale", "1:5")
    assert run(["compare", str(path), *options]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "1 dialogue was rated, fewer than the 5" in said
    assert "tell of that dialogue and not of the system" in said
    assert "rate 5 dialogues of each system or more" in said
    assert "better" not in said


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return 24 users who rated each of their four conversations, two tasks with two systems."""
    rng = np.random.default_rng(11)
    users, likes = rng.normal(size=24), 0.8 * rng.normal(size=(2, 24))
    rows = [
        {
            "dialogue": f"{system}-{user}-{task}",
            "system": system,
            "participant": f"P{user}",
            "task": task,
            "trust": round(float(np.clip(4 + shift + users[user] + likes[s, user] + 0.6 * rng.normal(), 1, 7))),
        }
        for s, (system, shift) in enumerate((("A", 0.0), ("B", 0.8)))
        for user in range(24)
        for task in ("alone", "with friends")
    ]
    path = tmp_path / "own.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


OWN = ("--system", "system", "--preference", "task", "--target", "dialogue", "--rater", "participant", "--scale", "1:7")


def test_users_who_rate_their_own_conversations_are_raters_and_personas_in_one_column(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for extra in (("--persona", "participant"), ()):
        assert run(["compare", str(own), *OWN, *extra, "--difference", "0.5", "--json"]) == 0
        (each,) = json.loads(capsys.readouterr().out)["data_sets"]
        found.append(each["measures"][0])
    named, guessed = found
    assert named["cannot_tell"]["rater"] == "cannot be told from persona in these data"
    assert "persona x system" in named["variance"]
    assert named["differences"][0]["n_paired"] == 48
    assert guessed["differences"] == named["differences"], "without --persona, a rater of every dialogue is its user"


def test_users_who_rate_their_own_conversations_have_a_plan_without_raters(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", str(own), *OWN, "--persona", "participant", "--difference", "0.5", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["data_sets"]
    designs = found["measures"][0]["needed"]
    assert [design["n_raters"] for design in designs] == [None] * len(designs)
    assert min(design["n_preferences"] for design in designs) == 2, "the verdict is for other tasks too"


def test_another_column_still_has_one_role(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--system", "system", "--preference", "participant", "--target", "dialogue", "--rater", "participant")
    assert run(["compare", str(own), *options, "--scale", "1:7"]) == 2
    assert "is named for --rater and for --preference" in capsys.readouterr().err
