"""Dialogues that failed: by the system, which counts against it, or at the user's side, which says nothing of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from dialgauge.model.simulated import SimulatedDialogue

BY_SYSTEM = "system:"
"""What the failure of a dialogue begins with where the system gave no proper reply."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """Dialogues that count, and those that are left out: they failed, and not by the system."""

    counted: tuple[SimulatedDialogue, ...]
    left_out: tuple[SimulatedDialogue, ...]

    @classmethod
    def of(cls, dialogues: Sequence[SimulatedDialogue]) -> Self:
        """Return the dialogues, sifted by whether they count."""
        counts = [dialogue.ended != "failed" or failed_by_system(dialogue) for dialogue in dialogues]
        return cls(
            tuple(dialogue for dialogue, kept in zip(dialogues, counts, strict=True) if kept),
            tuple(dialogue for dialogue, kept in zip(dialogues, counts, strict=True) if not kept),
        )

    def n_left_out(self, system: str) -> int:
        """Return how many dialogues of a system are left out."""
        return sum(dialogue.system == system for dialogue in self.left_out)

    @property
    def without(self) -> tuple[str, ...]:
        """The systems none of whose dialogues count."""
        return tuple(sorted({d.system for d in self.left_out} - {d.system for d in self.counted}))


def failed_by_system(dialogue: SimulatedDialogue) -> bool:
    """Whether a dialogue failed because the system gave no proper reply."""
    return dialogue.ended == "failed" and (dialogue.failure or "").startswith(BY_SYSTEM)


def count_failed(dialogues: Sequence[SimulatedDialogue], system: str) -> int:
    """Return how many dialogues of a system failed by it."""
    return sum(dialogue.system == system and failed_by_system(dialogue) for dialogue in dialogues)
