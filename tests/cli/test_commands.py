"""The command line as a whole: groups, weight, help, the other commands."""

import contextlib
import importlib.metadata
import os
import pty
import re
import resource
import subprocess
from pathlib import Path

import pytest

from .conftest import READING, Command, command_line

PANELS = ["Prepare", "Simulate", "Collect", "Analyse", "Decide"]


def test_help_groups_the_commands_by_the_path_of_the_data(dialgauge: Command) -> None:
    run = dialgauge("--help", NO_COLOR="1")
    shown = [name for name in re.findall(r"╭─ (\w+) ─", run.stdout) if name != "Options"]
    assert run.returncode == 0
    assert shown == [name for name in PANELS if name in shown]
    assert {"Prepare", "Simulate", "Analyse"} <= set(shown)


def test_help_needs_little_time() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(3):
        subprocess.run(command_line("--help"), capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 3
    # seconds of CPU; coverage of subprocesses would add to it, and is off for them
    assert used < 0.6


def test_help_loads_no_heavy_library(dialgauge: Command) -> None:
    run = dialgauge("--help", PYTHONPROFILEIMPORTTIME="1")
    loaded = {line.rsplit("|", 1)[1].strip().partition(".")[0] for line in run.stderr.splitlines() if "|" in line}
    assert "typer" in loaded
    assert loaded & {"altair", "narwhals", "numpy", "pandas", "polars", "pydantic", "scipy", "vl_convert"} == set()


def test_the_version_is_that_of_the_package(dialgauge: Command) -> None:
    assert dialgauge("--version").stdout == f"dialgauge {importlib.metadata.version('dialgauge')}\n"


@pytest.mark.parametrize(
    "arguments", [["relibility"], ["--verbose"], ["demo", "--seed", "x"], ["instruments", "a", "b"]]
)
def test_a_wrong_command_line_is_explained_in_one_line(dialgauge: Command, arguments: list[str]) -> None:
    run = dialgauge(*arguments)
    assert run.returncode == 2
    assert run.stdout == ""
    assert re.fullmatch(r"dialgauge: [^\n]+; see dialgauge( \w+)? --help\n", run.stderr)


@pytest.mark.parametrize("arguments", [[], ["reliability"]])
def test_without_arguments_the_help_is_shown_and_nothing_is_wrong(dialgauge: Command, arguments: list[str]) -> None:
    run = dialgauge(*arguments)
    assert (run.returncode, run.stderr) == (0, "")
    assert " ".join(["Usage: dialgauge", *arguments]) in run.stdout


def test_help_speaks_of_instruments(dialgauge: Command) -> None:
    assert "questionnaire" not in dialgauge("--help").stdout + dialgauge("instruments", "--help").stdout


def test_shipped_instruments_are_listed(dialgauge: Command) -> None:
    run = dialgauge("instruments")
    assert run.returncode == 0
    assert re.search(r"^crs_que +1\.0 +18 dimensions", run.stdout, re.MULTILINE)


def test_an_instrument_is_shown_with_its_dimensions_and_statements(dialgauge: Command) -> None:
    run = dialgauge("instruments", "crs_que")
    assert "Scale: 1..5 (ordinal), strongly disagree | " in run.stdout
    assert len(re.findall(r"^ {2}\w+ ", run.stdout, re.MULTILINE)) == 18
    assert run.stdout.count("“") == 18


def test_dimensions_of_an_instrument_are_shown_by_name_or_group_with_their_rubrics(dialgauge: Command) -> None:
    run = dialgauge("instruments", "user-states", "--dimensions", "trust, Safety")
    assert re.findall(r"^ {2}(\w+) ", run.stdout, re.MULTILINE) == [
        "trust",
        "distress",
        "harm_risk",
        "overreliance",
        "personal_data_given",
        "felt_pressure",
        "sensitive_topic",
        "vulnerability",
    ]
    assert "0: The user doubts" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["user_states", "--dimensions", "trsut"], "has no dimension 'trsut'; did you mean 'trust'?"),
        (["user_states", "--dimensions", " , "], "--dimensions names no dimension; give"),
        (["--rubrics"], "belong to one instrument; name it"),
    ],
)
def test_a_choice_of_dimensions_that_cannot_be_shown_is_an_error(
    dialgauge: Command, arguments: list[str], problem: str
) -> None:
    run = dialgauge("instruments", *arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert re.fullmatch(rf"dialgauge: [^\n]*{re.escape(problem)}[^\n]*\n", run.stderr)


def test_an_unknown_instrument_is_an_error_in_one_line(dialgauge: Command) -> None:
    run = dialgauge("instruments", "none")
    assert (run.returncode, run.stdout) == (2, "")
    assert re.fullmatch(r"dialgauge: there is no instrument 'none'[^\n]+\n", run.stderr)


def test_the_demo_prints_the_command_that_it_runs_and_writes_the_page(dialgauge: Command, tmp_path: Path) -> None:
    run = dialgauge("demo", "--dir", "here", "--seed", "3")
    first, rest = run.stdout.split("\n\n", 1)
    assert (run.returncode, run.stderr) == (0, "wrote here/ratings.csv\nwrote here/report.html\n")
    assert first == "$ dialgauge reliability here/ratings.csv --instrument crs_que --html here/report.html"
    assert (tmp_path / "here" / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    again = dialgauge(*first.removeprefix("$ dialgauge ").split())
    table, _, next_steps = rest.partition("\nLook next at\n")
    assert again.stdout == table
    assert "here/report.html" in next_steps


def test_a_folder_that_cannot_be_made_is_an_error_in_one_line(dialgauge: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = dialgauge("demo", "--dir", "file/sub")
    assert run.returncode == 2
    assert re.fullmatch(r"dialgauge: the folder file/sub cannot be made \([^\n]+\n", run.stderr)


def test_the_table_in_a_terminal_has_its_width_and_no_styles_under_no_color(ratings: Path) -> None:
    plain = show_in_terminal(ratings, COLUMNS="80", NO_COLOR="1")
    assert max(map(len, plain.splitlines())) == 80
    assert "\x1b" not in plain
    styled = show_in_terminal(ratings, COLUMNS="80", NO_COLOR="")
    assert "\x1b[1m" in styled
    assert re.sub(r"\x1b\[[0-9;]*m", "", styled) == plain


def show_in_terminal(ratings: Path, **environment: str) -> str:
    """Run ``dialgauge reliability`` in a pseudo-terminal and return what it shows."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        command_line("reliability", ratings, *READING),
        stdout=side,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm"} | environment,
    )
    os.close(side)
    shown = b""
    with contextlib.suppress(OSError):  # the other side is closed
        while block := os.read(main, 65536):
            shown += block
    os.close(main)
    assert process.wait(timeout=60) == 0
    return shown.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize("command", ["", "agreement", "retest", "decide", "monitor", "models", "models get"])
def test_help_has_no_types_and_no_box_for_help_alone(dialgauge: Command, command: str) -> None:
    run = dialgauge(*command.split(), "--help", NO_COLOR="1", COLUMNS="80")
    assert run.returncode == 0
    assert "<bool>" not in run.stdout
    assert "<str>" not in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= 80
    assert ("─ Options ─" in run.stdout) == (
        command == ""
    )  # of these only the program itself has options without a group


def test_a_paragraph_of_help_fills_its_lines(dialgauge: Command) -> None:
    text = dialgauge("retest", "--help", NO_COLOR="1", COLUMNS="80").stdout
    paragraph = text.partition("Needs several")[2].partition("╭")[0].strip().splitlines()
    assert all(len(line.rstrip()) > 60 for line in paragraph[1:-1])
