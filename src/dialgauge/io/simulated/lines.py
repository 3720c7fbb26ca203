"""Simulated dialogues in JSON lines: one a line, whole, with feelings, rankings, pairs and book-keeping."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from dialgauge.errors import StudyError
from dialgauge.io.words import clip
from dialgauge.model.simulated import End, Persona, Preference, SimulatedDialogue, SystemTurn, UserTurn
from dialgauge.model.simulation import Simulation

LARGEST_LINE = 64_000_000
"""Bytes."""

SUFFIXES = (".jsonl", ".ndjson")

_WHOLE: TypeAdapter[Simulation] = TypeAdapter(Simulation)
_TURNS: Mapping[str, TypeAdapter[Any]] = {"user": TypeAdapter(UserTurn), "system": TypeAdapter(SystemTurn)}
_BOOK_KEEPING = frozenset(field.name for field in fields(Simulation)) - {"dialogue"}


def write_lines(simulations: Iterable[Simulation], path: str | Path) -> int:
    """Write one simulation a line, and return how many; the file is replaced as a whole.

    Raises StudyError for another suffix than ``.jsonl`` or ``.ndjson``, and a place that cannot be written.
    """
    file = Path(path)
    _check_suffix(file)
    unfinished = file.with_name(f".{file.name}.part")
    n = 0
    try:
        with unfinished.open("w", encoding="utf-8") as stream:
            for simulation in simulations:
                stream.write(json.dumps(to_record(simulation), ensure_ascii=False) + "\n")
                n += 1
        unfinished.replace(file)
    except OSError as error:
        msg = f"{file} cannot be written ({error.strerror}); choose a folder that exists and may be written to"
        raise StudyError(msg) from None
    finally:
        unfinished.unlink(missing_ok=True)
    return n


def iter_lines(path: str | Path) -> Iterator[Simulation]:
    """Yield the simulations of a file that `write_lines` wrote, one in memory at a time.

    Raises StudyError naming file and line for what cannot be read.
    """
    file = Path(path)
    _check_suffix(file)
    try:
        with file.open("rb") as stream:
            number = 0
            while raw := stream.readline(LARGEST_LINE + 1):
                number += 1
                place = f"line {number} of {file}"
                if len(raw) > LARGEST_LINE:
                    raise StudyError(f"{place} has more than {LARGEST_LINE:,} bytes; a dialogue is far shorter")
                if raw.strip():
                    yield _from_line(raw, place)
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); check the path and its permissions"
        raise StudyError(msg) from None


def to_record(simulation: Simulation) -> dict[str, Any]:
    """Return a simulation as JSON types: the dialogue, each turn with its speaker, and the book-keeping beside it."""
    content: dict[str, Any] = _WHOLE.dump_python(simulation, mode="json")
    record: dict[str, Any] = content.pop("dialogue")
    for turn, kept in zip(record["turns"], simulation.dialogue.turns, strict=True):
        turn["speaker"] = "user" if isinstance(kept, UserTurn) else "system"
    return {**record, **content}


def from_record(record: Mapping[str, Any]) -> Simulation:
    """Return the simulation in JSON types; ValueError or KeyError where they are none."""
    if record["ended"] not in get_args(End):
        raise ValueError(f"ended is {record['ended']!r}, none of {', '.join(get_args(End))}")
    dialogue = SimulatedDialogue(
        id=str(record["id"]),
        system=str(record["system"]),
        persona=Persona.model_validate(record["persona"]),
        preference=Preference.model_validate(record["preference"]),
        targets=tuple(map(str, record["targets"])),
        turns=tuple(to_turn(turn) for turn in record["turns"]),
        ended=record["ended"],
        failure=record.get("failure"),
    )
    known = {name: value for name, value in record.items() if name in _BOOK_KEEPING}
    return _WHOLE.validate_python({**known, "dialogue": dialogue})


def to_turn(record: Mapping[str, Any]) -> UserTurn | SystemTurn:
    """Return the turn in JSON types by its ``speaker``, "user" or "system"."""
    turn: UserTurn | SystemTurn = _TURNS[record["speaker"]].validate_python(
        {name: value for name, value in record.items() if name != "speaker"}
    )
    return turn


def _from_line(raw: bytes, place: str) -> Simulation:
    try:
        record = json.loads(raw.decode("utf-8-sig"))
        if not isinstance(record, dict):
            raise StudyError(f"{place} holds no JSON object; give a file that dialgauge simulate --out wrote")
        return from_record(record)
    except (ValidationError, KeyError) as error:
        what = error.errors()[0]["msg"] if isinstance(error, ValidationError) else f"{error} is missing or unknown"
        raise StudyError(f"{place} is no simulated dialogue: {clip(what)}; write it again") from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise StudyError(f"{place} is no simulated dialogue ({clip(str(error))}); write it again") from None


def check_place(path: str | Path, *, own: Iterable[Path] = ()) -> None:
    """Raise StudyError where `write_lines` could not or should not write to ``path``, before the work is done.

    It overwrites nothing but what it has written itself, and no file of a study's ``own``.
    """
    file = Path(path)
    _check_suffix(file)
    if not file.parent.is_dir():
        raise StudyError(f"{file} cannot be written: there is no folder {file.parent}; make it first")
    if file.resolve() in {one.resolve() for one in own}:
        raise StudyError(f"{file} holds the study's own dialogues, which are not overwritten; give another file")
    if file.exists() and not _is_ours(file):
        raise StudyError(
            f"{file} exists and was not written by --out, and is not overwritten; give another file, or move it away"
        )


def _is_ours(file: Path) -> bool:
    """Tell whether a file is empty or begins with a simulated dialogue."""
    try:
        return not file.stat().st_size or next(iter_lines(file), None) is not None
    except (StudyError, OSError):
        return False


def _check_suffix(file: Path) -> None:
    if file.suffix.lower() not in SUFFIXES:
        msg = (
            f"{file} has the suffix {file.suffix or '(none)'!r}; simulated dialogues are kept in {', '.join(SUFFIXES)}"
        )
        raise StudyError(msg)
