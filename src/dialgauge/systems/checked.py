"""Whatever a recommender does, a proper reply or one kind of error comes out."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace

from dialgauge.io.words import clip
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue
from dialgauge.systems.apart import clocked
from dialgauge.systems.protocol import LONGEST_TEXT, Conversation, Reply, System, SystemFailedError
from dialgauge.systems.replies import check_reply
from dialgauge.systems.threads import is_cancelled

LONGEST_MESSAGE = 300


class CheckedSystem:
    """A `System` whose every failure is a SystemFailedError.

    A reply takes ``timeout`` seconds at most, in which what is done with it afterwards does not count. It has a text
    that is not blank and of `LONGEST_TEXT` characters at most (what is longer is cut, and a failure), and ranks items
    of the catalogue, each once: others go to ``unknown``. HTML is text like any other.
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
        except (Exception, asyncio.CancelledError) as error:
            raise _crash(self.name, "could not begin a dialogue", error) from error
        return CheckedConversation(conversation, self._catalogue, name=self.name, timeout=self._timeout)

    async def close(self) -> None:
        """Close the system; what goes wrong then changes no dialogue and is passed over."""
        await _close(self._system, within=self._timeout)


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
            async with clocked(self._timeout):
                reply = await self._conversation.reply(turns)
        except SystemFailedError as error:
            error.text = _make_sound(error.text[:LONGEST_TEXT])
            raise
        except TimeoutError as error:
            msg = f"{self._name} did not reply within {self._timeout:g} s"
            raise SystemFailedError(msg, kind="timeout") from error
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            raise _crash(self._name, "broke down", error) from error
        except Exception as error:
            raise _crash(self._name, "broke down", error) from error
        return self._check(check_reply(reply, self._name))

    async def close(self) -> None:
        """End the dialogue; what goes wrong then changes none of its turns and is passed over."""
        await _close(self._conversation, within=self._timeout)

    def _check(self, reply: Reply) -> Reply:
        text = _make_sound(reply.text)
        if not text.strip():
            raise SystemFailedError(f"{self._name} gave an empty text", kind="empty text", text=text)
        given = tuple(dict.fromkeys(reply.ranking))
        unknown = (*reply.unknown, *(item for item in given if item not in self._catalogue.by_id))
        return replace(
            reply,
            text=text,
            ranking=tuple(item for item in given if item in self._catalogue.by_id),
            unknown=tuple(dict.fromkeys(map(_make_sound, unknown))),
        )


async def _close(what: System | Conversation, *, within: float) -> None:
    try:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(within):
                await what.close()
    except asyncio.CancelledError:
        if is_cancelled():
            raise


def _crash(name: str, what: str, error: BaseException) -> SystemFailedError:
    said = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    return SystemFailedError(f"{name} {what}: {clip(said, LONGEST_MESSAGE)}", kind="crashed")


def _make_sound(text: str) -> str:
    """Return ``text`` with halves of characters and NUL, which not every file or database holds, replaced."""
    return text.replace("\x00", "\u2400").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
