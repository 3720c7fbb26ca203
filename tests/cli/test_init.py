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


def test_only_what_a_study_lacks_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "s"]) == 0
    before = {name: Path("s", name).read_bytes() for name in ("study.toml", "targets.jsonl")}
    Path("s/study.db").unlink()
    capsys.readouterr()
    assert run(["rate", "s"]) == 2
    assert capsys.readouterr().err == (
        "dialgauge: the study 's' has no database s/study.db yet; make an empty one with dialgauge init s\n"
    )
    assert run(["init", "s"]) == 0
    said = capsys.readouterr()
    assert (said.err, said.out) == ("wrote s/study.db\n", "Next: dialgauge rate s\n")
    assert {name: Path("s", name).read_bytes() for name in before} == before
    assert run(["rate", "s"]) == 0


def test_a_study_that_was_written_by_hand_gets_its_dialogues_and_its_database(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("s").mkdir()
    raters = '[{ name = "m", kind = "llm", model = "m", endpoint = "fake" }]'
    Path("s/study.toml").write_text(f'name = "s"\ninstrument = "crs_que"\nraters = {raters}\n')
    Path("mine.csv").write_text("target,speaker,text\na,user,Hi\n")
    assert run(["init", "s", "--instrument", "measures"]) == 2
    assert "leave --instrument out" in capsys.readouterr().err
    assert run(["init", "s", "--targets", "mine.csv"]) == 0
    assert capsys.readouterr().err == "wrote s/targets.jsonl\nwrote s/study.db\n"
    assert run(["init", "s", "--targets", "mine.csv"]) == 2
    assert "s/targets.jsonl exists, and nothing is overwritten" in capsys.readouterr().err
    assert run(["rate", "s"]) == 0


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
