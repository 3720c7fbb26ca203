"""Dialogues out of files of other projects, told by their content."""

import csv
import json
from pathlib import Path

import pytest

from dialgauge.errors import StudyError
from dialgauge.io.dialogues import read_dialogues, write_dialogues
from dialgauge.io.dialogues_from import FoundDialogues, read_any_dialogues
from dialgauge.model import RATING_SCHEMA, Dialogue, Turn

KITS = {
    "BARCOR_ReDial_Dual_LLM_nemo_ReDial": ("BARCOR_ReDial", 0, 910),
    "IAIMovieBot_ABUS_INSPIRED": ("IAIMovieBot", 57, 767),
    "KBRD_ReDial_ABUS_ReDial": ("KBRD_ReDial", 100, 956),
    "UniCRS_OpenDialKG_Single_LLM_nemo_ReDial": ("UniCRS_OpenDialKG", 0, 628),
}
REDIAL = {
    "conversationId": "391",
    "initiatorWorkerId": 1,
    "respondentWorkerId": 2,
    "movieMentions": {"7": "Up  (2009)", "8": None},
    "messages": [
        {"senderWorkerId": 2, "text": "Hello"},
        {"senderWorkerId": 1, "text": "I like @7 and @8"},
    ],
}
CONTEXT = {"dialog_id": 3, "turn_id": 1, "context": ["Something like Up?"], "resp": "Try Soul."}
KIT = {
    "conversation ID": "a",
    "conversation": [
        {"participant": "AGENT", "utterance": "Hello"},
        {"participant": "USER", "utterance": "\\end"},
    ],
    "agent": {"id": "bot"},
    "metadata": {"error": {"error_type": "IndexError", "trace": "pop from\nan empty deque"}},
}


def put(folder: Path, name: str, *records: object) -> Path:
    """Write a JSON list, or JSON lines, by the suffix."""
    path = folder / name
    texts = [json.dumps(record) for record in records]
    path.write_text(f"[{','.join(texts)}]" if path.suffix == ".json" else "\n".join(texts), encoding="utf-8")
    return path


def texts_of(dialogue: Dialogue) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in dialogue.turns]


def test_the_seeker_of_redial_is_the_user_and_films_stand_by_title(tmp_path: Path) -> None:
    found = read_any_dialogues(put(tmp_path, "valid.jsonl", REDIAL, REDIAL | {"movieMentions": []}))
    assert found.form == "ReDial"
    assert texts_of(found.dialogues[0]) == [("system", "Hello"), ("user", "I like Up (2009) and @8")]
    assert [dialogue.id for dialogue in found] == ["391", "391 (2)"]
    assert found.notes == (
        "1 dialogue with the id of an earlier one renamed: '391 (2)'.",
        "3 films without a title stayed a number: '8', '7', '8'.",
    )


def test_all_redial_dialogues_are_read(shared: Path) -> None:
    found = read_any_dialogues(shared / "data/redial/valid_data.jsonl")
    assert len(found) == 1_000
    assert sum(len(dialogue.turns) for dialogue in found) == 12_395
    assert found.notes == ("1 film without a title stayed a number: '115908'.",)


def test_dialogues_take_the_names_that_a_table_of_ratings_has(shared: Path) -> None:
    found = read_any_dialogues(shared / "data/redial/valid_data.jsonl")
    with (shared / "data/crs_que_redial/annotations.csv").open(encoding="utf-8") as stream:
        targets = [row["dialogue_id"] for row in csv.DictReader(stream)]
    rated = found.for_targets(targets)
    by_id = {dialogue.id: dialogue for dialogue in found}
    assert len(rated) == 20
    assert all(dialogue.turns == by_id[dialogue.id.removeprefix("dialogue_")].turns for dialogue in rated)
    assert rated.notes[-2] == "20 of 202 targets found among 1,000 dialogues."
    with pytest.raises(StudyError, match="has none of the targets 'x'"):
        found.for_targets(["x"])


