"""Dialogues out of files of other projects: what a file is, is told by its content."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

from dialgauge.errors import StudyError
from dialgauge.io.dialogues import read_dialogues
from dialgauge.io.dialogues_from.ab_redial import read_ab_redial
from dialgauge.io.dialogues_from.dialoguekit import read_dialoguekit
from dialgauge.io.dialogues_from.lines import Record, iter_objects, read_text
from dialgauge.io.dialogues_from.opendialkg import read_opendialkg
from dialgauge.io.dialogues_from.records import FoundDialogues
from dialgauge.io.dialogues_from.redial import read_redial
from dialgauge.io.words import shorten

OWN = "dialogues of Dialgauge"

_FORMS = "those of Dialgauge (id, turns), ReDial, OpenDialKG contexts, DialogueKit and AB-ReDial"
_Reader = Callable[[str, Path], FoundDialogues]


def read_any_dialogues(path: str | Path) -> FoundDialogues:
    """Return the dialogues of a file of any known form; ``form`` of the result says what it was taken for.

    Known are the JSON lines and tables of `read_dialogues`, ReDial, OpenDialKG contexts, DialogueKit JSON and the
    dialogue-level table of AB-ReDial (with its ratings). Raises StudyError with the file, the line, what is wrong and
    what to do.
    """
    found = read_foreign_dialogues(path)
    return _read_own(Path(path)) if found is None else found


def read_foreign_dialogues(path: str | Path) -> FoundDialogues | None:
    """Return the dialogues of a file of another project; None for a file in the form of `read_dialogues`.

    Of the latter the first object is looked at, no more. Raises what `read_any_dialogues` raises.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix in {".csv", ".tsv"}:
        return _read_table(file)
    if suffix not in {".json", ".jsonl", ".ndjson"}:
        msg = (
            f"{file} has the suffix {suffix or '(none)'!r}; dialogues are read from .jsonl, .ndjson, .json, .csv, .tsv"
        )
        raise StudyError(msg)
    if _begins_as_own(file):
        return None
    text = read_text(file)
    start = text.lstrip()[:1]
    if not start:
        msg = f"{file} is empty; known dialogues are {_FORMS}"
        raise StudyError(msg)
    if start == "[":
        return _check(read_dialoguekit(text, file))
    _, first = next(iter_objects(text, file))
    reader = _find_reader(first, file)
    return _check(reader(text, file)) if reader else None


def _begins_as_own(file: Path) -> bool:
    """Whether the first line that is not blank is a dialogue of Dialgauge; False where that cannot be told."""
    try:
        with file.open(encoding="utf-8-sig") as stream:
            first = next((line for line in stream if line.strip()), "")
        content = json.loads(first)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and {"id", "turns"} <= set(content)


def _find_reader(first: Record, file: Path) -> _Reader | None:
    """Return the reader for a file whose first object is ``first``, None for the own form."""
    keys = set(first)
    if {"id", "turns"} <= keys:
        return None
    if {"conversationId", "messages"} <= keys:
        return read_redial
    if "simulator_dialog" in keys:
        msg = f"{file} holds CONCEPT logs, which are simulated dialogues with rankings; read it as such"
        raise StudyError(msg)
    if {"dialog_id", "context", "resp"} <= keys:
        return read_opendialkg
    msg = f"{file} has objects with the keys {shorten(first, 8)}; known dialogues are {_FORMS}"
    raise StudyError(msg)


def _read_table(file: Path) -> FoundDialogues | None:
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            header = next(csv.reader(stream), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        header = []  # the reader below says what is wrong
    if {"ConvId", "utterance0", "dialogue-overall"} <= set(header):
        return _check(read_ab_redial(file))
    if {"ConvId", "utterance0"} <= set(header):
        msg = f"{file} is the turn-level table of AB-ReDial; give abredial_annotated_dialogues.csv"
        raise StudyError(msg)
    return None


def _read_own(file: Path) -> FoundDialogues:
    return FoundDialogues(form=OWN, source=str(file), dialogues=read_dialogues(file))


def _check(found: FoundDialogues) -> FoundDialogues:
    if not found.dialogues:
        msg = f"{found.source} has no dialogue; known dialogues are {_FORMS}"
        raise StudyError(msg)
    return found
