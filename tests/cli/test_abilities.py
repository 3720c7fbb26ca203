"""``dialgauge abilities`` as a user starts it."""

import json
from importlib import resources
from pathlib import Path

import pytest
from tests.cli.conftest import Command

from dialgauge.cli import run
from dialgauge.cli.abilities import find_catalogue


def test_four_systems_stand_side_by_side(dialgauge: Command, shared: Path) -> None:
    run = dialgauge("abilities", shared / "data/concept_logs")
    assert run.returncode == 0, run.stderr
    assert "redial: 4 systems, 40 dialogues each, titles matched as whole titles" in run.stdout
    heads = [line.split() for line in run.stdout.splitlines() if line.split()[:1] == ["barcor"]]
    assert heads[0] == ["barcor", "chatgpt", "kbrd", "unicrs"]


def test_all_files_are_written_and_the_json_follows_the_rule_for_titles(
    dialgauge: Command, shared: Path, tmp_path: Path
) -> None:
    log = shared / "data/concept_logs/redial_unicrs.jsonl"
    files = ("--html", "a.html", "--latex", "a.tex", "--csv", "a.csv")
    run = dialgauge("abilities", log, "--title-match", "substring", "--json", *files)
    assert run.returncode == 0, run.stderr
    (system,) = json.loads(run.stdout)["data_sets"][0]["systems"]
    found = {measure["name"]: measure["result"]["value"] for measure in system["measures"]}
    assert found["conversation_sr@10"] == 0.65
    for name in files[1::2]:
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.parametrize("given", ["data", "data/redial"])
def test_a_catalogue_may_be_given_by_itself_or_in_a_folder_of_data_sets(given: str, tmp_path: Path) -> None:
    (tmp_path / "data/redial").mkdir(parents=True)
    found = find_catalogue("logs", str(tmp_path / given), "redial")
    assert found == tmp_path / "data/redial"


@pytest.mark.parametrize("logs", ["data/logs", "data/logs/redial_a.jsonl"])
def test_without_a_catalogue_the_folder_beside_the_logs_is_taken(logs: str, tmp_path: Path) -> None:
    (tmp_path / "data/redial").mkdir(parents=True)
    (tmp_path / "data/logs").mkdir()
    (tmp_path / "data/logs/redial_a.jsonl").touch()
    assert find_catalogue(str(tmp_path / logs), None, "redial") == tmp_path / "data/redial"


def test_a_wrong_rule_and_a_missing_catalogue_end_with_one_line(
    dialgauge: Command, shared: Path, tmp_path: Path
) -> None:
    log = shared / "data/concept_logs/redial_kbrd.jsonl"
    alone = tmp_path / "inner" / "redial_kbrd.jsonl"
    alone.parent.mkdir()
    alone.write_bytes(log.read_bytes())
    for arguments, word in (
        ((log, "--title-match", "fuzzy"), "'fuzzy'"),
        ((alone,), "no catalogue of redial"),
    ):
        run = dialgauge("abilities", *arguments)
        assert run.returncode == 2
        assert word in run.stderr
        assert len(run.stderr.splitlines()) == 1


def test_the_dialogues_of_a_study_are_analysed_with_their_pairs_and_ratings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = str(tmp_path / "study")
    asked = ["--system", "popularity", "--system", "attributes", "--personas", "8", "--preferences", "3"]
    assert run(["simulate", study, *asked]) == 0
    assert run(["rate", study]) == 0
    capsys.readouterr()
    assert run(["abilities", study, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["data_sets"]
    names = {system["system"] for system in found["systems"]}
    assert names == {"popularity", "attributes"}
    assert run(["abilities", study]) == 0
    out = capsys.readouterr().out
    assert "Consistent action" in out
    shown, _, lacking = out.partition("What could not be computed")
    assert "The ratings by made-up are made up" in shown
    assert "Social awareness" not in shown, "a fake model's rating is no result"
    assert "made up, by a fake model" in " ".join(lacking.split())
    assert found["made_up"] == ["made-up"]
    page = tmp_path / "page.html"
    assert run(["abilities", study, "--html", str(page)]) == 0
    assert "The ratings by made-up are made up" in page.read_text(encoding="utf-8")
    assert "<h1>study</h1>" in page.read_text(encoding="utf-8")


def test_a_study_without_simulated_dialogues_says_how_to_make_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", str(tmp_path / "study")]) == 0
    assert run(["abilities", str(tmp_path / "study")]) == 2
    assert "make some with dialgauge simulate" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["abilities", "compare"])
def test_another_catalogue_than_that_of_the_simulation_is_refused_with_a_remedy(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, own = str(tmp_path / "study"), tmp_path / "own.csv"
    shipped = resources.files("dialgauge.io.catalogues").joinpath("films.csv").read_text(encoding="utf-8")
    own.write_text(shipped, encoding="utf-8")
    asked = ["--system", "popularity", "--system", "attributes", "--personas", "6", "--preferences", "2"]
    assert run(["simulate", study, *asked]) == 0
    assert run([command, study, "--catalogue", str(own)]) == 0, "the same items from another place"
    own.write_text(shipped.replace("The Matrix", "The Metrics"), encoding="utf-8")
    capsys.readouterr()
    assert run([command, study, "--catalogue", str(own)]) == 2
    said = capsys.readouterr().err
    assert "simulated with another catalogue than own" in said
    assert "give the --catalogue of the simulation" in said
    assert len(said.splitlines()) == 1
