"""A simulated dialogue with how it came about: seeds, times, calls, what was noticed, and pairs of replies."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from dialgauge.model.simulated import ReplyPair, SimulatedDialogue, SystemTurn

Mark = Literal[
    "user repeats",
    "system repeats",
    "goodbyes",
    "unknown items",
    "no title",
    "accepted unrecommended",
    "accepted unfit",
]
"""What is noticed in a dialogue: one side said the same three times; both sides said goodbye, twice; the system gave
items that the catalogue does not have; it recommended and named none; the user accepted an item that was not
recommended, or one that does not fit."""

MARKS: tuple[Mark, ...] = get_args(Mark)

Step = Literal["opening", "feeling", "answer", "paraphrase"]
"""What a simulated user's call of a language model is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something noticed at a turn (counted from 1, both sides together), with what was seen."""

    mark: Mark
    turn: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParaphrasePair:
    """What a system replied to a user's turn and to a paraphrase of it, after the same turns before.

    ``turn`` counts the user's turns from 1. ``first`` is the reply of the dialogue itself, ``second`` that of a fresh
    conversation to which the turns before were put again.
    """

    turn: int
    wording: str
    paraphrase: str
    first: SystemTurn
    second: SystemTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCall:
    """One call of a language model by a simulated user, as sent and received; ``cost`` is None where unknown.

    ``reckoned_tokens`` and ``reckoned_cost`` are what the budget lost where the endpoint did not count. ``state`` is
    "ok", "unreadable", "error" or "timeout". ``user_turn`` counts from 1, ``step`` says what it was for.
    """

    user_turn: int
    step: Step
    started: datetime
    seconds: float
    state: str
    request: str
    answer: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    reckoned_tokens: int | None = None
    reckoned_cost: float | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """One simulated dialogue with its book-keeping.

    ``users`` names who simulated the user, ``seed`` made its choices, ``seconds`` is the time of the whole.
    """

    dialogue: SimulatedDialogue
    users: str
    replicate: int
    seed: int
    started: datetime
    seconds: float
    notices: tuple[Notice, ...] = ()
    pairs: tuple[ParaphrasePair, ...] = ()
    calls: tuple[UserCall, ...] = ()

    @property
    def reply_pairs(self) -> tuple[ReplyPair, ...]:
        """The pairs of replies with what they were replies to."""
        dialogue = self.dialogue
        return tuple(
            ReplyPair(
                system=dialogue.system,
                persona=dialogue.persona,
                preference=dialogue.preference,
                targets=dialogue.targets,
                first=pair.first,
                second=pair.second,
            )
            for pair in self.pairs
        )
