"""A study begins with dialogues of any known form; what else a file knows of them is kept."""

import json
from pathlib import Path

import pytest

from dialgauge.errors import StudyError
from dialgauge.io.dialogues import read_dialogues
from dialgauge.io.dialogues_from import read_foreign_dialogues
from dialgauge.io.study import complete_study, init_study


def kit(folder: Path) -> Path:
    """Write a DialogueKit file of one dialogue with the agent's name."""
    said = [{"participant": "USER", "utterance": "Hi"}, {"participant": "AGENT", "utterance": "Hello."}]
    file = folder / "kit.json"
    record = {"conversation ID": "c1", "conversation": said, "agent": {"id": "IAI"}, "user": {"id": "u"}}
    file.write_text(json.dumps([record], indent=1), encoding="utf-8")
    return file


def test_dialogues_with_ratings_by_people_make_a_study_with_both(shared: Path, tmp_path: Path) -> None:
    source = shared / "data/ab_redial/abredial_annotated_dialogues.csv"
    made = init_study(tmp_path / "s", instrument="concept", targets=source)
    assert [path.name for path in made] == ["study.toml", "targets.jsonl", "people.csv", "people.toml", "study.db"]
    assert len(read_dialogues(tmp_path / "s/targets.jsonl")) == 200


def test_the_system_of_a_dialogue_is_kept(tmp_path: Path) -> None:
    init_study(tmp_path / "s", targets=kit(tmp_path))
    (dialogue,) = read_dialogues(tmp_path / "s/targets.jsonl")
    assert (dialogue.id, dialogue.system) == ("c1", "IAI")


def test_a_study_that_lacks_dialogues_takes_those_of_another_project(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    init_study(folder, examples=False)
    assert complete_study(folder, targets=kit(tmp_path)) == (str(folder / "targets.jsonl"),)
    with pytest.raises(StudyError, match="nothing is overwritten"):
        complete_study(folder, targets=kit(tmp_path))


def test_own_dialogues_are_not_taken_for_those_of_others(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "a", "turns": [{"speaker": "user", "text": "x"}]}\n', encoding="utf-8")
    assert read_foreign_dialogues(file) is None
    init_study(tmp_path / "s", targets=file)
    assert len(read_dialogues(tmp_path / "s/targets.jsonl")) == 1


def test_a_file_in_the_way_of_people_leaves_all_as_it_was(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(StudyError, match=r"people\.csv exists"):
        init_study(tmp_path, targets=shared / "data/ab_redial/abredial_annotated_dialogues.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
