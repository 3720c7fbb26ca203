"""``dialgauge decide`` as a user starts it."""

import json
from pathlib import Path

import polars as pl
import pytest

from dialgauge.cli import run
from dialgauge.io.writing import write_long
from dialgauge.simulate.retest import RepeatProfile, generate_retest_study

PROFILES = (RepeatProfile("steady", "a", 0.98), RepeatProfile("wild", "b", 0.3))
SCALE = ("--scale", "-50.0:150.0")


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a table of repeated ratings of a reliable and an unreliable dimension."""
    monkeypatch.chdir(tmp_path)
    write_long(generate_retest_study(PROFILES, seed=2, n_targets=60, raters=("gpt",)), "study.csv")
    return "study.csv"


def test_a_gate_that_holds_ends_with_0_and_one_that_fails_with_3(
    study: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["decide", study, *SCALE, "--gate", "steady:real-time"]) == 0
    assert run(["decide", study, *SCALE, "--gate", "steady:real-time", "--gate", "wild:real-time"]) == 3
    assert "1 of 2 gates failed: wild:real-time" in capsys.readouterr().err
    assert run(["decide", study, *SCALE, "--gate-all", "real-time"]) == 3


def test_every_output_at_once(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = ["--csv", "d.csv", "--html", "d.html", "--out", "decisions.json", "--json"]
    assert run(["decide", study, *SCALE, "--use", "real-time", *outputs]) == 0
    said = capsys.readouterr()
    assert said.err == "wrote d.csv\nwrote d.html\nwrote decisions.json\n"
    assert said.out == Path("decisions.json").read_text(encoding="utf-8")
    decisions = json.loads(said.out)["decisions"]
    assert [(d["dimension"], d["rater"], d["verdict"]) for d in decisions] == [
        ("steady", "gpt", "trust"),
        ("wild", "gpt", "do not use"),
    ]
    assert pl.read_csv("d.csv").height == 2


def test_a_policy_of_ones_own_decides(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.toml").write_text(
        'name = "own"\nversion = "7"\n[[uses]]\nname = "rough"\nkind = "descriptive"\ncoefficient = "mean"\n'
        "threshold = 0.2\nminimum_targets = 10\nmost_missing = 0.5\n",
        encoding="utf-8",
    )
    assert run(["decide", study, *SCALE, "--policy", "own.toml", "--gate-all", "rough"]) == 0
    assert "by the policy own 7" in capsys.readouterr().out


def test_systems_are_compared_by_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"target": f"{s}{t}", "rater": r, "system": s, "good": 3 + (s == "b") - (s == "c") + (t % 3 == 0) * (r == "x")}
        for s in "abc"
        for t in range(25)
        for r in "xy"
    ]
    path = tmp_path / "systems.csv"
    pl.DataFrame(rows).write_csv(path)
    options = ["--scale", "1:5", "--system", "system", "--use", "compare-systems", "--json"]
    assert run(["decide", str(path), *options]) == 0
    (decision,) = json.loads(capsys.readouterr().out)["decisions"]
    assert decision["verdict"] == "trust"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gate", "steady"], "a gate is written DIMENSION:USE"),
        (["--gate", "none:real-time"], "the dimension 'none', which has no ratings; there are steady, wild"),
        (["--gate-all", "other"], "the use 'other', which is not decided about"),
        (["--use", "other"], "has no use 'other'"),
        (["--policy", "none.toml"], "there is no policy file none.toml"),
        (["--basis", "both"], "one of auto, crowd, repeat, got 'both'"),
        (["--system", "none"], "no column 'none' (--system)"),
    ],
)
def test_what_cannot_be_used_ends_with_2_in_one_line(
    study: str, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["decide", study, *SCALE, *options]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_options_of_tables_are_refused_for_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["decide", str(tmp_path), "--scale", "1:5"]) == 2
    assert "is a folder without a study.toml" in capsys.readouterr().err
    (tmp_path / "study.toml").touch()
    assert run(["decide", str(tmp_path), "--scale", "1:5"]) == 2
    assert "--scale is about a table" in capsys.readouterr().err


def test_nothing_that_could_be_decided_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"target": f"t{t}", "rater": r, "same": 4} for t in range(9) for r in "xy"]
    path = tmp_path / "same.csv"
    pl.DataFrame(rows).write_csv(path)
    assert run(["decide", str(path), "--scale", "1:5"]) == 2
    assert "nothing could be decided" in capsys.readouterr().err


@pytest.mark.parametrize("gate", [["--gate-all", "real-time"], ["--gate", "same:real-time"]])
def test_a_gate_fails_where_nothing_could_be_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gate: list[str]
) -> None:
    path = tmp_path / "same.csv"
    rows = [{"target": f"t{t}", "rater": r, "same": 4} for t in range(9) for r in "xy"]
    pl.DataFrame(rows).write_csv(path)
    assert run(["decide", str(path), "--scale", "1:5", *gate]) == 3
    assert "nothing could be decided" in capsys.readouterr().err
