"""A recommender behind the interface that the servers of iEvaLM and CRS Arena speak, one process per system."""

from collections.abc import Sequence

from dialgauge.model import Turn
from dialgauge.systems.exchange import Address
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.protocol import Reply
from dialgauge.systems.replies import read_reply


class ArenaSystem:
    """A server that answers ``POST {"context": [...], "message": ...}`` with ``{"response": ...}``, once it is ready.

    ``GET`` answers 200 when it is. It keeps what it knows of a dialogue in a session cookie. It gives no ranking: the
    items are the catalogue's whole titles in the text. Raises RecommenderError where ``url`` is no address.
    """

    def __init__(self, url: str, finder: ItemFinder, *, name: str, timeout: float = 60.0) -> None:
        self.name = name
        self._address = Address(url, timeout=timeout)
        self._finder = finder

    def begin(self) -> "ArenaConversation":
        """Begin a dialogue with cookies of its own."""
        return ArenaConversation(self._address, self._finder)

    async def close(self) -> None:
        """Do nothing: each dialogue closes its connections."""


class ArenaConversation:
    """One dialogue with such a server."""

    def __init__(self, address: Address, finder: ItemFinder) -> None:
        self._line = address.open()
        self._who = f"the recommender at {address.url}"
        self._finder = finder
        self._is_ready = False

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        """Return what the server answers to ``turns``; raise SystemFailedError where it is not ready or fails."""
        if not self._is_ready:
            await self._check_ready()
        *context, message = [turn.text for turn in turns]
        content = await self._line.post({"context": context, "message": message})
        if "response" not in content:
            keys = ", ".join(sorted(str(key)[:40] for key in content)[:6]) or "no key at all"
            self._line.fail(f"sent JSON without response (its keys: {keys})", kind="no reply", text=str(content)[:1000])
        return await read_reply({"text": content["response"]}, self._finder, who=self._who)

    async def close(self) -> None:
        """Close the connections."""
        await self._line.close()

    async def _check_ready(self) -> None:
        status, text = await self._line.get()
        if status != 200:
            self._line.fail_by_status(status, text)
        self._is_ready = True
