"""One reply of the recommender under test, with whatever may go wrong kept as data."""

import re
import time
from collections.abc import Sequence

from dialgauge.errors import DialgaugeError
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue
from dialgauge.model.simulated import SystemTurn
from dialgauge.model.simulation import UserCall
from dialgauge.systems import Conversation, Reply, System, SystemFailedError
from dialgauge.systems.checked import CheckedSystem
from dialgauge.systems.protocol import UNREACHABLE

KEPT = 2_000
"""Characters that are kept of a text that is no reply."""

RANKED = 100
"""Items of a ranking that are kept; no measure looks further than 50."""

_PAGE = re.compile(r"\A\s*(<!doctype html|<html|<\?xml)", re.IGNORECASE)


class SystemAwayError(DialgaugeError):
    """A system that could not be reached before its first reply: it is not up, and nothing is known of it.

    ``turn`` is the failure as it would stand in a dialogue, ``calls`` are those of the user until then.
    """

    def __init__(self, turn: SystemTurn, calls: tuple[UserCall, ...] = ()) -> None:
        super().__init__(turn.failure or "")
        self.turn = turn
        self.calls = calls


class Line:
    """A conversation with one system: replies in, turns and failures out.

    It raises for nothing that the system does, but SystemAwayError where there is none to do anything. Beyond what
    `CheckedSystem` refuses, a page of HTML or XML is no reply to a user.
    """

    def __init__(self, system: System, catalogue: Catalogue, *, timeout: float) -> None:
        checked = isinstance(system, CheckedSystem)
        self._system = system if checked else CheckedSystem(system, catalogue, timeout=timeout)
        self._conversation: Conversation | None = None
        self._has_replied = False

    async def ask(self, turns: Sequence[Turn]) -> tuple[SystemTurn, Reply | None]:
        """Return the system's turn, and its reply where it is a proper one.

        Raises SystemAwayError where the system is not reached before its first reply.
        """
        began = time.perf_counter()
        try:
            if self._conversation is None:
                self._conversation = self._system.begin()
            reply = _refuse_page(await self._conversation.reply(turns))
        except SystemFailedError as error:
            failure = " ".join(f"{error.kind}: {error}".split())[:KEPT]
            seconds = time.perf_counter() - began
            turn = SystemTurn(text=error.text[:KEPT], failure=failure, seconds=seconds)
            if error.kind == UNREACHABLE and not self._has_replied:
                raise SystemAwayError(turn) from error
            return turn, None
        seconds = time.perf_counter() - began
        self._has_replied = True
        ranking = reply.ranking[:RANKED]
        return SystemTurn(text=reply.text, ranking=ranking, recommends=reply.recommends, seconds=seconds), reply

    async def close(self) -> None:
        """End the conversation."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            await conversation.close()


def _refuse_page(reply: Reply) -> Reply:
    if _PAGE.match(reply.text):
        raise SystemFailedError("the reply is a page of HTML or XML", kind="no reply", text=reply.text)
    return reply
