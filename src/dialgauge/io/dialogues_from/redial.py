"""ReDial: one dialogue a line, films as numbers behind an at sign."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from dialgauge.io.dialogues_from.lines import Record, iter_objects, take, take_id
from dialgauge.io.dialogues_from.records import FoundDialogues, make_dialogue, name_apart
from dialgauge.io.words import count, shorten

_FILM = re.compile(r"@(\d+)")


def read_redial(text: str, file: Path) -> FoundDialogues:
    """Return ReDial dialogues: the seeker is the user, who answers is the system, and films stand by title.

    The number of a film without a title in ``movieMentions`` stays as it is, and is counted.
    """
    dialogues = []
    untitled: list[str] = []
    for place, record in iter_objects(text, file):
        titles = _titles(record)
        seeker = take(record, "initiatorWorkerId", int, place)
        turns = []
        for message in take(record, "messages", list, place):
            said = take(message, "text", str, place)
            untitled.extend(key for key in _FILM.findall(said) if key not in titles)
            speaker = "user" if take(message, "senderWorkerId", int, place) == seeker else "system"
            turns.append((speaker, _FILM.sub(partial(_name_film, titles), said)))
        dialogues.append(make_dialogue(take_id(record, "conversationId", place), turns, place))
    names, notes = name_apart(dialogue.id for dialogue in dialogues)
    if untitled:
        notes = (*notes, f"{count(len(untitled), 'film')} without a title stayed a number: {shorten(untitled, 4)}.")
    renamed = (d.model_copy(update={"id": name}) for d, name in zip(dialogues, names, strict=True))
    return FoundDialogues(form="ReDial", source=str(file), dialogues=tuple(renamed), notes=notes)


def _name_film(titles: Mapping[str, str], found: re.Match[str]) -> str:
    return titles.get(found[1], found[0])


def _titles(record: Record) -> dict[str, str]:
    """Return the titles of the films by their number; the published files write no films as an empty list."""
    mentions = record.get("movieMentions")
    named = mentions.items() if isinstance(mentions, dict) else ()
    return {key: " ".join(str(name).split()) for key, name in named if name}
