"""``dialgauge reliability`` from the outside."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dialgauge.cli import run as run_here

from .conftest import READING, Command, Run, command_line


def complaint(run: Run, code: int = 2) -> str:
    """Return the one line on standard error with which a command gave up."""
    assert run.returncode == code, run.stderr
    assert run.stderr.startswith("dialgauge: ")
    assert run.stderr.count("\n") == 1
    assert "Traceback" not in run.stderr
    return run.stderr


def test_the_table_is_printed_and_nothing_else(dialgauge: Command, ratings: Path) -> None:
    run = dialgauge("reliability", ratings, *READING)
    assert (run.returncode, run.stderr) == (0, "")
    assert max(map(len, run.stdout.splitlines())) == 100
    assert "\x1b" not in run.stdout
    assert "same: all 18 ratings are 4: there is no variance to divide." in run.stdout


def test_json_is_all_that_is_printed(dialgauge: Command, ratings: Path) -> None:
    run = dialgauge("reliability", ratings, *READING, "--json", "--seed", "3", "--k", "2", "--level", ".9")
    found = json.loads(run.stdout)
    assert (run.returncode, run.stderr) == (0, "")
    assert [d["name"] for d in found["dimensions"]] == ["accuracy"]
    assert (found["seed"], found["level"], found["dimensions"][0]["k"]) == (3, 0.9, 2.0)


def test_files_are_written_and_said_so_on_standard_error(dialgauge: Command, ratings: Path, tmp_path: Path) -> None:
    run = dialgauge(
        "reliability", ratings, *READING, "--json", "--csv", "a.csv", "--latex", "a.tex", "--html", "a.html"
    )
    json.loads(run.stdout)
    assert run.stderr.splitlines() == ["wrote a.csv", "wrote a.tex", "wrote a.html"]
    assert (tmp_path / "a.csv").read_text().startswith("dimension,")
    assert r"\toprule" in (tmp_path / "a.tex").read_text(encoding="utf-8")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scale", "1:3"], "1..3"),
        (["--scale", "five"], "a scale is written LOW:HIGH"),
        (["--target", "nobody"], "has no column 'nobody'"),
        (["--instrument", "crs-qeu"], "did you mean 'crs_que'?"),
        (["--duplicates", "sum"], "duplicates is one of error, first, last, mean, replicate"),
        (["--where", "accuracy >"], "condition"),
        (["--k", "0"], "k is the number of raters"),
        (["--k=-2"], "must be positive"),
        (["--k", "nan"], "must be positive"),
        (["--level", "1"], "must lie between 0 and 1"),
        (["--level", "95"], "must lie between 0 and 1"),
        (["--k", "many"], "Invalid value for '--k': "),
        (["--seed", "-1"], "Invalid value for '--seed': "),
        (["--csv", "none/a.csv"], "none/a.csv cannot be written (there is no folder none)"),
        (["--html", "."], "it is a folder"),
        (["--html", "ratings.csv"], "would replace the ratings"),
        (["--csv", "same", "--latex", "same"], "would replace another output"),
        (["--wher", "x"], "No such option: --wher"),
        (["--json=yes"], "--json"),
        (["extra"], "see dialgauge reliability --help"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    ratings: Path,
    options: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ratings.parent)
    code = run_here(["reliability", str(ratings), *READING, *options])
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert re.fullmatch(r"dialgauge: [^\n]+\n", said.err)
    assert words in said.err


def test_an_error_in_a_process_of_its_own_is_one_line_too(dialgauge: Command, ratings: Path) -> None:
    run = dialgauge("reliability", ratings, *READING, "--scale", "1:3")
    assert "1..3" in complaint(run)
    assert run.stdout == ""


def test_an_undeclared_scale_is_asked_for(dialgauge: Command, ratings: Path) -> None:
    assert "--scale" in complaint(dialgauge("reliability", ratings, "--target", "dialogue", "--rater", "rater"))


@pytest.mark.parametrize("arguments", [["none.csv"], ["."], ["ratings.xyz"]])
def test_a_file_that_cannot_be_read_is_named(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(["reliability", *arguments, "--scale", "1:5"]) == 2
    assert arguments[0] in capsys.readouterr().err


def test_control_characters_of_a_file_do_not_reach_the_terminal(dialgauge: Command, tmp_path: Path) -> None:
    path = tmp_path / "evil.csv"
    path.write_text("dialogue,rater,\x1b[31mred\nd1,a,9\n", encoding="utf-8")
    run = dialgauge("reliability", path, "--scale", "1:5")
    assert "\x1b" not in complaint(run)


def test_when_no_dimension_can_be_estimated_the_reasons_are_printed_and_the_code_is_2(
    dialgauge: Command, ratings: Path
) -> None:
    for extra in ([], ["--json"]):
        run = dialgauge("reliability", ratings, *READING, "--dimensions", "same", *extra)
        assert "no dimension could be estimated" in complaint(run)
        assert "all 18 ratings are 4" in run.stdout


def test_a_reader_that_stops_early_is_no_error(ratings: Path) -> None:
    line = " ".join(command_line("reliability", ratings, *READING))
    script = f"{line} --json 2> errors | head -n 1; echo ${{PIPESTATUS[0]}}; cat errors"
    for _ in range(3):
        run = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=False, timeout=60, cwd=ratings.parent
        )
        first, code, *rest = run.stdout.splitlines()
        assert first == "{"
        assert code in {"0", "141"}
        assert rest == []


def test_a_closed_output_ends_in_silence(ratings: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        command_line("reliability", ratings, *READING), stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (141, "")


def test_an_interruption_ends_with_130_and_without_a_traceback() -> None:
    code = (
        "import os, signal, sys, threading\n"
        "from dialgauge.cli import run\n"
        "import dialgauge.io\n"
        "def slow(*_, **__):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    threading.Event().wait(30)\n"
        "dialgauge.io.read_ratings = slow\n"
        "sys.exit(run(['reliability', 'ratings.csv', '--scale', '1:5']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_output_is_ascii_where_the_terminal_takes_no_more(dialgauge: Command, ratings: Path) -> None:
    run = dialgauge("reliability", ratings, *READING, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert run.returncode == 0
    assert run.stdout.isascii()
    assert "-" * 100 in run.stdout.splitlines()


def test_real_ratings_give_the_table_of_the_reference(dialgauge: Command, shared: Path) -> None:
    run = dialgauge(
        "reliability",
        shared / "data" / "crs_que_redial" / "annotations.csv",
        *("--target", "dialogue_id", "--rater", "participant_id", "--instrument", "crs-que"),
        *("--where", "is_gold_standard == 0"),
    )
    # reference/crs_que_redial.json (tolerance .0002): accuracy .3273 and .7168, rapport .1482 and .4751,
    # humanness .1170 and .4081
    rows = {line.split()[0]: line for line in run.stdout.splitlines() if line}
    assert ".327 [" in rows["accuracy"]
    assert ".717 [" in rows["accuracy"]
    assert ".148 [" in rows["cui_rapport"]
    assert ".475 [" in rows["cui_rapport"]
    assert ".117 [" in rows["cui_humanness"]
    assert ".408 [" in rows["cui_humanness"]
