"""`dialgauge init` begins a study and overwrites nothing."""

from pathlib import Path

import pytest

from dialgauge.cli import run
from dialgauge.io.study import read_study


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_study_is_begun_and_the_next_step_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "my study"]) == 0
    said = capsys.readouterr()
    assert said.err == "".join(f"wrote my study/{name}\n" for name in ("study.toml", "targets.jsonl", "study.db"))
    assert said.out == "Next: name the raters in my study/study.toml, then\n  dialgauge rate 'my study'\n"
    assert read_study("my study").instrument.name == "crs_que"


def test_an_instrument_and_dialogues_of_ones_own_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.csv").write_text("target,speaker,text\na,user,Hi\n")
    assert run(["init", "s", "--instrument", "measures", "--targets", "mine.csv"]) == 0
    assert read_study("s").instrument.name == "measures"
    assert '"id":"a"' in Path("s/targets.jsonl").read_text()


def test_what_is_there_already_is_an_error_of_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "s"]) == 0
    before = Path("s/study.toml").read_bytes()
    capsys.readouterr()
    assert run(["init", "s"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("dialgauge: s/study.toml exists, and nothing is overwritten; ")
    assert said.err.count("\n") == 1
    assert Path("s/study.toml").read_bytes() == before
