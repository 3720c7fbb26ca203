"""``dialgauge retest`` from the outside."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dialgauge.cli import run
from dialgauge.io import write_long
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study
from dialgauge.model import Attempt, Dialogue, Rating, Turn
from dialgauge.simulate.retest import RepeatProfile, generate_retest_study

PROFILES = [RepeatProfile(name, "", 0.97) for name in ("pace", "pause")]
SCALE = ("--scale", "-50.0:150.0")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_long(generate_retest_study(PROFILES, seed=1, n_targets=60), "ratings.csv")


def test_the_studies_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retest", "ratings.csv", *SCALE]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "60 targets × 2 dimensions × 3 raters × 4 replicates" in said.out
    assert "- H3, stable when the rater changes. Of 2 dimensions excellent by all raters" in said.out


def test_every_output_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--csv", "a.csv", "--latex", "a.tex", "--html", "a.html", "--json", "--form", "shrout-fleiss"]
    assert run(["retest", "ratings.csv", *SCALE, *options]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["form"] == "shrout-fleiss"
    assert said.err == "wrote a.csv\nwrote a.tex\nwrote a.html\n"
    assert r"\label{tab:retest-agreement}" in Path("a.tex").read_text(encoding="utf-8")


def test_a_folder_gets_a_file_for_each_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retest", "ratings.csv", *SCALE, "--latex", "tables/"]) == 0
    assert len(list(Path("tables").glob("*.tex"))) == 15
    assert "wrote tables/agreement.tex" in capsys.readouterr().err


def test_repeated_ratings_without_a_number_are_numbered_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    import polars as pl

    pl.read_csv("ratings.csv").drop("replicate", "missing").write_csv("bare.csv")
    assert run(["retest", "bare.csv", *SCALE]) == 2
    assert run(["retest", "bare.csv", *SCALE, "--duplicates", "replicate", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["replicates"] == [1, 2, 3, 4]


STUDY = """
name = "s"
instrument = "small.toml"
replicates = 2
raters = [{name = "m", kind = "llm", model = "x", endpoint = "fake"}]
"""
INSTRUMENT = """
name = "small"
version = "1"
title = "Small"
scale = {level = "ordinal", points = [1, 2, 3, 4, 5]}
dimensions = [{name = "trust", title = "Trust", group = "bond"}]
"""


@pytest.fixture
def study() -> str:
    """Return the folder of a study with two ratings of each of six dialogues, one of them refused."""
    Path("mine").mkdir()
    Path("mine/study.toml").write_text(STUDY, encoding="utf-8")
    Path("mine/small.toml").write_text(INSTRUMENT, encoding="utf-8")
    dialogues = [Dialogue(id=f"d{i}", turns=(Turn(speaker="user", text="Hello."),)) for i in range(6)]
    write_dialogues(dialogues, Path("mine/targets.jsonl"))
    folder = read_study("mine")
    with open_store(folder.store_url, create=True) as store:
        store.register(folder.study, folder.instrument, template="Rate {{ dialogue }}.")
        store.add_targets(dialogues)
        run_number = store.begin_run({}, seed=1)
        for i, replicate in ((i, replicate) for i in range(6) for replicate in (1, 2)):
            key = {"rater": "m", "target": f"d{i}", "replicate": replicate}
            refused = (i, replicate) == (5, 2)
            rating = Rating(
                **key,  # type: ignore[arg-type]
                dimension="trust",
                value=None if refused else float(i % 5 + 1),
                missing="refused" if refused else None,
            )
            call = Attempt(
                **key,  # type: ignore[arg-type]
                dimensions=("trust",),
                number=1,
                started=datetime(2026, 1, 1, tzinfo=UTC),
                seconds=0.1,
                state="refused" if refused else "ok",
                request="{}",
            )
            store.write(run_number, [(call, [rating])])
    return "mine"


def test_the_folder_of_a_study_is_read_from_its_store(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retest", study, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (repeat,) = found["repeats"]
    assert (repeat["group"], repeat["exact"], repeat["n_targets"], repeat["left_out"]) == ("bond", True, 5, ["d5"])
    assert repeat["missing"] == {"refused": 1}
    assert found["source"] == "mine"


def test_a_study_knows_its_columns_itself(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retest", study, "--scale", "1:5"]) == 2
    assert "--scale is about a table" in capsys.readouterr().err


def test_a_study_without_the_dimension_is_said_so(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["retest", study, "--dimensions", "ease"]) == 2
    assert "no ratings of the dimension 'ease'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((*SCALE, "--form", "x"), "choose among printed, shrout-fleiss"),
        ((*SCALE, "--agreement-on", "x"), "choose among excellent, all"),
        ((*SCALE, "--weights", "x"), "choose among quadratic, linear"),
        ((*SCALE, "--dominant", "1"), "must lie between 0 and 1"),
        ((*SCALE, "--where", "replicate == 1"), "no rater in ratings.csv rated a target twice"),
        ((*SCALE, "--latex", "ratings.csv"), "would replace the ratings"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], options: Sequence[str], words: str
) -> None:
    assert run(["retest", "ratings.csv", *options]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert words in said.err
