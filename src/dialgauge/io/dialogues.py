"""Dialogues in and out of files: JSON lines, one dialogue a line; or CSV, one turn a row. Read one by one."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ValidationError

from dialgauge.errors import StudyError
from dialgauge.io.words import clip
from dialgauge.model import Dialogue, Turn
from dialgauge.model.problems import explain

LARGEST_FILE = 2_000_000_000
LARGEST_DIALOGUE = 64_000_000
LARGEST_TURN = 1_000_000
"""Bytes."""

COLUMNS = ("target", "speaker", "text", "start", "end", "audio", "system")
"""Of a CSV file; the last four may be absent."""

_REQUIRED = COLUMNS[:3]
_OF_WHOLE = {"audio": "audio file", "system": "system"}
"""Columns that are the same for all turns of a dialogue, and the words for them."""

_LINES, _SEPARATED = (".jsonl", ".ndjson"), (".csv", ".tsv")
_RECORDS: Mapping[str, type[BaseModel]] = {"": Dialogue, "turns": Turn}


def read_dialogues(path: str | Path) -> tuple[Dialogue, ...]:
    """Return all dialogues of a JSON lines or CSV file, in their order; for large files see `iter_dialogues`."""
    return tuple(iter_dialogues(path))


def iter_dialogues(path: str | Path) -> Iterator[Dialogue]:
    """Yield the dialogues of a file, one in memory at a time.

    A ``.jsonl`` file has an object with ``id``, ``turns`` and perhaps ``audio`` and ``system`` on each line; a ``.csv``
    or ``.tsv`` file has a row for each turn, the turns of a dialogue together and in order, under the names of
    `COLUMNS`. UTF-8, with or without a byte order mark. Raises StudyError, naming file and line, for a file that cannot
    be read or is larger than 2 GB, a turn larger than 1 MB, a wrong record, an id that occurs twice, and a file without
    dialogues.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in {*_LINES, *_SEPARATED}:
        msg = f"{file} has the suffix {suffix or '(none)'!r}; dialogues are read from {', '.join(_LINES + _SEPARATED)}"
        raise StudyError(msg)
    seen: set[str] = set()
    try:
        with _open(file) as stream:
            records = _iter_lines(stream, file) if suffix in _LINES else _iter_separated(stream, file)
            for line, record in records:
                dialogue = _validate(record, f"line {line} of {file}")
                if dialogue.id in seen:
                    msg = f"line {line} of {file} has the dialogue {clip(dialogue.id)!r} again"
                    hint = "give it another id" if suffix in _LINES else "put the rows of a dialogue together"
                    raise StudyError(f"{msg}; {hint}")
                seen.add(dialogue.id)
                yield dialogue
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); check the path and its permissions"
        raise StudyError(msg) from None
    if not seen:
        msg = f"{file} has no dialogue; write one a line, or see dialgauge init for examples"
        raise StudyError(msg)


def write_dialogues(dialogues: Iterable[Dialogue], path: str | Path) -> int:
    """Write dialogues so that `iter_dialogues` reads the same back, by the suffix of ``path``; return how many.

    The file is replaced as a whole. Raises StudyError for another suffix or a place that cannot be written.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in {*_LINES, *_SEPARATED}:
        msg = f"{file} has the suffix {suffix or '(none)'!r}; dialogues are written to {', '.join(_LINES + _SEPARATED)}"
        raise StudyError(msg)
    unfinished = file.with_name(f".{file.name}.part")
    n = 0
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as stream:
            rows = csv.writer(stream, delimiter="\t" if suffix == ".tsv" else ",")
            if suffix in _SEPARATED:
                rows.writerow(COLUMNS)
            for n, dialogue in enumerate(dialogues, start=1):  # noqa: B007 (the last one is the answer)
                if suffix in _LINES:
                    stream.write(dialogue.model_dump_json(exclude_none=True) + "\n")
                else:
                    rows.writerows(_to_rows(dialogue))
        unfinished.replace(file)
    except OSError as error:
        msg = f"{file} cannot be written ({error.strerror}); choose a folder that exists and may be written to"
        raise StudyError(msg) from None
    finally:
        unfinished.unlink(missing_ok=True)
    return n


def _open(file: Path) -> BinaryIO:
    """Open a file of bounded size, behind its byte order mark."""
    if file.is_dir():
        msg = f"{file} is a folder; give the file of dialogues in it"
        raise StudyError(msg)
    size = file.stat().st_size
    if size > LARGEST_FILE:
        msg = f"{file} has {size:,} bytes; at most {LARGEST_FILE:,} are read: split it into several studies"
        raise StudyError(msg)
    stream = file.open("rb")
    head = stream.read(3)
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        stream.close()
        msg = f"{file} is in UTF-16; save it as UTF-8"
        raise StudyError(msg)
    if head != b"\xef\xbb\xbf":
        stream.seek(0)
    return stream


def _iter_text(stream: BinaryIO, file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, with their ends."""
    number = 0
    while raw := stream.readline(LARGEST_DIALOGUE + 1):
        number += 1
        if len(raw) > LARGEST_DIALOGUE:
            msg = f"line {number} of {file} has more than {LARGEST_DIALOGUE:,} bytes; split the dialogue into segments"
            raise StudyError(msg)
        try:
            yield number, raw.decode("utf-8")
        except UnicodeDecodeError as error:
            msg = f"{file} is not UTF-8 text (byte 0x{raw[error.start]:02x} on line {number}); save it again as UTF-8"
            raise StudyError(msg) from None


