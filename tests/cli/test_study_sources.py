"""The analyses take the folder of a study as they take a table, and give the same."""

import json
from pathlib import Path

import pytest

from dialgauge.cli import run

TWO = """
[[raters]]
name = "b"
kind = "llm"
model = "fake"
endpoint = "fake"
fake = { seed = 0, noise = 0.15 }
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a study of two made-up models that is collected, with its exported table beside it."""
    folder = tmp_path_factory.mktemp("sources") / "study"
    lines = [json.dumps({"id": f"d{i}", "turns": [{"speaker": "user", "text": f"Request {i}"}]}) for i in range(12)]
    targets = folder.parent / "targets.jsonl"
    targets.write_text("\n".join(lines), encoding="utf-8")
    assert run(["init", str(folder), "--instrument", "crs_que", "--targets", str(targets)]) == 0
    text = (folder / "study.toml").read_text(encoding="utf-8").replace('name = "study"', 'name = "films"', 1)
    text = text.replace('# dimensions = ["accuracy", "novelty"]', 'dimensions = ["accuracy", "novelty"]')
    assert 'dimensions = ["accuracy"' in text
    text = text.replace("replicates = 4", "replicates = 2")
    (folder / "study.toml").write_text(text.replace("# A model behind", TWO + "\n# A model behind"), encoding="utf-8")
    assert run(["rate", str(folder)]) == 0
    assert run(["export", str(folder), "--out", str(folder.parent / "table.csv")]) == 0
    return folder


@pytest.mark.parametrize("verb", ["reliability", "agreement", "retest"])
def test_a_study_and_its_exported_table_give_the_same(
    study: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    table = [str(study.parent / "table.csv"), "--instrument", "crs_que", "--replicate", "replicate"]
    found = []
    for arguments in ([str(study)], table):
        assert run([verb, *arguments, "--json"]) in {0, 2}
        content = json.loads(capsys.readouterr().out)
        found.append({key: value for key, value in content.items() if key not in {"source", "notes"}})
    assert found[0]["findings"].pop(0).startswith("The ratings by 'b', 'made-up' are made up")
    assert found[0] == found[1]


def test_raters_of_a_study_are_those_of_its_table_with_the_order_of_their_answers(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    found = []
    for arguments in ([str(study)], [str(study.parent / "table.csv"), "--instrument", "crs_que"]):
        assert run(["raters", *arguments, "--json"]) in {0, 2}
        found.append(json.loads(capsys.readouterr().out))
    severities = [[rater["severity"] for rater in content["raters"]] for content in found]
    assert severities[0] == severities[1]
    assert run(["raters", str(study), "--order", "at"]) == 2
    assert "--order is about a table" in capsys.readouterr().err


def test_a_study_knows_the_kinds_of_its_raters(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["kinds", str(study), "--json"]) in {0, 2}
    assert "made-up" in capsys.readouterr().out
    assert run(["kinds", str(study), "--kind", "rater"]) == 2
    assert "--kind is about a table" in capsys.readouterr().err
    assert run(["kinds", str(study.parent / "table.csv"), "--instrument", "crs_que"]) == 2
    assert "a table needs --kind" in capsys.readouterr().err


def test_options_for_tables_and_dimensions_without_ratings_are_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reliability", str(study), "--scale", "1:5"]) == 2
    assert "--scale is about a table" in capsys.readouterr().err
    assert run(["agreement", str(study), "--dimensions", "rapport"]) == 2
    assert "has no ratings of the dimension 'rapport' yet" in capsys.readouterr().err
    assert run(["reliability", str(study), "--dimensions", "novelty"]) in {0, 2}


@pytest.mark.parametrize("verb", ["reliability", "agreement", "retest", "kinds", "decide"])
def test_the_page_of_a_study_is_headed_by_its_name(study: Path, verb: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run([verb, str(study), "--html", str(page)]) in {0, 2}
    assert "<h1>films</h1>" in page.read_text(encoding="utf-8")
    table = [str(study.parent / "table.csv"), "--instrument", "crs_que", "--replicate", "replicate"]
    again = tmp_path / "table.html"
    assert run([verb, *table, *(["--kind", "rater"] if verb == "kinds" else []), "--html", str(again)]) in {0, 2}
    assert "<h1>table.csv</h1>" in again.read_text(encoding="utf-8")
