"""One seam for every recommender under test: the dialogue so far goes in, a reply comes out, or a typed failure.

A `System` begins a `Conversation` for each dialogue, so that what it remembers (a session cookie, a belief about the
user) never leaks from one dialogue into another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dialgauge.errors import DialgaugeError
from dialgauge.model import Turn

LONGEST_TEXT = 100_000
"""How many characters a reply may have."""

UNREACHABLE = "unreachable"
"""The kind of failure where nobody listens, or the server says that it takes no call now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a recommender says.

    ``ranking`` are ids of the catalogue, best first; empty where the system gives none. ``recommends`` tells whether it
    recommends in this turn; None where it does not say (then the items named in the text decide). ``unknown`` are
    titles or ids that it gave and the catalogue does not have.
    """

    text: str
    ranking: tuple[str, ...] = ()
    recommends: bool | None = None
    unknown: tuple[str, ...] = ()


class SystemFailedError(DialgaugeError):
    """A recommender that gave no proper reply: it hung, crashed, or sent what is none.

    ``kind`` says so in a word or two: "timeout", "crashed", "empty text", "too long", `UNREACHABLE`. ``text`` is what
    came.
    """

    def __init__(self, message: str, *, kind: str, text: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.text = text


class Conversation(Protocol):
    """One dialogue with a system."""

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        """Return the reply to ``turns``, the dialogue so far, the last of them the user's.

        Raises SystemFailedError where there is no proper reply.
        """
        ...

    async def close(self) -> None:
        """End the dialogue and let go of what it held."""
        ...


class System(Protocol):
    """A recommender, wherever it runs."""

    name: str

    def begin(self) -> Conversation:
        """Begin a dialogue that knows nothing of any other."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...
