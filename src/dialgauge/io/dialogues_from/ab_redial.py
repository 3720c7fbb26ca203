"""AB-ReDial: ReDial dialogues with human ratings of the whole dialogue, in one wide CSV."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from dialgauge.errors import StudyError
from dialgauge.io.dialogues_from.records import FoundDialogues, make_dialogue, name_apart
from dialgauge.io.files import read_table
from dialgauge.io.words import clip
from dialgauge.model import RATING_SCHEMA, Dialogue, Ratings, Scale

SCALES: Mapping[str, Scale] = {
    "understanding": Scale.parse("1:3"),
    "task-completion": Scale.parse("1:3"),
    "interest-arousal": Scale.parse("0:3"),
    "efficiency": Scale(level="binary", points=(0, 1)),
    "dialogue-overall": Scale.parse("1:5"),
}
"""Of the columns that hold ratings."""

_SPEAKERS: Mapping[str, str] = {"SYSTEM": "system", "USER": "user"}
_UTTERANCE = re.compile(r"utterance\d+")

_Row = Mapping[str, str]


def read_ab_redial(file: Path) -> FoundDialogues:
    """Return the dialogues of `abredial_annotated_dialogues.csv`, each once, and its ratings.

    A row is the rating of one dialogue by a rater who is not named: each row gets a rater of its own ("row 2"), so that
    raters are nested in dialogues. Two dialogues of one id are told apart by their words. Raises StudyError, naming
    the line, for a turn without speaker and a value off its scale.
    """
    table = read_table(file)
    utterances = [name for name in table.columns if _UTTERANCE.fullmatch(name)]
    rows = list(zip(table.rows.to_list(), table.frame.iter_rows(named=True), strict=True))
    firsts: dict[tuple[str, ...], int] = {}
    keys = [(row["ConvId"], *(row[name] for name in utterances if row[name].strip())) for _, row in rows]
    for (line, _), key in zip(rows, keys, strict=True):
        firsts.setdefault(key, line)
    names, notes = name_apart(key[0] for key in firsts)
    dialogues = tuple(
        _to_dialogue(name, key[1:], line, file) for name, (key, line) in zip(names, firsts.items(), strict=True)
    )
    targets = dict(zip(firsts, names, strict=True))
    cells = (cell for (line, row), key in zip(rows, keys, strict=True) for cell in _rate(row, line, targets[key], file))
    frame = pl.DataFrame(list(cells), schema=dict(RATING_SCHEMA), orient="row")
    unnamed = "The raters are not named: each row counts as a rater of its own, so raters are nested in dialogues."
    ratings = Ratings(
        frame,
        {name: SCALES[name] for name in SCALES if name in table.columns},
        source=str(file),
        notes=(unnamed, *notes),
    )
    return FoundDialogues(
        form="AB-ReDial", source=str(file), dialogues=dialogues, ratings=ratings, notes=(*notes, unnamed)
    )


def _to_dialogue(name: str, utterances: tuple[str, ...], line: int, file: Path) -> Dialogue:
    place = f"line {line} of {file}"
    turns = []
    for utterance in utterances:
        speaker, *rest = utterance.split(maxsplit=1)
        if speaker not in _SPEAKERS:
            msg = f"{place} has the turn {clip(utterance)!r}, which names no speaker; write SYSTEM or USER before it"
            raise StudyError(msg)
        turns.append((_SPEAKERS[speaker], "".join(rest).strip()))
    return make_dialogue(name, turns, place)


def _rate(
    row: _Row, line: int, target: str, file: Path
) -> Iterator[tuple[str, str, str, int, float | None, str | None, int]]:
    """Yield the cells of one row as ratings; an empty cell is missing."""
    for name, scale in SCALES.items():
        if name not in row:
            continue
        cell = row[name].strip()
        value = _to_value(cell, name, scale, f"line {line} of {file}") if cell else None
        yield target, f"row {line}", name, 1, value, None if cell else "empty", line


def _to_value(cell: str, name: str, scale: Scale, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = None
    if value is None or value not in (scale.points or ()):
        msg = f"{place} has {clip(cell)!r} for {name}, which is not on its scale; correct that cell"
        raise StudyError(msg)
    return value
