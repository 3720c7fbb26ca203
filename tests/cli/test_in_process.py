"""The commands called from Python: the same results, measured by coverage."""

import json
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from dialgauge import cli
from dialgauge.cli import run
from dialgauge.errors import ConsistencyError

from .conftest import READING


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_demo_writes_the_page_and_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--seed", "8"]) == 0
    said = capsys.readouterr()
    assert said.err == "wrote demo/ratings.csv\nwrote demo/report.html\n"
    assert "cui_rapport" in said.out
    assert sorted(path.name for path in Path("demo").iterdir()) == ["ratings.csv", "report.html"]


def test_every_output_at_once(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["a.csv", "a.tex", "a.html"]
    options = ["--csv", files[0], "--latex", files[1], "--html", files[2], "--json"]
    assert run(["reliability", str(ratings), *READING, *options]) == 0
    said = capsys.readouterr()
    assert [d["name"] for d in json.loads(said.out)["refused"]] == ["same"]
    assert said.err == "".join(f"wrote {file}\n" for file in files)


def test_the_table_and_the_code_when_nothing_can_be_estimated(
    ratings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reliability", str(ratings), *READING]) == 0
    assert "accuracy" in capsys.readouterr().out
    assert run(["reliability", str(ratings), *READING, "--dimensions", "same"]) == 2
    assert (
        capsys.readouterr().err == "dialgauge: no dimension could be estimated; the reasons are in what was printed\n"
    )


def test_instruments_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instruments"]) == 0
    assert "crs_que" in capsys.readouterr().out
    assert run(["instruments", "crs_que"]) == 0
    assert "Scale: 1..5 (ordinal)" in capsys.readouterr().out


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("dialgauge ")


def test_a_folder_that_is_a_file_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("")
    assert run(["demo", "--dir", "file"]) == 2
    assert capsys.readouterr().err.startswith("dialgauge: the folder file cannot be made")


def test_a_defect_ends_with_1(
    ratings: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def disagree(*_: object, **__: object) -> None:
        raise ConsistencyError("two routes differ; please report it")

    monkeypatch.setattr("dialgauge.io.read_ratings", disagree)
    assert run(["reliability", str(ratings), *READING]) == 1
    assert capsys.readouterr().err == "dialgauge: two routes differ; please report it\n"


def test_main_leaves_with_the_code_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["dialgauge", "instruments", "none"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2


def test_a_stream_of_another_encoding_gets_ascii(ratings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(raw, encoding="latin-1"))
    assert run(["reliability", str(ratings), *READING]) == 0
    assert raw.getvalue().isascii()
    assert b"accuracy" in raw.getvalue()
