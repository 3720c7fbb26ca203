"""Dialogues as they were found in a file of another project."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from dialgauge.errors import StudyError
from dialgauge.io.words import clip, count, shorten
from dialgauge.model import Dialogue, Ratings, Turn
from dialgauge.model.problems import explain


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDialogues:
    """Dialogues out of a file, with what else it says of them.

    ``form`` says what the file was taken for, ``source`` is its path. ``systems`` and ``failures`` give, by the id of a
    dialogue, the system that took part and what broke the dialogue off, where the file tells. ``ratings`` are those of
    the file, None where it has none. ``notes`` are sentences on what was left out, merged or renamed.
    """

    form: str
    source: str
    dialogues: tuple[Dialogue, ...]
    systems: Mapping[str, str] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    ratings: Ratings | None = None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Dialogue]:
        return iter(self.dialogues)

    def __len__(self) -> int:
        return len(self.dialogues)

    def for_targets(self, targets: Iterable[str]) -> "FoundDialogues":
        """Return the dialogues that are rated elsewhere, under the names that they have there, in that order.

        A target is the dialogue of the same id, or of the id behind a last underscore: "dialogue_4653" of a CRS-Que
        table is the ReDial dialogue 4653. Targets that are not here are counted in the notes. Raises StudyError where
        none is here.
        """
        wanted = tuple(dict.fromkeys(targets))
        by_id = {dialogue.id: dialogue for dialogue in self.dialogues}
        meant = {name: name if name in by_id else name.rpartition("_")[2] for name in wanted}
        there = {name: old for name, old in meant.items() if old in by_id}
        if not there:
            msg = f"{self.source} has none of the targets {shorten(wanted, 4)}; its dialogues are {shorten(by_id, 4)}"
            raise StudyError(f"{msg}: give the file that they come from")
        notes = [*self.notes, f"{len(there):,} of {count(len(wanted), 'target')} found among {len(by_id):,} dialogues."]
        absent = [name for name in wanted if name not in there]
        if absent:
            notes.append(f"Not in {self.source}: {shorten(absent, 4)}.")
        return replace(
            self,
            dialogues=tuple(by_id[old].model_copy(update={"id": name}) for name, old in there.items()),
            systems={name: self.systems[old] for name, old in there.items() if old in self.systems},
            failures={name: self.failures[old] for name, old in there.items() if old in self.failures},
            ratings=None,
            notes=tuple(notes),
        )


def make_dialogue(name: str, turns: Iterable[tuple[str, str]], place: str) -> Dialogue:
    """Return the dialogue of these speakers and texts; StudyError with its ``place`` where it is none."""
    record = {"id": name, "turns": [{"speaker": speaker, "text": text} for speaker, text in turns]}
    try:
        return Dialogue.model_validate(record)
    except ValidationError as error:
        msg = f"{place}: {explain(error, record, {'': Dialogue, 'turns': Turn})}"
        raise StudyError(msg) from None


def name_apart(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names that differ, and a note: the second of one name becomes "name (2)", and so on."""
    wanted = list(names)
    taken = set(wanted)
    used: set[str] = set()
    apart: list[str] = []
    for name in wanted:
        new, number = name, 1
        while new in used or (number > 1 and new in taken):
            number += 1
            new = f"{name} ({number})"
        used.add(new)
        apart.append(new)
    renamed = [new for old, new in zip(wanted, apart, strict=True) if old != new]
    if not renamed:
        return tuple(apart), ()
    note = f"{count(len(renamed), 'dialogue')} with the id of an earlier one renamed: {shorten(renamed, 3)}."
    return tuple(apart), (note,)


def describe_failures(failures: Mapping[str, str], n_dialogues: int) -> tuple[str, ...]:
    """Return a note on how many dialogues broke off, with the most frequent reasons."""
    if not failures:
        return ()
    reasons = sorted({*failures.values()}, key=lambda reason: (-list(failures.values()).count(reason), reason))
    shown = "; ".join(clip(reason) for reason in reasons[:3])
    return (f"{len(failures):,} of {count(n_dialogues, 'dialogue')} broke off ({shown}).",)
