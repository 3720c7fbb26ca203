"""``dialgauge plan`` from the outside."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

from dialgauge.cli import run as run_here

from .conftest import Command

PILOT = ("--pilot", "ratings.csv", "--target", "dialogue", "--rater", "rater", "--scale", "1:5")


@pytest.fixture
def folder(ratings: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the ratings, as the current one."""
    monkeypatch.chdir(ratings.parent)
    return ratings.parent


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Run the command and return what it printed; nothing may stand on standard error."""
    assert run_here(["plan", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_without_options_it_says_what_targets_buy_and_how_to_say_more(dialgauge: Command) -> None:
    run = dialgauge("plan")
    assert (run.returncode, run.stderr) == (0, "")
    assert "What targets buy, by formula, with 5 raters per target" in run.stdout
    # definitions.md: width .120 at .6, power .812 and .991, for 200 targets
    assert re.search(r"^ +200 +\.0604 .* \.120 .* \.812 +\.991 ", run.stdout, re.MULTILINE)
    last = run.stdout.splitlines()[-1]
    assert last.startswith("Say more, such as: dialgauge plan --targets ")
    assert dialgauge(*last.split(": dialgauge ")[1].split()).returncode == 0


def test_the_four_numbers_of_the_study_of_redial_are_printed(dialgauge: Command) -> None:
    # definitions.md: k = 5, N = 200: .062 (on the grid of that study; exactly .0604), .120, .812, .991
    run = dialgauge("plan", "--targets", "200", "--per-target", "5")
    assert run.returncode == 0
    assert max(map(cell_len, run.stdout.splitlines())) <= 100
    assert "\x1b" not in run.stdout
    least = r"^least ICC\(1\) shown to exceed 0 \(one-sided alpha 0.05, power 0.8\) +\.0604 "
    assert re.search(least, run.stdout, re.MULTILINE)
    assert "it would be 0.062" in run.stdout
    assert re.search(r"^> +200 +\.0604 .* \.120 .* \.812 +\.991 ", run.stdout, re.MULTILINE)
    assert "Say more" not in run.stdout


def test_json_is_strict_and_all_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is no JSON")

    text = said(capsys, "--targets", "200", "--per-target", "5", "--json")
    (row,) = [row for row in json.loads(text, parse_constant=refuse)["by_targets"] if row["planned"]]
    assert round(row["least_detectable_icc"], 4) == 0.0604
    assert round(row["least_detectable_icc_on_grid"], 3) == 0.062
    assert [round(at["width"], 3) for at in row["icc_width"] if at["icc"] == 0.6] == [0.120]
    assert [round(at["power"], 3) for at in row["correlation_power"] if at["r"] in (0.2, 0.3)] == [0.812, 0.991]


def test_every_option_reaches_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(
        capsys,
        *("--targets", "30", "--raters", "8", "--per-target", "3", "--replicates", "2"),
        *("--components", ".3,.1,.2,.4", "--wanted", ".6", "--ruled-out", ".1", "--width", ".25"),
        *("--alpha", ".1", "--power", ".9", "--cost-rating", ".5", "--cost-rater", "10", "--cost-target", "2"),
        *("--simulate", "3", "--points", "5", "--seed", "4", "--json"),
    )
    found = json.loads(text)
    assert found["design"]["ratings"] == 180
    assert found["assumed"]["variance"] == {"target": 0.3, "residual": 0.4, "rater": 0.1, "target_x_rater": 0.2}
    assert found["wanted"] == {
        "reliability": 0.6, "power": 0.9, "alpha": 0.1, "level": 0.9, "ruled_out": 0.1, "width": 0.25,
    }  # fmt: skip
    assert found["costs"] == {"rating": 0.5, "rater": 10.0, "target": 2.0}
    assert (found["simulation"]["runs"], found["simulation"]["points"], found["seed"]) == (3, 5, 4)
    assert json.loads(said(capsys, "--icc", ".3", "--json"))["assumed"]["from"] == "icc"


def test_a_pilot_is_read_like_any_file_of_ratings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, *PILOT, "--dimension-name", "accuracy", "--targets", "40", "--raters", "10")
    assert "assumed from the pilot (accuracy)" in " ".join(text.split())
    assert "Raters per target that accuracy needs, from the pilot" in text
    assert "Column 'same'" in text or "Columns that were not read as ratings" in text
    found = json.loads(said(capsys, *PILOT, "--dimension-name", "accuracy", "--where", "dialogue != 'd0'", "--json"))
    assert any("5 targets and 3 raters" in note for note in found["notes"])
    assert [needed["wanted"] for needed in found["decision"]["raters_needed"]] == [0.5, 0.75, 0.8, 0.9]


def test_the_dimension_of_a_long_pilot_is_chosen_by_its_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = pl.read_csv("ratings.csv").unpivot(["accuracy", "same"], index=["dialogue", "rater"])
    long.rename({"variable": "what", "value": "rating"}).write_csv("long.csv")
    options = ["--pilot", "long.csv", "--scale", "1:5", "--value", "rating", "--dimension", "what"]
    assert (
        json.loads(said(capsys, *options, "--dimension-name", "accuracy", "--json"))["assumed"]["pilot"] == "accuracy"
    )


def test_files_are_written_and_said_so_on_standard_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(["plan", "--targets", "20", "--raters", "6", "--icc", ".4", "--json", "--csv", "a.csv",
                     "--latex", "a.tex", "--html", "a.html"]) == 0  # fmt: skip
    captured = capsys.readouterr()
    json.loads(captured.out)
    assert captured.err.splitlines() == ["wrote a.csv", "wrote a.tex", "wrote a.html"]
    assert Path("a.csv").read_text(encoding="utf-8").startswith("targets,raters,")
    assert r"\toprule" in Path("a.tex").read_text(encoding="utf-8")
    assert Path("a.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--targets", "1"], "the number of targets must be a whole number of at least 2, got 1"),
        (["--targets", "many"], "Invalid value for '--targets': "),
        (["--per-target", "1"], "the number of raters per target"),
        (["--raters", "3"], "the number of raters must be a whole number of at least 5"),
        (["--targets", "4", "--raters", "50"], "would have nothing to rate"),
        (["--replicates", "0"], "the number of replicates"),
        (["--icc", "1"], "the expected ICC must lie between 0 and 1"),
        (["--icc", "nan"], "the expected ICC must lie between 0 and 1"),
        (["--icc", ".3", "--components", ".3,.1,.6"], "give one of icc, components and pilot"),
        (["--components", "a,b,c"], "components are numbers separated by commas"),
        (["--components", ".3,.7"], "3 or 4 numbers, got 2"),
        (["--components", ".3,-.1,.8"], "must not be negative"),
        (["--components", "nan,.1,.8"], "must not be negative"),
        (["--components", "0,.2,.8"], "both must be positive to plan from"),
        (["--wanted", "1"], "the wanted reliability"),
        (["--width", "0"], "the wanted width"),
        (["--power", "1"], "the wanted power"),
        (["--power", ".02"], "the power must lie between"),
        (["--alpha", "5"], "alpha must lie between"),
        (["--ruled-out=-.1"], "the ICC to be ruled out"),
        (["--cost-rater=-1"], "the cost per rater must not be negative"),
        (["--simulate", "5"], "a simulation needs a design"),
        (["--simulate=-5"], "the number of simulated studies"),
        (["--points", "5"], "ask for simulated studies too"),
        (["--targets", "20", "--raters", "6", "--icc", ".3", "--replicates", "2"], "gain by replicates is unknown"),
        (["--seed", "-1"], "Invalid value for '--seed': "),
        (["--target", "dialogue"], "give --pilot FILE, or did you mean --targets?"),
        (["--scale", "1:5"], "--scale says how a pilot is read, and there is none; give --pilot FILE"),
        (["--duplicates", "mean"], "--duplicates says how a pilot is read"),
        (["--dimension-name", "accuracy"], "--dimension-name says how a pilot is read"),
        ([*PILOT], "ratings.csv has 2 dimensions ('accuracy', 'same'); say with --dimension-name which one"),
        ([*PILOT, "--dimension-name", "acuracy"], "(--dimension-name); did you mean 'accuracy'?"),
        ([*PILOT, "--dimension-name", "same"], "same is no pilot to plan from: all 18 ratings are 4"),
        ([*PILOT, "--dimension-name", "accuracy", "--icc", ".3"], "icc and pilot were given"),
        ([*PILOT, "--dimension-name", "accuracy", "--html", "ratings.csv"], "would replace the ratings"),
        (["--pilot", "none.csv", "--scale", "1:5"], "none.csv"),
        (["--csv", "none/a.csv"], "there is no folder none"),
        (["--csv", "same", "--latex", "same"], "would replace another output"),
        (["extra"], "see dialgauge plan --help"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    folder: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_here(["plan", *options])
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert re.fullmatch(r"dialgauge: [^\n]+\n", captured.err)
    assert words in captured.err


def test_output_is_ascii_where_the_terminal_takes_no_more(dialgauge: Command) -> None:
    run = dialgauge("plan", "--targets", "40", "--raters", "8", "--icc", ".4", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert run.returncode == 0
    assert run.stdout.isascii()
    assert "40 targets x 8 raters" in run.stdout
    assert ">= .50" in run.stdout


def test_the_same_seed_gives_the_same_output(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--targets", "20", "--raters", "7", "--icc", ".4", "--simulate", "4", "--seed", "9"]
    assert said(capsys, *options) == said(capsys, *options)


def test_a_pilot_of_real_ratings_is_planned_from_as_its_reference_has_it(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(shared / "data" / "crs_que_redial" / "annotations.csv")
    text = said(
        capsys,
        *("--pilot", file, "--instrument", "crs-que", "--dimension-name", "accuracy"),
        *("--where", "is_gold_standard == 0", "--targets", "200", "--raters", "117", "--json"),
    )
    found = json.loads(text)
    # reference/crs_que_redial.json: accuracy .3273 for one rater; .3842 / (.1818 + .6078) = .4866, and 3 / .4866 = 6.2
    assert found["assumed"]["rel_single"] == pytest.approx(0.3273, abs=2e-4)
    assert [needed["by_value"] for needed in found["decision"]["raters_needed"]] == [3, 7, 9, 19]
