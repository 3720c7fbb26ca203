"""DialogueKit JSON, as UserSimCRS writes simulated dialogues."""

from collections.abc import Mapping
from pathlib import Path

from dialgauge.io.dialogues_from.lines import Record, read_list, take, take_id
from dialgauge.io.dialogues_from.records import FoundDialogues, describe_failures, make_dialogue, name_apart

_SPEAKERS: Mapping[str, str] = {"AGENT": "system", "USER": "user"}


def read_dialoguekit(text: str, file: Path) -> FoundDialogues:
    r"""Return DialogueKit dialogues: the agent is the system; an error in the metadata is the failure of its dialogue.

    Commands of a simulated user, such as ``\end``, are turns like others, and are counted.
    """
    records = read_list(text, file)
    names, notes = name_apart(take_id(record, "conversation ID", place) for place, record in records)
    dialogues, n_commands = [], 0
    systems: dict[str, str] = {}
    failures: dict[str, str] = {}
    for name, (place, record) in zip(names, records, strict=True):
        turns = [_to_turn(turn, place) for turn in take(record, "conversation", list, place)]
        n_commands += sum(speaker == "user" and said.startswith("\\") for speaker, said in turns)
        dialogues.append(make_dialogue(name, turns, place))
        agent = record.get("agent")
        if isinstance(agent, dict) and agent.get("id"):
            systems[name] = str(agent["id"])
        failure = _failure(record)
        if failure:
            failures[name] = failure
    if n_commands:
        notes = (*notes, f"Commands of the user among the turns, such as \\end: {n_commands:,}.")
    return FoundDialogues(
        form="DialogueKit",
        source=str(file),
        dialogues=tuple(dialogues),
        systems=systems,
        failures=failures,
        notes=(*notes, *describe_failures(failures, len(dialogues))),
    )


def _to_turn(turn: Record, place: str) -> tuple[str, str]:
    speaker = take(turn, "participant", str, place)
    return _SPEAKERS.get(speaker, speaker.lower()), take(turn, "utterance", str, place)


def _failure(record: Record) -> str:
    """Return what broke a dialogue off, in one line, "" where nothing did."""
    metadata = record.get("metadata")
    error = metadata.get("error") if isinstance(metadata, dict) else None
    if not error:
        return ""
    if isinstance(error, dict):
        parts = (str(error[key]) for key in ("error_type", "trace") if error.get(key))
        return " ".join(": ".join(parts).split()) or "error"
    return " ".join(str(error).split())