def _iter_lines(stream: BinaryIO, file: Path) -> Iterator[tuple[int, object]]:
    for number, line in _iter_text(stream, file):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_to_object)
        except _DoubledKeyError as doubled:
            msg = f"line {number} of {file} has the key {clip(str(doubled))!r} twice in one object; keep one of the two"
            raise StudyError(msg) from None
        except (ValueError, RecursionError) as error:
            msg = f"line {number} of {file} is not JSON ({' '.join(str(error).split())[:120]}); write one object a line"
            raise StudyError(msg) from None
        if not isinstance(record, dict):
            msg = f'line {number} of {file} holds no JSON object; write a dialogue as {{"id": ..., "turns": [...]}}'
            raise StudyError(msg)
        if "\\ud" in line.lower() and not _is_unicode(record):
            msg = f"line {number} of {file} has half of a surrogate pair, which is no character; write the whole one"
            raise StudyError(msg)
        yield number, record


class _DoubledKeyError(ValueError):
    """Its message is the key."""


def _to_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _DoubledKeyError(next(key for key in keys if keys.count(key) > 1))
    return found


def _is_unicode(record: object) -> bool:
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _iter_separated(stream: BinaryIO, file: Path) -> Iterator[tuple[int, object]]:
    """Put the rows of one target after the other into one record, with the line on which it begins."""
    for target, rows in groupby(_iter_rows(stream, file), key=lambda numbered: numbered[1]["target"]):
        begins = 0
        whole: dict[str, str | None] = {}
        turns: list[dict[str, object]] = []
        for line, row in rows:
            place = f"line {line} of {file}"
            _check_turn(row["text"], place)
            times = {name: _to_seconds(row.get(name, ""), name, place) for name in ("start", "end")}
            for name, word in _OF_WHOLE.items():
                cell = row.get(name) or None
                if whole.setdefault(name, cell) != cell:
                    msg = f"{place} has another {word} than the turns before it; name one for each dialogue"
                    raise StudyError(msg)
            begins = begins or line
            turns.append({"speaker": row["speaker"], "text": row["text"], **times})
        yield begins, {"id": target, "turns": turns, **whole}


def _iter_rows(stream: BinaryIO, file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows below the header by the names of their columns, with the line on which each begins."""
    lines = _iter_text(stream, file)
    _, header = next(lines, (1, ""))
    sign = max(",;\t", key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=sign), [])]
    _check_header(names, file)
    reader = csv.reader((line for _, line in lines), delimiter=sign, strict=True)
    while True:
        line = reader.line_num + 2
        try:
            with _long_fields():
                cells = next(reader, None)
        except csv.Error as error:
            msg = f"line {line} of {file} cannot be split into fields ({error}); check its quotation marks"
            raise StudyError(msg) from None
        if cells is None:
            return
        if not any(cells):
            continue
        if len(cells) != len(names):
            msg = f"line {line} of {file} has {len(cells)} fields where the header has {len(names)}; complete that line"
            raise StudyError(msg)
        yield line, dict(zip(names, cells, strict=True))


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let fields be as long as turns may be; the limit belongs to the whole process, and is put back."""
    before = csv.field_size_limit(LARGEST_TURN)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _check_header(names: list[str], file: Path) -> None:
    absent = [name for name in _REQUIRED if name not in names]
    strange = [name for name in names if name not in COLUMNS]
    doubled = [name for name in names if names.count(name) > 1]
    if absent or strange or doubled:
        what = (
            f"has no column {absent[0]!r}"
            if absent
            else f"has a column {clip(strange[0])!r}"
            if strange
            else f"has two columns {doubled[0]!r}"
        )
        msg = (
            f"{file} {what}; the columns of dialogues are {', '.join(_REQUIRED)}, and perhaps start, end, audio, system"
        )
        raise StudyError(msg)


def _to_seconds(cell: str, name: str, place: str) -> float | None:
    try:
        return float(cell) if cell.strip() else None
    except ValueError:
        msg = f"{place} has the {name} {clip(cell)!r}; write seconds from the start as a number, such as 12.5"
        raise StudyError(msg) from None


def _validate(record: object, place: str) -> Dialogue:
    try:
        dialogue = Dialogue.model_validate(record)
    except ValidationError as error:
        msg = f"{place}: {explain(error, record, _RECORDS)}"
        raise StudyError(msg) from None
    for turn in dialogue.turns:
        _check_turn(turn.text, place)
    return dialogue


def _check_turn(text: str, place: str) -> None:
    if len(text) > LARGEST_TURN // 4 and len(text.encode()) > LARGEST_TURN:
        msg = f"{place} has a turn of more than {LARGEST_TURN:,} bytes; split it into turns"
        raise StudyError(msg)


def _to_rows(dialogue: Dialogue) -> Iterator[list[object]]:
    for turn in dialogue.turns:
        yield [dialogue.id, turn.speaker, turn.text, turn.start, turn.end, dialogue.audio, dialogue.system]
