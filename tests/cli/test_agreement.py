"""``dialgauge agreement`` from the outside."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from dialgauge.cli import run

from .conftest import READING, Command

WORDS = ("asks", "tells", "chats", "tells", "asks")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def kinds(tmp_path: Path) -> str:
    """Return a file of ratings in categories without an order."""
    rows = [
        {"dialogue": f"d{t}", "rater": rater, "kind": WORDS[(t + (j == 2 and t % 3 == 0)) % 5]}
        for t in range(12)
        for j, rater in enumerate("abc")
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "kinds.csv")
    return "kinds.csv"


CATEGORIES = ("--target", "dialogue", "--rater", "rater", "--labels", "asks,tells,chats", "--nominal")


def test_the_table_is_printed_and_nothing_else(dialgauge: Command, ratings: Path) -> None:
    done = dialgauge("agreement", ratings, *READING)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert re.search(r"^accuracy +\.\d+ +\.\d+ +\.\d+ \[", done.stdout, re.MULTILINE)
    assert "All 18 ratings are “4”" in done.stdout


def test_categories_without_an_order_are_declared_by_nominal(kinds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agreement", kinds, *CATEGORIES, "--json", "--raters", "these", "--level", ".9"]) == 0
    found = json.loads(capsys.readouterr().out)
    (kind,) = found["dimensions"]
    assert (kind["metric"], kind["weights"], found["level"], found["raters"]) == ("nominal", "identity", 0.9, "these")
    assert kind["coefficients"]["alpha"]["covers"] == "targets (these raters only)"


def test_points_of_a_scale_can_be_categories_too(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--dimensions", "accuracy", "--nominal", "--metrics", "interval, ordinal", "--json"]
    assert run(["agreement", str(ratings), *READING, *options]) == 0
    (d,) = json.loads(capsys.readouterr().out)["dimensions"]
    assert (d["scale"], d["metric"]) == ("1..5 (nominal)", "nominal")
    assert {"alpha", "alpha_interval", "alpha_ordinal"} <= set(d["coefficients"])


def test_every_output_at_once(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["a.csv", "a.tex", "a.html"]
    options = ["--csv", files[0], "--latex", files[1], "--html", files[2], "--json", "--weights", "quadratic"]
    assert run(["agreement", str(ratings), *READING, *options]) == 0
    said = capsys.readouterr()
    assert {d["name"]: d["weights"] for d in json.loads(said.out)["dimensions"]}["accuracy"] == "quadratic"
    assert said.err == "".join(f"wrote {file}\n" for file in files)
    assert Path("a.csv").read_text().startswith("dimension,status,metric,weights,")
    assert r"\label{tab:agreement}" in Path("a.tex").read_text(encoding="utf-8")
    assert Path("a.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


def test_the_code_is_2_when_nothing_can_be_estimated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"dialogue": f"d{t}", "rater": "abc"[t % 3], "good": t % 2 + 1} for t in range(6)]
    pl.DataFrame(rows).write_csv(tmp_path / "alone.csv")
    assert run(["agreement", "alone.csv", "--target", "dialogue", "--rater", "rater", "--scale", "1:2"]) == 2
    said = capsys.readouterr()
    assert "no target has two ratings" in said.out
    assert said.err == "dialgauge: no dimension could be estimated; the reasons are in what was printed\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scale", "1:5", "--weights", "cubic"], "there is no 'cubic'; choose among auto, identity"),
        (["--scale", "1:5", "--raters", "all"], "choose among random, these"),
        (["--scale", "1:5", "--metrics", "nominal,polar"], "there is no 'polar'"),
        (["--scale", "1:5", "--level", "95"], "must lie between 0 and 1"),
        (["--scale", "1:5", "--nominal", "--weights", "linear"], "its categories have no distances"),
        (["--nominal"], "--nominal needs the categories"),
        (["--nominal", "--instrument", "crs_que"], "an instrument declares the level of its scales itself"),
        (["--nominal", "--scale", "0.0:1.0"], "is a continuous scale"),
        (["--nominal", "--labels", "a,,b"], "a label may not be blank"),
        (["--nominal", "--scale", "1:3", "--labels", "a,b"], "2 labels for 3 points"),
        (["--scale", "1:5", "--html", "nowhere/a.html"], "there is no folder"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    ratings: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert run(["agreement", str(ratings), "--target", "dialogue", "--rater", "rater", *options]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("dialgauge: ")
    assert said.err.count("\n") == 1
    assert words in said.err
