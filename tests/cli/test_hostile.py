"""What goes wrong with hostile input or a broken place for the output is one clear line."""

import subprocess
import sys
from pathlib import Path

import pytest

from dialgauge.cli import run

from .conftest import READING, Command, command_line

VERBS = ("reliability", "agreement", "raters", "kinds")

CLEAN = "dialogue,rater,kind,x\n" + "".join(
    f"d{t},{rater},{kind},{1 + (t * 3 + j * t + j) % 5}\n"
    for t in range(12)
    for j, (rater, kind) in enumerate([("a", "human"), ("b", "human"), ("c", "llm"), ("d", "llm")])
)
"""A table that every verb can analyse."""


def arguments(verb: str, path: Path, scale: str = "1:5") -> list[str]:
    options = ["--kind", "kind"] if verb == "kinds" else ["--dimensions", "x"]
    return [verb, str(path), "--target", "dialogue", "--rater", "rater", f"--scale={scale}", *options]


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.csv"
    path.write_text(CLEAN, encoding="utf-8")
    return path


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("power", "scale", "said"), [("e150", "0.0:1e300", "larger unit"), ("e-200", "0.0:1.0", "smaller unit")]
)
def test_numbers_whose_squares_leave_the_range_are_refused_in_one_line(
    verb: str, power: str, scale: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "far.csv"
    header, *rows = CLEAN.splitlines()
    path.write_text("\n".join([header, *(row + power for row in rows)]), encoding="utf-8")
    assert run(arguments(verb, path, scale)) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_a_large_offset_changes_no_coefficient(verb: str, clean: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = clean.with_name("far.csv")
    header, *rows = CLEAN.splitlines()
    moved = [f"{row.rpartition(',')[0]},{10**9 + int(row.rpartition(',')[2])}" for row in rows]
    far.write_text("\n".join([header, *moved]), encoding="utf-8")
    tables = []
    for path, scale in ((clean, "0.0:9.0"), (far, "999999999.0:1000000009.0")):
        assert run([*arguments(verb, path, scale), "--csv", str(clean.with_name("out.csv"))]) in {0, 2}
        tables.append(capsys.readouterr().out)
    near, moved_table = (table.split("Findings")[0].splitlines()[-8:] for table in tables)
    for one, other in zip(near, moved_table, strict=True):
        assert [w for w in one.split() if w.startswith((".", "−."))] == [
            w for w in other.split() if w.startswith((".", "−."))
        ]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("level", ["nan", "0", "1", "1e-300", "0.9999999999999999"])
def test_levels_whose_quantiles_cannot_be_computed_are_refused(
    verb: str, level: str, clean: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments(verb, clean), "--level", level]) == 2
    assert "the confidence level must lie between 0 and 1" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_the_outermost_levels_give_an_answer(verb: str, clean: Path) -> None:
    for level in ("0.001", "0.9999"):
        assert run([*arguments(verb, clean), "--level", level]) == 0


def test_a_number_of_raters_beyond_all_bounds_is_refused(clean: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*arguments("kinds", clean), "--k", "1e308"]) == 2
    assert "at most 1,000,000,000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--components", "1e308,1e308,1e308"], "components are at most"),
        (["--icc", ".3", "--cost-rater", "1e308"], "--cost-rater"),
        (["--icc", ".3", "--cost-rating", "inf"], "--cost-rating"),
    ],
)
def test_plans_beyond_all_bounds_are_refused(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--targets", "50", "--raters", "10", *options]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_too_little_memory_is_said_in_one_line(
    clean: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("dialgauge.io.read_ratings", fail)
    assert run(arguments("reliability", clean)) == 2
    assert capsys.readouterr().err.startswith("dialgauge: there is not enough memory for this")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_under_standard_output_is_said_in_one_line(clean: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            command_line(*arguments("reliability", clean)),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("dialgauge: the result cannot be printed (No space left on device)")
    assert done.stderr.count("\n") == 1


def test_closed_streams_are_no_defect(
    clean: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert run([*arguments("reliability", clean), "--csv", str(clean.with_name("a.csv"))]) == 0
    capsys.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        assert run(arguments("reliability", clean)) == 2
    assert "standard output is closed" in capsys.readouterr().err


def test_nothing_is_written_where_one_output_cannot_be_made(
    clean: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object, *, title: str) -> str:
        raise MemoryError

    monkeypatch.setattr("dialgauge.report.page.render_page", fail)
    csv, html = clean.with_name("a.csv"), clean.with_name("a.html")
    assert run([*arguments("reliability", clean), "--csv", str(csv), "--html", str(html)]) == 2
    assert sorted(path.name for path in clean.parent.iterdir()) == ["clean.csv"]
    assert "wrote" not in capsys.readouterr().err


@pytest.mark.parametrize("where", ["dialgauge.analyse.kinds.study.fit_kinds", "dialgauge.report.files.os.fsync"])
def test_an_interrupt_in_the_analysis_or_while_writing_leaves_nothing_behind(
    where: str, clean: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupt)
    assert run([*arguments("kinds", clean), "--csv", str(clean.with_name("a.csv"))]) == 130
    assert capsys.readouterr() == ("", "")
    assert [path.name for path in clean.parent.iterdir()] == ["clean.csv"]


def test_a_cell_of_ten_megabytes_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.csv"
    path.write_text(CLEAN.replace("d3,a", "d" * 10_000_000 + ",a"), encoding="utf-8")
    assert run(arguments("reliability", path)) == 2
    error = capsys.readouterr().err
    assert "texts of more than 131,072 characters" in error
    assert (error.count("\n"), len(error) < 400) == (1, True)


def test_long_and_hostile_names_are_shown_safely(tmp_path: Path, dialgauge: Command) -> None:
    evil = "<script>\x1b[31m\u202e" + "r" * 100_000
    path = tmp_path / "evil.csv"
    rows = [f"d{t},{rater},{1 + (t + j * t) % 5}" for t in range(6) for j, rater in enumerate((evil, "b", "c"))]
    path.write_text("dialogue,rater,x\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = dialgauge("raters", path, *READING, "--html", "a.html")
    assert done.returncode == 0, done.stderr[-300:]
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not {"\x1b", "\u202e"} & set(done.stdout + done.stderr + page)
    assert "<script" not in page
