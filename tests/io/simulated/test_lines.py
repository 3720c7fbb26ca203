"""Simulated dialogues in files and stores: out and in again, whole."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.io.store.simulated import FAILED, TURNS, begin, simulation

from dialgauge.errors import StudyError
from dialgauge.io.simulated import check_place, iter_lines, read_simulated, read_simulations, write_lines
from dialgauge.io.simulated.lines import from_record, to_record
from dialgauge.io.store import open_store
from dialgauge.io.study import init_study
from dialgauge.model.simulated import SystemTurn, UserTurn

SOME = [simulation(), simulation("other", turns=(TURNS[0], FAILED), notices=(), pairs=(), calls=())]

texts = st.text(st.characters(exclude_categories=["Cs"]))
user_turns = st.builds(UserTurn, text=texts, feeling=st.none() | texts, accepts_title=st.none() | texts)
system_turns = st.builds(
    SystemTurn,
    text=texts,
    ranking=st.lists(texts, max_size=3).map(tuple),
    recommends=st.none() | st.booleans(),
    failure=st.none() | texts,
    seconds=st.none() | st.floats(0, 1e6),
)


def test_what_is_written_is_read_back_the_same(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    assert write_lines(SOME, file) == 2
    assert list(iter_lines(file)) == list(read_simulations(file)) == SOME
    assert list(read_simulated(file)) == [simulation.dialogue for simulation in SOME]
    assert len(file.read_text().splitlines()) == 2


@given(turns=st.lists(user_turns | system_turns, min_size=1, max_size=6).map(tuple))
def test_any_turns_survive_json(turns: tuple[UserTurn | SystemTurn, ...]) -> None:
    given = simulation(turns=turns)
    assert from_record(json.loads(json.dumps(to_record(given)))) == given


def test_a_line_holds_the_dialogue_with_its_speakers_and_its_book_keeping() -> None:
    record = to_record(SOME[0])
    assert [turn["speaker"] for turn in record["turns"]] == ["user", "system", "user"]
    assert {"id", "system", "persona", "preference", "targets", "ended", "users", "seed", "pairs", "notices"} <= {
        *record
    }


def test_a_store_a_study_and_its_database_are_read_too(tmp_path: Path) -> None:
    root = tmp_path / "study"
    init_study(root, instrument="concept", examples=False)
    assert not (root / "targets.jsonl").exists()
    with open_store(root / "study.db") as store:
        run, simulator = begin(store)
        store.simulated.write(run, simulator, SOME)
        assert list(read_simulations(store)) == SOME
    for source in (root, root / "study.toml", root / "study.db"):
        assert list(read_simulations(source)) == SOME


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x", r"line 2 of .*all.jsonl is no simulated dialogue \(.*\); write it again"),
        ("[]", "line 2 of .* holds no JSON object; give a file that dialgauge simulate --out wrote"),
        ("{}", "line 2 of .* is no simulated dialogue: 'ended' is missing"),
        ('{"ended": "well"}', "ended is 'well', none of accepted"),
    ],
)
def test_a_line_that_is_none_is_refused_with_its_number(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "all.jsonl"
    write_lines(SOME[:1], file)
    with file.open("a") as stream:
        stream.write(f"{line}\n")
    with pytest.raises(StudyError, match=message):
        read_simulations(file)


def test_any_missing_key_and_any_wrong_type_is_refused_and_never_a_crash(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    whole = to_record(SOME[0])
    for key in ("persona", "preference", "targets", "turns", "seed", "started", "users"):
        for changed in ({k: v for k, v in whole.items() if k != key}, {**whole, key: None}):
            file.write_text(json.dumps(changed) + "\n")
            with pytest.raises(StudyError, match="line 1 of"):
                read_simulations(file)


def test_another_suffix_and_a_missing_folder_are_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"has the suffix '.csv'; simulated dialogues are kept in .jsonl"):
        check_place(tmp_path / "all.csv")
    with pytest.raises(StudyError, match="there is no folder"):
        check_place(tmp_path / "none" / "all.jsonl")
    with pytest.raises(StudyError, match="cannot be read"):
        read_simulated(tmp_path / "none.jsonl")


def test_a_file_that_it_has_not_written_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    for text in ('{"id": "d1", "turns": []}\n', "notes of mine\n", "\n\n"):
        file.write_text(text)
        with pytest.raises(StudyError, match=r"exists and was not written by --out, and is not overwritten"):
            check_place(file)
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(StudyError, match="is not overwritten"):
        check_place(tmp_path / "folder.jsonl")


def test_its_own_file_an_empty_one_and_a_new_one_may_be_written(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    check_place(file)
    file.touch()
    check_place(file)
    write_lines(SOME, file)
    check_place(file)


def test_the_dialogues_of_the_study_itself_are_not_overwritten_by_whatever_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    for place in (tmp_path / "targets.jsonl", tmp_path / "link" / "targets.jsonl"):
        with pytest.raises(StudyError, match="holds the study's own dialogues"):
            check_place(place, own=[tmp_path / "targets.jsonl"])