def test_a_context_of_opendialkg_ends_with_the_reply_of_the_system(tmp_path: Path) -> None:
    longer = {"dialog_id": 3, "turn_id": 3, "context": ["Something like Up?", "Try Soul.", "Why?"], "resp": "It sings."}
    other = {"dialog_id": 4, "turn_id": 2, "context": ["Up is good.", "Yes."], "resp": "Try Soul."}
    found = read_any_dialogues(put(tmp_path, "test.jsonl", CONTEXT, longer, other))
    assert [dialogue.id for dialogue in found] == ["3", "4"]
    assert [turn.speaker for turn in found.dialogues[0].turns] == ["user", "system", "user", "system"]
    assert texts_of(found.dialogues[1])[0] == ("system", "Up is good.")
    assert found.notes == ("Left out: 1 context that a longer one of the same dialogue begins with.",)


def test_contexts_that_differ_stay_dialogues_of_their_own(tmp_path: Path) -> None:
    found = read_any_dialogues(put(tmp_path, "test.jsonl", CONTEXT, CONTEXT | {"resp": "Try Coco."}))
    assert [dialogue.id for dialogue in found] == ["3", "3 (2)"]


def test_all_opendialkg_contexts_are_read(shared: Path) -> None:
    found = read_any_dialogues(shared / "data/opendialkg/test_data_processed.jsonl")
    assert len(found) == 1_113
    assert found.notes == ("Left out: 75 contexts that a longer one of the same dialogue begins with.",)


def test_an_error_in_the_metadata_of_dialoguekit_is_a_failure(tmp_path: Path) -> None:
    found = read_any_dialogues(put(tmp_path, "kit.json", KIT, KIT | {"metadata": {}}))
    assert texts_of(found.dialogues[0]) == [("system", "Hello"), ("user", "\\end")]
    assert found.failures == {"a": "IndexError: pop from an empty deque"}
    assert found.systems == {"a": "bot", "a (2)": "bot"}
    assert "Commands of the user among the turns, such as \\end: 2." in found.notes
    assert "1 of 2 dialogues broke off (IndexError: pop from an empty deque)." in found.notes


@pytest.mark.parametrize("name", KITS)
def test_all_simulated_dialogues_are_read_with_system_and_failures(name: str, shared: Path) -> None:
    system, n_failures, n_turns = KITS[name]
    found = read_any_dialogues(shared / f"data/dialoguekit/{name}.json")
    assert len({dialogue.id for dialogue in found}) == 100
    assert set(found.systems.values()) == {system}
    assert len(found.failures) == n_failures
    assert sum(len(dialogue.turns) for dialogue in found) == n_turns


def test_ab_redial_gives_dialogues_and_ratings_with_nested_raters(shared: Path) -> None:
    path = shared / "data/ab_redial/abredial_annotated_dialogues.csv"
    found = read_any_dialogues(path)
    assert found.ratings is not None
    frame = found.ratings.frame
    assert (len(found), frame.height) == (200, 640 * 5)
    assert set(frame["target"]) == {dialogue.id for dialogue in found}
    assert frame.select("rater", "target").unique().height == frame["rater"].n_unique() == 640
    assert found.ratings.n_missing == 20
    with path.open(encoding="utf-8-sig") as stream:
        given = [float(row["dialogue-overall"]) for row in csv.DictReader(stream) if row["dialogue-overall"]]
    assert found.ratings.of("dialogue-overall")["value"].drop_nulls().to_list() == given


def test_a_turn_of_ab_redial_loses_the_name_of_its_speaker(shared: Path) -> None:
    found = read_any_dialogues(shared / "data/ab_redial/abredial_annotated_dialogues.csv")
    assert {turn.speaker for dialogue in found for turn in dialogue.turns} == {"user", "system"}
    assert not any(turn.text.startswith(("USER", "SYSTEM")) for dialogue in found for turn in dialogue.turns)


