"""Simulated dialogues as the published work logged them (Huang et al. 2024), one JSON object a line."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dialgauge.errors import StudyError
from dialgauge.io.words import clip
from dialgauge.model.item import Catalogue, Fit
from dialgauge.model.simulated import End, Persona, Preference, SimulatedDialogue, SystemTurn, UserTurn

ACCEPTS = "[END]"
"""What the published simulated user writes when it accepts; no accepted item is recorded."""

SYSTEM_TURNS = 10
"""After so many the published dialogues end."""

LARGEST_LINE = 16_000_000
"""Bytes."""

EMOTIONS: Mapping[str, str] = {
    "filled with anticipation": "anticipation",
    "easily bored": "boredom",
    "feel confused": "confusion",
    "are curious": "curiosity",
    "experience delight": "delight",
    "feel disappointed": "disappointment",
    "easily excited": "excitement",
    "feel frustrated": "frustration",
    "feel indifferent": "indifference",
    "experience satisfaction": "satisfaction",
    "pleasantly surprised": "surprise",
    "develop trust": "trust",
}
"""The emotion of a persona by the words of its description."""

AGES: Mapping[str, str] = {"adult": "adults", "child": "children", "senior": "seniors", "teenager": "teens"}

_FITS: Mapping[str, Fit] = {"redial": "equal", "opendialkg": "containing"}
_NUMBERS = re.compile(r"profile(\d+)_attribute(\d+)")


@dataclass(frozen=True, slots=True, eq=False)
class ConceptLogs:
    """The dialogues on one data set, in the order of the files; ``source`` is the path, ``notes`` what was read."""

    data_set: str
    dialogues: tuple[SimulatedDialogue, ...]
    source: str
    notes: tuple[str, ...] = ()


def find_logs(path: str | Path) -> dict[str, tuple[Path, ...]]:
    """Return the log files of a folder, or the one at ``path``, by data set, both in the order of names.

    A file is named DATASET_SYSTEM.jsonl. Raises StudyError where there is none, or a name that is not so.
    """
    root = Path(path)
    if not root.exists():
        raise StudyError(f"there is no file or folder {root}; give the folder of the logs, or one of them")
    files = sorted(root.glob("*.jsonl")) if root.is_dir() else [root]
    found: dict[str, list[Path]] = {}
    for file in files:
        found.setdefault(_split_name(file)[0], []).append(file)
    if not found:
        raise StudyError(f"the folder {root} has no .jsonl file; logs are named DATASET_SYSTEM.jsonl")
    return {data_set: tuple(each) for data_set, each in found.items()}


def read_concept_logs(paths: Iterable[str | Path], catalogue: Catalogue, *, fit: Fit | None = None) -> ConceptLogs:
    """Return the dialogues of log files on one data set, with the targets that ``catalogue`` gives.

    A line has ``file`` (with the numbers of persona and preference) and ``simulator_dialog`` with ``context``,
    ``attributes`` and ``profile``. Data set and system are in the name of a file. The items that fit a preference are
    those with exactly its attributes in ReDial, and those that have them all in OpenDialKG; ``fit`` says it for other
    data sets. The sign of acceptance is taken out of the text. Raises StudyError naming file and line.
    """
    files = [Path(path) for path in paths]
    sets = sorted({_split_name(file)[0] for file in files})
    if len(sets) != 1:
        raise StudyError(f"logs of one data set are read at a time, got {', '.join(sets) or 'no file'}; give one")
    (data_set,) = sets
    fit = fit or _FITS.get(data_set)
    if fit is None:
        known = ", ".join(_FITS)
        raise StudyError(f"it is not known which items fit a preference in {clip(data_set)!r} (known: {known})")
    targets: dict[tuple[str, ...], tuple[str, ...]] = {}
    dialogues: dict[str, SimulatedDialogue] = {}
    for file in files:
        for place, record in _iter_records(file):
            dialogue = _to_dialogue(record, place, system=_split_name(file)[1], data_set=data_set)
            wanted = dialogue.preference.attributes
            if wanted not in targets:
                targets[wanted] = tuple(item.id for item in catalogue.fitting(wanted, fit))
            if not targets[wanted]:
                raise StudyError(
                    f"{place} wants {', '.join(wanted)}, which no item of the catalogue {catalogue.name!r} fits; "
                    "give the catalogue of this data set"
                )
            if dialogue.id in dialogues:
                raise StudyError(f"{place} has the dialogue {clip(dialogue.id)!r} again; keep one of them")
            dialogues[dialogue.id] = replace(dialogue, targets=targets[wanted])
    rule = "has exactly" if fit == "equal" else "has all"
    notes = (
        f"An item fits where it {rule} the attributes of the preference.",
        f"Acceptance as published: the user writes {ACCEPTS}; which item it accepts is not recorded.",
    )
    return ConceptLogs(data_set, tuple(dialogues.values()), str(files[0].parent), notes)


def _split_name(file: Path) -> tuple[str, str]:
    data_set, _, system = file.stem.partition("_")
    if not data_set or not system:
        raise StudyError(f"{file} is not named DATASET_SYSTEM.jsonl, such as redial_unicrs.jsonl; name it so")
    return data_set, system


def _iter_records(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects of a file, each with the words for its place."""
    n = 0
    try:
        with file.open("rb") as stream:
            while raw := stream.readline(LARGEST_LINE + 1):
                n += 1
                place = f"line {n} of {file}"
                if len(raw) > LARGEST_LINE:
                    raise StudyError(f"{place} has more than {LARGEST_LINE:,} bytes; a dialogue is far shorter")
                if raw.strip():
                    yield place, _parse(raw, place)
    except OSError as error:
        raise StudyError(f"{file} cannot be read ({error.strerror}); check the path and its permissions") from None
    if not n:
        raise StudyError(f"{file} is empty; a log has a dialogue on each line")


