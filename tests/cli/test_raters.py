"""``dialgauge raters`` as a user starts it."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.cli import run

from .conftest import Command

READING = ("--target", "target", "--rater", "rater", "--scale", "1:5")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a file of 20 targets x 6 raters with seconds and times, in which rater r1 is strict and fast."""
    rng = np.random.default_rng(2)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(20), np.arange(6), indexing="ij"))
    values = 3.0 + rng.normal(size=(20, 1))[target] + 0.7 * rng.normal(size=(120, 3)) - 2.0 * (rater == 1)[:, None]
    frame = pl.DataFrame(
        {
            "target": [f"t{i}" for i in target],
            "rater": [f"r{j}" for j in rater],
            **{f"d{d}": np.clip(np.round(values[:, d]), 1, 5).astype(int) for d in range(3)},
            "secs": np.where(rater == 1, 5, 60),
            "when": [f"2025-12-20 {i // 60:02d}:{i % 60:02d}:00" for i in range(120)],
        }
    )
    path = tmp_path / "study.csv"
    frame.write_csv(path)
    return path


def test_the_table_names_who_is_worth_a_look(study: Path, dialgauge: Command) -> None:
    done = dialgauge("raters", study, *READING, "--seconds", "secs", "--order", "when")
    assert done.returncode == 0, done.stderr
    first = next(line for line in done.stdout.splitlines() if line.startswith("r1"))
    assert "speed" in first
    assert "severity" in first
    assert "Traceback" not in done.stderr


def test_every_output_at_once(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--seconds", "secs", "--order", "when", "--k", "4", "--csv", "a.csv", "--html", "a.html", "--json"]
    assert run(["raters", str(study), *READING, *options]) == 0
    said = capsys.readouterr()
    assert said.err == "wrote a.csv\nwrote a.html\n"
    read = json.loads(said.out)
    assert read["raters"][0]["name"] == "r1"
    assert set(read["k"].values()) == {4.0}
    assert pl.read_csv("a.csv")["rater"].to_list()[0] == "r1"
    assert Path("a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_seconds_are_no_dimension(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["raters", str(study), *READING, "--seconds", "secs", "--order", "when", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["dimensions"] == ["d0", "d1", "d2"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seconds", "sec"], "has no column 'sec' (--seconds)"),
        (["--dimensions", "d0", "--level", "2"], "the confidence level"),
        (["--dimensions", "d0", "--k", "0"], "must be above 0"),
        (["--dimensions", "d0", "--csv", "no/such/a.csv"], "cannot be written"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    study: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["raters", str(study), *READING, *options]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_raters_that_cannot_be_compared_end_with_two_and_say_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.csv"
    path.write_text("target,rater,x\na,p,1\nb,p,2\n", encoding="utf-8")
    assert run(["raters", str(path), *READING]) == 2
    said = capsys.readouterr()
    assert "no target was rated by two raters" in said.out
    assert "raters could not be compared on any dimension" in said.err


def test_the_rasch_model_is_added_where_it_is_asked_for(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--dimensions", "d0,d1", "--rasch", "--json"]
    assert run(["raters", str(study), *READING, *options]) == 0
    read = json.loads(capsys.readouterr().out)["rasch"]
    assert list(read["dimensions"]) == ["d0", "d1"]
    assert read["dimensions"]["d0"]["raters"][0]["name"] == "r1"
    assert run(["raters", str(study), *READING, *options, "--partial-credit"]) == 0
    assert json.loads(capsys.readouterr().out)["rasch"]["model"] == "partial_credit"
    assert run(["raters", str(study), *READING, "--dimensions", "d0", "--partial-credit"]) == 2
    assert "add --rasch" in capsys.readouterr().err
