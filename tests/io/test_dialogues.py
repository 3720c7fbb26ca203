"""Dialogues in and out of files, and what is said about files that cannot be read."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.errors import StudyError
from dialgauge.io import dialogues as module
from dialgauge.io.dialogues import iter_dialogues, read_dialogues, write_dialogues
from dialgauge.model import Dialogue, Turn

SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NAME = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=6)
TURN = st.builds(
    Turn,
    speaker=st.sampled_from(["user", "system"]) | NAME,
    text=TEXT,
    start=st.none() | st.floats(0, 10),
    end=st.none() | st.floats(10, 1e6),
)
DIALOGUES = st.lists(
    st.builds(
        Dialogue,
        id=NAME,
        turns=st.lists(TURN, min_size=1, max_size=3).map(tuple),
        audio=st.none() | NAME,
        system=st.none() | NAME,
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda dialogue: dialogue.id,
)

LINE = '{"id": "a", "turns": [{"speaker": "user", "text": "Hello."}]}'
ROWS = "target,speaker,text\na,user,Hello.\n"

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return put


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(DIALOGUES)
def test_any_dialogues_are_read_back_equal(suffix: str, dialogues: list[Dialogue]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"targets{suffix}"
        assert write_dialogues(dialogues, path) == len(dialogues)
        assert read_dialogues(path) == tuple(dialogues)
        assert [file.name for file in Path(folder).iterdir()] == [path.name]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_marks_windows_line_ends_and_blank_lines_are_no_matter(write: Write, mark: bytes, end: str) -> None:
    lines = mark + f"{LINE}{end}{end}".encode()
    rows = mark + (ROWS + "\n").replace("\n", end).encode()
    assert read_dialogues(write("a.jsonl", lines)) == read_dialogues(write("a.csv", rows))


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_table_has_a_row_for_each_turn_in_order(write: Write, sign: str) -> None:
    rows = ["target,start,speaker,text,audio", "a,0.5,user,Hi,a.wav", "a,,system,Yes?,a.wav", 'b,2,user,"one\ntwo",']
    first, second = read_dialogues(write("a.csv", "\n".join(rows).replace(",", sign)))
    assert first.audio == "a.wav"
    assert [(turn.speaker, turn.text, turn.start) for turn in first.turns] == [
        ("user", "Hi", 0.5),
        ("system", "Yes?", None),
    ]
    assert (second.turns[0].text, second.audio) == ("one\ntwo", None)


def test_the_system_that_spoke_is_a_column_and_a_key(write: Write) -> None:
    rows = "target,speaker,text,system\na,user,Hi,s\na,system,Yes?,s\nb,user,Hi,\n"
    first, second = read_dialogues(write("a.csv", rows))
    assert (first.system, second.system) == ("s", None)
    assert read_dialogues(write("a.jsonl", LINE.replace("}]}", '}], "system": "s"}')))[0].system == "s"


def test_escaped_characters_beyond_the_first_plane_are_read(write: Write) -> None:
    (dialogue,) = read_dialogues(write("a.jsonl", LINE.replace("Hello.", r"\ud83d\ude00 \u0000")))
    assert dialogue.turns[0].text == "\U0001f600 \0"


def test_one_dialogue_at_a_time_is_read(write: Write) -> None:
    path = write("a.jsonl", f"{LINE}\nnonsense\n")
    stream = iter_dialogues(path)
    assert isinstance(stream, Iterator)
    assert next(stream).id == "a"
    with pytest.raises(StudyError, match="line 2"):
        next(stream)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nonsense", r"line 2 of .*a\.jsonl is not JSON \(.*\); write one object a line"),
        ("[1]", "line 2 of .* holds no JSON object"),
        ("[" * 100_000, "line 2 of .* is not JSON"),
        (LINE, "line 2 of .* has the dialogue 'a' again; give it another id"),
        (
            '{"id": "b", "id": "c", "turns": [{"speaker": "u", "text": ""}]}',
            "line 2 of .* has the key 'id' twice in one object; keep one of the two",
        ),
        (
            '{"id": "b", "turns": [{"speaker": "u", "text": "good", "text": "bad"}]}',
            "line 2 of .* has the key 'text' twice",
        ),
        ('{"id": "b"}', "line 2 of .*: turns is missing; add the key 'turns'"),
        ('{"id": "b", "turns": []}', "line 2 of .*: turns is empty; give at least 1"),
        (
            '{"id": 7, "turns": [{"speaker": "u", "text": ""}]}',
            "id: should be a text, got 7; write it in quotation",
        ),
        ('{"id": "b", "turns": [{"speaker": "u", "text": ""}, {"text": ""}]}', r"turns\[2\]\.speaker is missing"),
        ('{"id": "b", "turns": [{"speaker": " u", "text": ""}]}', r"turns\[1\]\.speaker: .*take out blanks around it"),
        (
            '{"id": "b", "turns": [{"speaker": "u", "text": "", "when": 1}]}',
            r"turns\[1\]\.when is not a key that is known here; allowed are speaker, text, start, end",
        ),
        (
            '{"id": "b", "turns": [{"speaker": "u", "text": "", "start": 2, "end": 1}]}',
            r"turns\[1\]: a turn ends after it starts, got 2 to 1 s",
        ),
        ('{"id": "b", "turns": [{"speaker": "u", "text": "", "start": NaN}]}', r"turns\[1\]\.start: .*finite"),
        ('{"id": "b", "turns": [{"speaker": "u", "text": "\\ud800"}]}', "line 2 of .* has half of a surrogate pair"),
    ],
)
def test_a_wrong_line_is_named_with_its_place_and_a_remedy(write: Write, line: str, why: str) -> None:
    with pytest.raises(StudyError, match=why) as refused:
        read_dialogues(write("a.jsonl", f"{LINE}\n{line}\n"))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            "speaker,text\nuser,Hi\n",
            r"a\.csv has no column 'target'; the columns of dialogues are target, speaker, text",
        ),
        ("target,speaker,text,mood\na,user,Hi,good\n", "has a column 'mood'"),
        ("target,speaker,text,text\na,user,Hi,Hi\n", "has two columns 'text'"),
        (ROWS + "a,system\n", "line 3 of .* has 2 fields where the header has 3; complete that line"),
        (ROWS + 'a,system,"one\ntwo"\nb,user\n', "line 5 of .* has 2 fields"),
        (ROWS + 'a,system,"open\n', "line 3 of .* cannot be split into fields"),
        (
            ROWS + "b,user,Hi\na,user,Again\n",
            "line 4 of .* has the dialogue 'a' again; put the rows of a dialogue together",
        ),
        (ROWS + "b,,Hi\n", r"line 3 of .*: turns\[1\]\.speaker: "),
        (ROWS + ",user,Hi\n", "line 3 of .*: id: "),
        ("target,speaker,text,start\na,user,Hi,soon\n", "line 2 of .* has the start 'soon'; write seconds"),
        ("target,speaker,text,audio\na,user,Hi,a.wav\na,user,Hi,b.wav\n", "line 3 of .* has another audio file"),
        ("target,speaker,text,system\na,user,Hi,s\na,user,Hi,\n", "line 3 of .* has another system than the turns"),
        ("target,speaker,text,system\na,user,Hi, s\n", "line 2 of .*: system: .*take out blanks around it"),
        ("target,speaker,text\n", r"a\.csv has no dialogue"),
        ("", "has no column 'target'"),
    ],
)
def test_a_wrong_row_is_named_with_its_place_and_a_remedy(write: Write, content: str, why: str) -> None:
    with pytest.raises(StudyError, match=why):
        read_dialogues(write("a.csv", content))


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.jsonl", b"", "has no dialogue"),
        ("a.jsonl", b"\n \n", "has no dialogue"),
        ("a.txt", LINE.encode(), r"suffix '\.txt'; dialogues are read from \.jsonl, "),
        ("a.jsonl", LINE.encode("utf-16"), "is in UTF-16; save it as UTF-8"),
        ("a.jsonl", LINE.encode() + b'\n{"id": "\xe4"}', r"is not UTF-8 text \(byte 0xe4 on line 2\)"),
        ("a.csv", ROWS.encode() + b"b,user,\xe4\n", r"is not UTF-8 text \(byte 0xe4 on line 3\)"),
    ],
)
def test_a_file_of_another_kind_is_refused(write: Write, name: str, content: bytes, why: str) -> None:
    with pytest.raises(StudyError, match=why):
        read_dialogues(write(name, content))


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"none\.jsonl cannot be read \(No such file"):
        read_dialogues(tmp_path / "none.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(StudyError, match="is a folder"):
        read_dialogues(tmp_path / "folder.jsonl")


@pytest.mark.parametrize("text", ["x" * 1_000_001, "ä" * 500_001])
def test_a_turn_of_more_than_a_megabyte_is_refused(write: Write, text: str) -> None:
    record = {"id": "a", "turns": [{"speaker": "user", "text": text}]}
    with pytest.raises(StudyError, match=r"line 1 of .* has a turn of more than 1,000,000 bytes"):
        read_dialogues(write("a.jsonl", json.dumps(record)))
    with pytest.raises(StudyError, match=r"line 2 of .*(has a turn of more than 1,000,000 bytes|field larger than)"):
        read_dialogues(write("a.csv", f"target,speaker,text\na,user,{text}\n"))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_turn_of_a_megabyte_is_read(tmp_path: Path, suffix: str) -> None:
    dialogue = Dialogue(id="a", turns=(Turn(speaker="user", text="x" * 1_000_000),))
    write_dialogues([dialogue], tmp_path / f"a{suffix}")
    assert read_dialogues(tmp_path / f"a{suffix}") == (dialogue,)


def test_files_and_lines_are_bounded(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.jsonl", f"{LINE}\n")
    monkeypatch.setattr(module, "LARGEST_DIALOGUE", 20)
    with pytest.raises(StudyError, match=r"line 1 of .* has more than 20 bytes; split the dialogue"):
        read_dialogues(path)
    monkeypatch.setattr(module, "LARGEST_FILE", 20)
    with pytest.raises(StudyError, match=r"a\.jsonl has 62 bytes; at most 20 are read"):
        read_dialogues(path)


def test_a_file_that_is_being_written_replaces_the_old_one_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("old")

    def broken() -> Iterator[Dialogue]:
        yield Dialogue(id="a", turns=(Turn(speaker="user", text="Hi"),))
        raise KeyError

    with pytest.raises(KeyError):
        write_dialogues(broken(), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="cannot be written"):
        write_dialogues([], tmp_path / "none" / "a.jsonl")
    with pytest.raises(StudyError, match=r"suffix '\.txt'; dialogues are written to"):
        write_dialogues([], tmp_path / "a.txt")
