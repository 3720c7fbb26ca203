"""A simulated user who meets a recommender: who it is, what it wants, and what was said and felt."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from dialgauge.model.dialogue import Dialogue, Turn
from dialgauge.model.instrument import Name

End = Literal["accepted", "gave up", "turn limit", "failed"]
"""How it ended: an item was accepted, the user left, all system turns were over, or a side broke down."""


class Persona(BaseModel):
    """What a simulated user is like: an emotion, an age, and both in words.

    ``patience`` is the number of system turns after which it leaves without a recommendation that fits; None is never.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Name
    emotion: Name
    age: Name
    words: str = ""
    patience: int | None = None


class Preference(BaseModel):
    """What a simulated user wants: a set of attributes, and the same in the user's own words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Name
    attributes: tuple[Name, ...]
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    """What the user says, what it feels before (never said), and the item it accepts, if any.

    ``accepts`` is the id of the accepted item, None where there is none or it is in no catalogue; ``accepts_title`` is
    the title as it was said.
    """

    text: str
    feeling: str | None = None
    accepting: bool = False
    accepts: str | None = None
    accepts_title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTurn:
    """What the recommender says, its ranking (item ids, best first), and whether it says that it recommends.

    ``failure`` tells what went wrong where there was no proper reply: the text is then what came, if anything.
    """

    text: str
    ranking: tuple[str, ...] = ()
    recommends: bool | None = None
    failure: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedDialogue:
    """One meeting of a persona that wants a preference with a system; ``targets`` are the ids of the items that fit."""

    id: str
    system: str
    persona: Persona
    preference: Preference
    targets: tuple[str, ...]
    turns: tuple[UserTurn | SystemTurn, ...]
    ended: End
    failure: str | None = None

    @property
    def system_turns(self) -> tuple[SystemTurn, ...]:
        """The turns of the recommender, in order."""
        return tuple(turn for turn in self.turns if isinstance(turn, SystemTurn))

    @property
    def user_turns(self) -> tuple[UserTurn, ...]:
        """The turns of the user, in order."""
        return tuple(turn for turn in self.turns if isinstance(turn, UserTurn))

    @property
    def dialogue(self) -> Dialogue:
        """What was said, as raters see it: without feelings and rankings."""
        turns = (
            Turn(speaker="user" if isinstance(turn, UserTurn) else "system", text=turn.text) for turn in self.turns
        )
        return Dialogue(id=self.id, turns=tuple(turns), system=self.system)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPair:
    """What a system replied to the user's turn and to a paraphrase of it, after the same turns before."""

    system: str
    persona: Persona
    preference: Preference
    targets: tuple[str, ...]
    first: SystemTurn
    second: SystemTurn

    @property
    def failed(self) -> bool:
        """Whether one of the replies is none."""
        return self.first.failure is not None or self.second.failure is not None