def _parse(raw: bytes, place: str) -> Mapping[str, Any]:
    try:
        record = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise StudyError(f"{place} is not JSON in UTF-8; copy the file again") from None
    if not isinstance(record, dict) or not isinstance(record.get("simulator_dialog"), dict):
        raise StudyError(f"{place} has no object 'simulator_dialog'; give logs as the published simulator writes them")
    return record


def _to_dialogue(record: Mapping[str, Any], place: str, *, system: str, data_set: str) -> SimulatedDialogue:
    inner = record["simulator_dialog"]
    numbers = _NUMBERS.search(str(record.get("file", "")))
    if numbers is None:
        raise StudyError(f"{place} does not name persona and preference in 'file' (profile0_attribute0); add them")
    turns = tuple(_to_turn(turn, place) for turn in _list_of(inner, "context", place))
    users = [turn for turn in turns if isinstance(turn, UserTurn)]
    n_system = len(turns) - len(users)
    if not n_system:
        raise StudyError(f"{place} has no turn of the recommender; leave it out")
    return SimulatedDialogue(
        id=f"{data_set}/{system}/{str(record['file']).removesuffix('.json')}",
        system=system,
        persona=_to_persona(numbers[1], _list_of(inner, "profile", place), place),
        preference=_to_preference(numbers[2], _list_of(inner, "attributes", place), place),
        targets=(),
        turns=turns,
        ended=_end_of(users, n_system),
    )


def _to_turn(turn: object, place: str) -> UserTurn | SystemTurn:
    if not isinstance(turn, dict) or turn.get("role") not in {"user", "assistant"}:
        raise StudyError(f"{place} has a turn whose role is neither 'user' nor 'assistant'; correct it")
    text = turn.get("content")
    if not isinstance(text, str):
        raise StudyError(f"{place} has a turn without text under 'content'; add it")
    if turn["role"] == "user":
        accepting = ACCEPTS in text
        feeling = turn.get("feelings")
        return UserTurn(
            text=text.replace(ACCEPTS, "").strip() if accepting else text,
            feeling=feeling if isinstance(feeling, str) else None,
            accepting=accepting,
        )
    ranking = turn.get("rec_items", [])
    if not isinstance(ranking, list):
        raise StudyError(f"{place} has a turn whose 'rec_items' are no list of entity ids; correct it")
    if wrong := [name for name in ranking if isinstance(name, bool) or not isinstance(name, int | str)]:
        raise StudyError(
            f"{place} has {clip(str(wrong[0]))} in 'rec_items', which is no entity id; write ids as whole numbers or "
            "text"
        )
    return SystemTurn(text=text, ranking=tuple(map(str, ranking)))


def _to_persona(number: str, words: list[str], place: str) -> Persona:
    text = " ".join(words)
    emotion = next((name for sign, name in EMOTIONS.items() if sign in text), None)
    age = next((name for sign, name in AGES.items() if f" {sign}" in text), None)
    if emotion is None or age is None:
        raise StudyError(f"{place} has a profile that tells no emotion or no age: {clip(text)!r}; correct it")
    return Persona(id=number, emotion=emotion, age=age, words=text)


def _to_preference(number: str, names: list[str], place: str) -> Preference:
    attributes = tuple(dict.fromkeys(name.strip().lower() for name in names if name.strip()))
    if not attributes:
        raise StudyError(f"{place} has no attributes; a preference has at least one")
    return Preference(id=number, attributes=attributes)


def _list_of(inner: Mapping[str, Any], key: str, place: str) -> list[Any]:
    values = inner.get(key)
    if not isinstance(values, list) or (key != "context" and not all(isinstance(value, str) for value in values)):
        raise StudyError(f"{place} has no list under {key!r} in 'simulator_dialog'; add it")
    return values


def _end_of(users: list[UserTurn], n_system: int) -> End:
    if any(turn.accepting for turn in users):
        return "accepted"
    return "turn limit" if n_system >= SYSTEM_TURNS else "failed"
