"""OpenDialKG contexts as iEvaLM prepared them: what was said before a recommendation, and the reply."""

from pathlib import Path

from dialgauge.io.dialogues_from.lines import iter_objects, take, take_id
from dialgauge.io.dialogues_from.records import FoundDialogues, make_dialogue, name_apart
from dialgauge.io.words import count

_Said = tuple[str, ...]


def read_opendialkg(text: str, file: Path) -> FoundDialogues:
    """Return OpenDialKG contexts as dialogues: the context, then the reply as the last turn, said by the system.

    The speakers take turns. A context that a longer one of the same dialogue begins with is left out, and counted.
    """
    contexts: dict[str, list[tuple[_Said, str]]] = {}
    for place, record in iter_objects(text, file):
        said = (*take(record, "context", list, place), take(record, "resp", str, place))
        contexts.setdefault(take_id(record, "dialog_id", place), []).append((said, place))
    kept = [(name, *one) for name, those in contexts.items() for one in _keep_longest(those)]
    names, notes = name_apart(name for name, _, _ in kept)
    dialogues = tuple(
        make_dialogue(name, zip(_speakers(len(said)), said, strict=True), place)
        for name, (_, said, place) in zip(names, kept, strict=True)
    )
    n_contained = sum(map(len, contexts.values())) - len(kept)
    if n_contained:
        notes = (
            *notes,
            f"Left out: {count(n_contained, 'context')} that a longer one of the same dialogue begins with.",
        )
    return FoundDialogues(form="OpenDialKG contexts", source=str(file), dialogues=dialogues, notes=notes)


def _keep_longest(contexts: list[tuple[_Said, str]]) -> list[tuple[_Said, str]]:
    """Return the contexts of one dialogue that no other begins with, the longest first."""
    kept: list[tuple[_Said, str]] = []
    for said, place in sorted(contexts, key=lambda one: -len(one[0])):
        if not any(longer[: len(said)] == said for longer, _ in kept):
            kept.append((said, place))
    return kept


def _speakers(n_turns: int) -> list[str]:
    """Return who speaks, the system last."""
    return ["system" if (n_turns - position) % 2 else "user" for position in range(n_turns)]