AB = "ConvId,utterance0,utterance1,understanding,dialogue-overall\n"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,Hello,USER Hi,3,5", "line 2 of .* has the turn 'Hello', which names no speaker"),
        ("a,SYSTEM Hello,USER Hi,4,5", "line 2 of .* has '4' for understanding, which is not on its scale"),
        ("a,SYSTEM Hello,USER Hi,3,good", "line 2 of .* has 'good' for dialogue-overall"),
        ("a,,,3,5", "line 2 of .*: turns"),
    ],
)
def test_what_is_wrong_in_ab_redial_is_said(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "ab.csv"
    path.write_text(AB + row + "\n", encoding="utf-8")
    with pytest.raises(StudyError, match=message):
        read_any_dialogues(path)


def test_only_the_dimensions_of_the_table_are_rated(tmp_path: Path) -> None:
    path = tmp_path / "ab.csv"
    path.write_text(AB + "a,SYSTEM Hello,USER  Hi,,5\n", encoding="utf-8")
    ratings = read_any_dialogues(path).ratings
    assert ratings is not None
    assert ratings.dimensions == ("understanding", "dialogue-overall")
    assert ratings.frame["missing"].to_list() == ["empty", None]
    assert ratings.frame.columns == list(RATING_SCHEMA)


@pytest.mark.parametrize("name", ["own.jsonl", "own.csv"])
def test_own_dialogues_are_read_as_they_are(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write_dialogues([Dialogue(id="a", turns=(Turn(speaker="user", text="Hello"),))], path)
    found = read_any_dialogues(path)
    assert (found.form, found.dialogues) == ("dialogues of Dialgauge", read_dialogues(path))


def test_what_was_found_can_be_written_as_own_dialogues(shared: Path, tmp_path: Path) -> None:
    found = read_any_dialogues(shared / "data/dialoguekit/KBRD_ReDial_ABUS_ReDial.json")
    assert write_dialogues(found, tmp_path / "targets.jsonl") == 100
    assert read_any_dialogues(tmp_path / "targets.jsonl").dialogues == found.dialogues


@pytest.mark.parametrize(
    ("name", "record", "message"),
    [
        ("a.jsonl", {"x": 1}, "has objects with the keys 'x'; known dialogues are"),
        ("a.jsonl", {"simulator_dialog": {}}, "holds CONCEPT logs"),
        ("a.jsonl", [1], "dialogue 1 of .* is no JSON object"),
        ("a.jsonl", 1, "line 1 of .* is no JSON object"),
        ("a.jsonl", REDIAL | {"messages": {}}, "line 1 of .* has {} under 'messages'"),
        ("a.jsonl", REDIAL | {"messages": []}, "line 1 of .*: turns"),
        ("a.jsonl", REDIAL | {"messages": [3]}, "line 1 of .* has no 'text'"),
        ("a.jsonl", CONTEXT | {"context": [3]}, "line 1 of .*: turns"),
        ("a.json", KIT | {"conversation": [{"participant": "USER"}]}, "dialogue 1 of .* has no 'utterance'"),
        ("a.json", KIT | {"conversation ID": None}, "dialogue 1 of .* under 'conversation ID'"),
        ("a.json", KIT | {"conversation": []}, "dialogue 1 of .*: turns"),
        ("a.jsonl", CONTEXT | {"resp": "half a pair: \ud800"}, "line 1 of .* has half of a surrogate pair"),
        ("a.xml", {}, "suffix '.xml'"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(name: str, record: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=message) as error:
        read_any_dialogues(put(tmp_path, name, record))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"[]", "has no dialogue"),
        (b"{", "line 1 of .* is not JSON"),
        (b"[\n{,", "line 2, is not JSON"),
        (b'{"a": "\xff"}', "is not UTF-8 text .byte 0xff on line 1"),
    ],
)
def test_bytes_that_are_no_dialogues_say_why(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(StudyError, match=message):
        read_any_dialogues(path)


def test_a_file_that_is_not_there_and_a_table_of_turns_are_refused(shared: Path, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="cannot be read"):
        read_any_dialogues(tmp_path / "none.jsonl")
    with pytest.raises(StudyError, match="turn-level table of AB-ReDial"):
        read_any_dialogues(shared / "data/ab_redial/abredial_annotated_turns.csv")


def test_found_dialogues_can_be_counted_and_gone_through() -> None:
    dialogue = Dialogue(id="a", turns=(Turn(speaker="user", text=""),))
    found = FoundDialogues(form="x", source="y", dialogues=(dialogue,))
    assert (len(found), list(found)) == (1, [dialogue])
