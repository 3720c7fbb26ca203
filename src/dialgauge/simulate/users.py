"""One seam for every simulated user: what it feels about a reply comes first, then what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dialgauge.errors import DialgaugeError
from dialgauge.model import Turn
from dialgauge.model.simulated import Persona, Preference, UserTurn
from dialgauge.model.simulation import UserCall
from dialgauge.simulate.hearing import Heard


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a user says next; ``leaving`` tells that it gives up and the dialogue ends."""

    turn: UserTurn
    leaving: bool = False


class UserFailedError(DialgaugeError):
    """A simulated user that could not go on.

    ``final`` tells whether another try would end the same way: an answer that cannot be read does, a call that failed
    does not. ``budget_spent`` tells that the next call does not fit into the budget. ``calls`` are those of the
    dialogue that broke off.
    """

    def __init__(self, message: str, *, final: bool, budget_spent: bool = False) -> None:
        super().__init__(message)
        self.final = final
        self.budget_spent = budget_spent
        self.calls: tuple[UserCall, ...] = ()


class User(Protocol):
    """One user in one dialogue. Every method raises UserFailedError where it cannot go on."""

    @property
    def calls(self) -> Sequence[UserCall]:
        """What was asked of a language model so far."""
        ...

    async def open(self) -> UserTurn:
        """Return the opening turn."""
        ...

    async def feel(self, turns: Sequence[Turn], heard: Heard) -> str:
        """Return what the user privately feels about the last reply; it is recorded and never said."""
        ...

    async def answer(self, turns: Sequence[Turn], heard: Heard, *, feeling: str, last: bool) -> Answer:
        """Return what the user says to the last turn, the system's; after the ``last`` answer nothing follows."""
        ...

    async def reword(self, turns: Sequence[Turn], number: int) -> str | None:
        """Return the user's turn ``number`` (from 1), the last of ``turns``, in other words of the same content.

        None where there are no other words.
        """
        ...


class Users(Protocol):
    """Whoever simulates users; ``name`` and ``settings`` (JSON types) say who and how, ``template`` its prompts."""

    name: str
    template: str | None

    @property
    def settings(self) -> Mapping[str, object]:
        """All that makes its dialogues what they are."""
        ...

    def begin(self, persona: Persona, preference: Preference, *, seed: int) -> User:
        """Begin a user of its own for one dialogue; the same seed makes the same choices."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...
