"""What is still to be asked: target by target, replicate by replicate, in calls of one or more dimensions."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, Protocol, TypeVar

from dialgauge.model import Dialogue
from dialgauge.model.study import PerCall
from dialgauge.seeding import child_rng

CHUNK = 100
"""Targets that are looked up at once; the plan is never held as a whole."""

Key = tuple[str, str, int]
"""Target, dimension, replicate."""

CallKey = tuple[str, int, tuple[str, ...]]
"""Target, replicate, dimensions: what one call is for."""

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One answer to be got: the ``dimensions`` of one dialogue in one replicate, in the order in which they are put.

    ``attempted`` counts the attempts that were made for it before.
    """

    dialogue: Dialogue
    dimensions: tuple[str, ...]
    replicate: int
    attempted: int = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """How the ratings of one rater are spread over calls."""

    rater: str
    dimensions: tuple[str, ...]
    replicates: tuple[int, ...]
    per_call: PerCall = "one"
    order: Literal["fixed", "shuffled"] = "fixed"
    seed: int = 1

    def tasks(
        self, dialogue: Dialogue, replicate: int, done: Collection[Key], attempted: Mapping[CallKey, int]
    ) -> Iterator[Task]:
        """Yield the calls for the dimensions of ``dialogue`` that are not among ``done``."""
        names: Sequence[str] = self.dimensions
        if self.order == "shuffled":
            rng = child_rng(self.seed, "order", self.rater, dialogue.id, replicate)
            names = [names[i] for i in rng.permutation(len(names))]
        lacking = [name for name in names if (dialogue.id, name, replicate) not in done]
        size = {"one": 1, "all": max(1, len(lacking))}.get(str(self.per_call)) or int(self.per_call)
        for group in _batches(lacking, size):
            before = attempted.get((dialogue.id, replicate, group), 0)
            yield Task(dialogue=dialogue, dimensions=group, replicate=replicate, attempted=before)


class Kept(Protocol):
    """Tells what there is of a rater already."""

    def done(self, rater: str, targets: Iterable[str]) -> Collection[Key]:
        """Return the keys of ``rater`` on ``targets`` that have a rating."""
        ...

    def attempted(self, rater: str, targets: Iterable[str]) -> Mapping[CallKey, int]:
        """Return how many attempts were made for each call of ``rater`` on ``targets``."""
        ...


def lacking_tasks(layout: Layout, dialogues: Iterable[Dialogue], store: Kept) -> Iterator[Task]:
    """Yield what lacks, in chunks of targets; within a chunk the first replicate of all comes before the second."""
    for chunk in _batches(dialogues, CHUNK):
        targets = [dialogue.id for dialogue in chunk]
        done, attempted = store.done(layout.rater, targets), store.attempted(layout.rater, targets)
        for replicate in layout.replicates:
            for dialogue in chunk:
                yield from layout.tasks(dialogue, replicate, done, attempted)


def seed_of(seed: int, rater: str, task: Task, ask: int) -> int:
    """Return the seed of a call: its own for each replicate and each further ask, the same for a retry."""
    parts = (seed, rater, task.dialogue.id, *task.dimensions, task.replicate, ask)
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:4], "little") >> 1


def _batches(things: Iterable[Thing], size: int) -> Iterator[tuple[Thing, ...]]:
    iterator = iter(things)
    while batch := tuple(islice(iterator, size)):
        yield batch
