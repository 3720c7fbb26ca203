"""Whatever a recommender does, a proper reply or one kind of error comes out."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace

from dialgauge.io.words import clip
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue
from dialgauge.systems.protocol import Conversation, Reply, System, SystemFailedError

LONGEST_TEXT = 100_000
"""How many characters a reply may have."""

LONGEST_MESSAGE = 300


class CheckedSystem:
    """A `System` whose every failure is a SystemFailedError.

    A reply takes ``timeout`` seconds at most, has a text that is not blank and of `LONGEST_TEXT` characters at most
    (what is longer is cut, and a failure), and ranks items of the catalogue, each once: others go to ``unknown``. HTML
    is text like any other.
    """

    def __init__(self, system: System, catalogue: Catalogue, *, timeout: float = 60.0) -> None:
        self.name = system.name
        self._system = system
        self._catalogue = catalogue
        self._timeout = timeout

    def begin(self) -> "CheckedConversation":
        """Begin a dialogue; raise SystemFailedError where the system cannot."""
        try:
            conversation = self._system.begin()
        except SystemFailedError:
            raise
        except Exception as error:
            raise _crash(self.name, "could not begin a dialogue", error) from error
        return CheckedConversation(conversation, self._catalogue, name=self.name, timeout=self._timeout)

    async def close(self) -> None:
        """Close the system; what goes wrong then changes no dialogue and is passed over."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(self._timeout):
                await self._system.close()


class CheckedConversation:
    """One dialogue with a `System` whose replies are checked."""

    def __init__(self, conversation: Conversation, catalogue: Catalogue, *, name: str, timeout: float) -> None:
        self._conversation = conversation
        self._catalogue = catalogue
        self._name = name
        self._timeout = timeout

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        """Return a proper reply; raise SystemFailedError for anything else."""
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._conversation.reply(turns)
        except SystemFailedError as error:
            error.text = _make_sound(error.text)[:LONGEST_TEXT]
            raise
        except TimeoutError as error:
            msg = f"{self._name} did not reply within {self._timeout:g} s"
            raise SystemFailedError(msg, kind="timeout") from error
        except Exception as error:
            raise _crash(self._name, "broke down", error) from error
        return self._check(reply)

    async def close(self) -> None:
        """End the dialogue; what goes wrong then changes none of its turns and is passed over."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(self._timeout):
                await self._conversation.close()

    def _check(self, reply: object) -> Reply:
        if not isinstance(reply, Reply) or not isinstance(reply.text, str):
            msg = f"{self._name} gave {type(reply).__name__}; expected a Reply with a text"
            raise SystemFailedError(msg, kind="no reply")
        text = _make_sound(reply.text)
        if not text.strip():
            raise SystemFailedError(f"{self._name} gave an empty text", kind="empty text", text=text)
        if len(text) > LONGEST_TEXT:
            msg = f"{self._name} gave {len(text):,} characters; {LONGEST_TEXT:,} is the most, and the rest is cut"
            raise SystemFailedError(msg, kind="too long", text=text[:LONGEST_TEXT])
        given = tuple(dict.fromkeys(reply.ranking))
        unknown = (*reply.unknown, *(item for item in given if item not in self._catalogue.by_id))
        return replace(
            reply,
            text=text,
            ranking=tuple(item for item in given if item in self._catalogue.by_id),
            unknown=tuple(dict.fromkeys(map(_make_sound, unknown))),
        )


def _crash(name: str, what: str, error: Exception) -> SystemFailedError:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return SystemFailedError(f"{name} {what}: {clip(said, LONGEST_MESSAGE)}", kind="crashed")


def _make_sound(text: str) -> str:
    """Return ``text`` with halves of characters and NUL, which not every file or database holds, replaced."""
    return text.replace("\x00", "\u2400").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
