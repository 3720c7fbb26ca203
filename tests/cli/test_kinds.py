"""``dialgauge kinds`` as a user starts it."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.cli import run

from .conftest import Command

READING = ("--target", "target", "--rater", "rater", "--scale", "1:7")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a wide file of 30 targets, each rated by four people and two models, with the kind in a column."""
    rng = np.random.default_rng(4)
    rows = []
    severity = 0.4 * rng.normal(size=6)
    for t in range(30):
        seen = rng.multivariate_normal([4.0, 4.5], [[1.0, 0.7], [0.7, 1.0]])
        for j in range(6):
            kind = int(j > 3)
            values = np.clip(np.round(seen[kind] + severity[j] + 0.8 * rng.normal(size=2)), 1, 7).astype(int)
            rows.append((f"t{t}", f"{'pm'[kind]}{j}", ("human", "llm")[kind], *map(int, values)))
    path = tmp_path / "study.csv"
    pl.DataFrame(rows, schema=["target", "rater", "kind", "d0", "d1"], orient="row").write_csv(path)
    return path


def test_the_tables_show_both_kinds_and_what_they_have_in_common(study: Path, dialgauge: Command) -> None:
    done = dialgauge("kinds", study, *READING, "--kind", "kind")
    assert done.returncode == 0, done.stderr
    assert "human (4 raters), llm (2 raters), 30 targets, 2 dimensions" in done.stdout
    assert "without noise [95%]" in done.stdout
    assert done.stderr == ""


def test_every_output_at_once(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--kind", "kind", "--reference", "llm", "--k", "4", "--csv", "a.csv", "--latex", "a.tex"]
    assert run(["kinds", str(study), *READING, *options, "--html", "a.html", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == "wrote a.csv\nwrote a.tex\nwrote a.html\n"
    read = json.loads(said.out)
    assert read["reference"] == "llm"
    assert read["dimensions"][0]["kinds"][0]["k"] == 4.0
    assert pl.read_csv("a.csv")["first"].to_list() == ["llm", "llm"]
    assert Path("a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_column_of_raters_makes_each_rater_a_kind(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--kind", "rater", "--where", "kind == 'llm'", "--dimensions", "d0", "--json"]
    assert run(["kinds", str(study), *READING, *options]) == 0
    assert json.loads(capsys.readouterr().out)["kinds"] == {"m4": 1, "m5": 1}


def test_kinds_that_share_no_dimension_end_with_two_and_say_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "apart.csv"
    path.write_text("target,rater,kind,x\na,p,human,1\nb,q,human,2\nc,m,llm,3\nd,n,llm,1\n", encoding="utf-8")
    assert run(["kinds", str(path), *READING, "--kind", "kind"]) == 2
    said = capsys.readouterr()
    assert "What could not be computed" in said.out
    assert "kinds could not be compared on any dimension" in said.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "kinds"], "has no column 'kinds' (--kind); did you mean 'kind'?"),
        (["--kind", "target"], "named for --target and for --kind"),
        (["--kind", "kind", "--reference", "robot"], "no rater is of the kind 'robot'"),
        (["--kind", "kind", "--k", "0"], "must be positive"),
        (["--kind", "kind", "--where", "kind == 'llm'", "--dimensions", "d0"], "1 kinds of rater occur"),
        (["--kind", "kind", "--html", "no/such/a.html"], "cannot be written"),
        ([], "a table needs --kind"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    study: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["kinds", str(study), *READING, *options]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
