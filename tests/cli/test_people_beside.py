"""From dialogues that people rated to the agreement of a rater with them, as a user goes."""

import json
import shlex
from pathlib import Path

import pytest

from dialgauge.cli import run

FUNCTION = """
import csv, hashlib
from collections import defaultdict
from pathlib import Path

found = defaultdict(list)
with (Path(__file__).parent / "people.csv").open(encoding="utf-8") as stream:
    for row in csv.DictReader(stream):
        if row["dimension"] == "dialogue-overall" and row["value"]:
            found[row["target"]].append(float(row["value"]))


def seen(dialogue, dimension):
    chance = int(hashlib.sha256(dialogue.id.encode()).hexdigest(), 16) % 3 - 1
    return min(5, max(1, round(sum(found[dialogue.id]) / len(found[dialogue.id])) + chance))

"""

STUDY = """
name = "beside"
instrument = "concept"
dimensions = ["overall_performance"]
[[raters]]
name = "sees"
kind = "code"
function = "mine:seen"
"""

PAIR = ("--map", "dialogue-overall=overall_performance")


@pytest.fixture(scope="module")
def study(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a rated study of the 200 dialogues of AB-ReDial, whose rater goes with people but for chance."""
    folder = tmp_path_factory.mktemp("people") / "s"
    source = shared / "data/ab_redial/abredial_annotated_dialogues.csv"
    assert run(["init", str(folder), "--instrument", "concept", "--targets", str(source)]) == 0
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "mine.py").write_text(FUNCTION, encoding="utf-8")
    assert run(["rate", str(folder)]) == 0
    return str(folder)


def test_one_command_tells_how_far_a_rater_agrees_with_people(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["kinds", study, "--people", f"{study}/people.csv", *PAIR, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    found = {one["kind"]: one for one in record["people"]}
    assert found["sees"]["observed"]["low"] > 0.45
    assert found["sees"]["corrected"]["value"] > found["sees"]["observed"]["value"]
    assert found["sees"]["reliability"]["value"] == pytest.approx(0.609, abs=0.001)
    assert found["sees"]["n_targets"] == 200
    pairs = {(pair["first"], pair["second"]): pair for pair in record["dimensions"][0]["pairs"]}
    route = pairs["people", "sees"]["correlation_as_rated"]["value"]
    assert route == pytest.approx(found["sees"]["corrected"]["value"], abs=0.05)
    severity = next(kind for kind in record["dimensions"][0]["kinds"] if kind["kind"] == "people")["variance"]["rater"]
    assert severity["reason"].startswith("each rater of this kind rated one target only")


def test_the_file_itself_may_be_given_and_the_page_and_table_show_it(
    study: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    page = tmp_path / "k.html"
    source = shared / "data/ab_redial/abredial_annotated_dialogues.csv"
    assert (
        run(
            ["kinds", study, "--people", str(source), "--map", "understanding=overall_performance", "--html", str(page)]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "Beside people" in out
    assert "people and the study rated on different scales" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 100
    assert '<h2 id="people-head">Beside people</h2>' in page.read_text(encoding="utf-8")


def test_beginning_says_what_the_file_was_and_what_to_do_next(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = shared / "data/ab_redial/abredial_annotated_dialogues.csv"
    assert run(["init", str(tmp_path / "s"), "--targets", str(source)]) == 0
    out = capsys.readouterr().out
    assert "200 dialogues of AB-ReDial" in out
    assert "Kept beside them: 3,180 ratings by people." in out
    assert "/people.csv --map PEOPLES=STUDYS\n" in out
    assert "No dimension is called the same on both sides: complete the pair" in out
    assert "PEOPLES: understanding, task-completion" in out
    assert "STUDYS: accuracy, " in out


def test_the_line_that_compares_with_people_works_as_it_is_printed_where_names_are_shared(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'name = "own"\nversion = "1"\ntitle = "Own"\nscale = { level = "ordinal", points = [1, 2, 3] }\n'
        '[[dimensions]]\nname = "understanding"\ntitle = "Understanding"\n',
        encoding="utf-8",
    )
    source = shared / "data/ab_redial/abredial_annotated_dialogues.csv"
    assert run(["init", str(tmp_path / "s"), "--instrument", str(own), "--targets", str(source)]) == 0
    (line,) = [line.strip() for line in capsys.readouterr().out.splitlines() if "dialgauge kinds" in line]
    assert run(["rate", str(tmp_path / "s")]) == 0
    assert run(shlex.split(line)[1:]) == 0
    assert "Beside people" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--people", "nowhere.csv"), "nowhere.csv"),
        (("--map", "a=b"), "--map is about a file"),
        (("--people", "STUDY/people.csv"), "none is called the same"),
        (("--people", "STUDY/people.csv", "--map", "a"), "names no pair"),
        (("--people", "STUDY/people.csv", *PAIR, "--map", "efficiency=overall_performance"), "has a partner"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    study: str, options: tuple[str, ...], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["kinds", study, *(option.replace("STUDY", study) for option in options)]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert len(said.splitlines()) == 1


def test_people_stand_beside_a_study_and_no_table(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["kinds", f"{study}/people.csv", "--kind", "rater", "--people", f"{study}/people.csv"]) == 2
    assert "--people stands beside a study" in capsys.readouterr().err
