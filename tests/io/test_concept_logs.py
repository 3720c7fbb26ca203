"""Simulated dialogues as the published work logged them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dialgauge.errors import StudyError
from dialgauge.io.catalogues import read_catalogue
from dialgauge.io.concept_logs import AGES, EMOTIONS, find_logs, read_concept_logs
from dialgauge.model.item import Catalogue, Item
from dialgauge.model.simulated import UserTurn

CATALOGUE = Catalogue(
    "films",
    (
        Item(id="7", title="Quiet Harbour", attributes=("drama", "romance")),
        Item(id="8", title="Copper Moon", attributes=("romance", "drama", "war")),
    ),
)
TEXT = "You are easily bored, feeling uninterested. As a teenager, you may seek more."


def record(**changes: object) -> dict[str, Any]:
    """Return a line of a log; None as a change takes a key out of its inner object."""
    inner = {
        "context": [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Quiet Harbour?", "rec_items": [7, 8]},
            {"role": "user", "content": "I take it. [END]", "feelings": "Glad."},
        ],
        "attributes": ["Drama", "Romance"],
        "profile": [TEXT],
    }
    file = changes.pop("file", "1_2_profile25_attribute3.json")
    inner.update(changes)
    return {"file": file, "simulator_dialog": {key: value for key, value in inner.items() if value is not None}}


def write(folder: Path, *records: object, name: str = "redial_made.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    return path


def test_a_line_becomes_a_dialogue(tmp_path: Path) -> None:
    logs = read_concept_logs([write(tmp_path, record())], CATALOGUE)
    (dialogue,) = logs.dialogues
    assert (logs.data_set, dialogue.system, dialogue.ended) == ("redial", "made", "accepted")
    assert (dialogue.persona.id, dialogue.persona.emotion, dialogue.persona.age) == ("25", "boredom", "teens")
    assert (dialogue.preference.id, dialogue.preference.attributes) == ("3", ("drama", "romance"))
    assert dialogue.system_turns[0].ranking == ("7", "8")
    assert dialogue.turns[-1] == UserTurn(text="I take it.", feeling="Glad.", accepting=True)


def test_targets_have_exactly_the_attributes_in_redial_and_all_of_them_in_opendialkg(tmp_path: Path) -> None:
    exact = read_concept_logs([write(tmp_path, record())], CATALOGUE)
    among = read_concept_logs([write(tmp_path, record(), name="opendialkg_made.jsonl")], CATALOGUE)
    assert exact.dialogues[0].targets == ("7",)
    assert among.dialogues[0].targets == ("7", "8")


def test_another_data_set_needs_its_rule(tmp_path: Path) -> None:
    path = write(tmp_path, record(), name="other_made.jsonl")
    with pytest.raises(StudyError, match="not known which items fit"):
        read_concept_logs([path], CATALOGUE)
    assert read_concept_logs([path], CATALOGUE, fit="equal").dialogues[0].targets == ("7",)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (record(file="x.json"), "does not name persona"),
        (record(context=None), "no list under 'context'"),
        (record(context=[{"role": "user", "content": "Hi"}]), "no turn of the recommender"),
        (record(context=[{"role": "bot", "content": "Hi"}]), "neither 'user' nor 'assistant'"),
        (record(context=[{"role": "user"}]), "without text"),
        (record(context=[{"role": "assistant", "content": "", "rec_items": 3}]), "no list of entity ids"),
        *(
            (record(context=[{"role": "assistant", "content": "", "rec_items": [7, wrong]}]), "which is no entity id")
            for wrong in (7.0, [7], None, True, {"id": 7})
        ),
        (record(attributes=[]), "at least one"),
        (record(attributes=["opera"]), "no item of the catalogue"),
        (record(attributes=[3]), "no list under 'attributes'"),
        (record(profile=["You like films."]), "no emotion or no age"),
        ([1], "no object 'simulator_dialog'"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: object, word: str, tmp_path: Path) -> None:
    path = write(tmp_path, record(), line)
    with pytest.raises(StudyError, match=word) as caught:
        read_concept_logs([path], CATALOGUE)
    assert f"line 2 of {path}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_dialogue_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="again"):
        read_concept_logs([write(tmp_path, record(), record())], CATALOGUE)


def test_text_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "redial_made.jsonl"
    path.write_bytes(b"\xff\n")
    with pytest.raises(StudyError, match="is not JSON in UTF-8"):
        read_concept_logs([path], CATALOGUE)


def test_logs_of_two_data_sets_are_not_mixed(tmp_path: Path) -> None:
    paths = [write(tmp_path, record()), write(tmp_path, record(), name="opendialkg_made.jsonl")]
    with pytest.raises(StudyError, match="one data set"):
        read_concept_logs(paths, CATALOGUE)


@pytest.mark.parametrize(("name", "word"), [("nothing", "no file or folder"), (".", "no .jsonl file")])
def test_a_place_without_logs_is_refused(name: str, word: str, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=word):
        find_logs(tmp_path / name)


def test_a_file_that_does_not_name_its_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"DATASET_SYSTEM\.jsonl"):
        find_logs(write(tmp_path, record(), name="logs.jsonl"))


@pytest.mark.parametrize("data_set", ["redial", "opendialkg"])
def test_the_published_logs_are_read_whole(data_set: str, shared: Path) -> None:
    files = find_logs(shared / "data/concept_logs")[data_set]
    logs = read_concept_logs(files, read_catalogue(shared / "data" / data_set))
    assert Counter(dialogue.system for dialogue in logs.dialogues) == dict.fromkeys(
        ("barcor", "chatgpt", "kbrd", "unicrs"), 40
    )
    personas = {(d.persona.id, d.persona.emotion, d.persona.age) for d in logs.dialogues}
    assert len(personas) == len({number for number, _, _ in personas}) == len({each[1:] for each in personas})
    assert {emotion for _, emotion, _ in personas} == set(EMOTIONS.values())
    assert {age for _, _, age in personas} == set(AGES.values())
    assert {d.ended for d in logs.dialogues} == {"accepted", "turn limit"}
    assert not any("[END]" in turn.text for d in logs.dialogues for turn in d.user_turns)
