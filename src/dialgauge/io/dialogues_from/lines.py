"""Files of dialogues as text: JSON lines and JSON, with the line of what is wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from dialgauge.errors import StudyError
from dialgauge.io.words import clip

LARGEST_FILE = 2_000_000_000
"""Bytes."""

Record = dict[str, Any]

T = TypeVar("T")


def read_text(file: Path) -> str:
    """Return the text of a file; raises StudyError where it cannot be read, is too large or is not UTF-8."""
    try:
        if file.is_dir():
            msg = f"{file} is a folder; give the file of dialogues in it"
            raise StudyError(msg)
        size = file.stat().st_size
        if size > LARGEST_FILE:
            msg = f"{file} has {size:,} bytes; at most {LARGEST_FILE:,} are read: split it"
            raise StudyError(msg)
        content = file.read_bytes()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        msg = f"{file} is not UTF-8 text (byte 0x{content[error.start]:02x} on line {line}); save it again as UTF-8"
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); check the path and its permissions"
    raise StudyError(msg) from None


def iter_objects(text: str, file: Path) -> Iterator[tuple[str, Record]]:
    """Yield the JSON objects of a text, one a line, each with its place; empty lines are passed over."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"line {number} of {file}"
            yield place, _to_object(_parse(line, place), place)


def read_list(text: str, file: Path) -> list[tuple[str, Record]]:
    """Return the objects of a JSON list, each with its place."""
    content = _parse(text, str(file))
    if not isinstance(content, list):
        msg = f"{file} holds no JSON list; give a list of dialogues"
        raise StudyError(msg)
    places = (f"dialogue {number} of {file}" for number in range(1, len(content) + 1))
    return [(place, _to_object(record, place)) for place, record in zip(places, content, strict=True)]


def take(record: object, key: str, kind: type[T], place: str) -> T:
    """Return what stands under ``key``; StudyError where it is missing or of another kind."""
    if not isinstance(record, dict) or key not in record:
        msg = f"{place} has no {key!r}; complete it, or copy the file again"
        raise StudyError(msg)
    value = record[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        msg = f"{place} has {clip(repr(value))} under {key!r}, which is of another kind; copy the file again"
        raise StudyError(msg)
    return value


def take_id(record: object, key: str, place: str) -> str:
    """Return the text or whole number under ``key``, as text."""
    value = record.get(key) if isinstance(record, dict) else None
    return str(value) if type(value) is int else take(record, key, str, place)


def _parse(text: str, place: str) -> object:
    try:
        content: object = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"{place}, line {error.lineno}," if "\n" in text.strip() else place
        msg = f"{where} is not JSON ({error.msg} at column {error.colno}); copy the file again"
        raise StudyError(msg) from None
    except (RecursionError, ValueError):
        msg = f"{place} cannot be read as JSON; copy the file again"
        raise StudyError(msg) from None
    if "\\ud" in text.lower() and not _is_unicode(content):
        msg = f"{place} has half of a surrogate pair, which is no character; write the whole one"
        raise StudyError(msg)
    return content


def _is_unicode(content: object) -> bool:
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _to_object(content: object, place: str) -> Record:
    if not isinstance(content, dict):
        msg = f"{place} is no JSON object; each dialogue is one"
        raise StudyError(msg)
    return content
