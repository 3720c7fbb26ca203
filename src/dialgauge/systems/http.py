"""A recommender behind HTTP that speaks Dialgauge's own JSON: the dialogue so far goes in, a reply comes out."""

from collections.abc import Sequence
from uuid import uuid4

from dialgauge.model import Turn
from dialgauge.systems.exchange import Address
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.protocol import Reply
from dialgauge.systems.replies import read_reply


class HttpSystem:
    """A recommender that takes ``POST {"dialogue": [{"speaker", "text"}, ...], "id": ...}``.

    It answers ``{"text": ..., "items": [...], "recommends": true or false}``, of which only the text is needed; items
    are ids or titles, best first. ``id`` is the same for all turns of a dialogue and different for each dialogue.
    A reply takes ``timeout`` seconds and 1 MB at most. Raises RecommenderError where ``url`` is no address.
    """

    def __init__(self, url: str, finder: ItemFinder, *, name: str, timeout: float = 60.0) -> None:
        self.name = name
        self._address = Address(url, timeout=timeout)
        self._finder = finder

    def begin(self) -> "HttpConversation":
        """Begin a dialogue with an id and cookies of its own."""
        return HttpConversation(self._address, self._finder)

    async def close(self) -> None:
        """Do nothing: each dialogue closes its connections."""


class HttpConversation:
    """One dialogue over HTTP."""

    def __init__(self, address: Address, finder: ItemFinder) -> None:
        self._line = address.open()
        self._who = f"the recommender at {address.url}"
        self._finder = finder
        self._id = uuid4().hex

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        """Return what the server answers to ``turns``; raise SystemFailedError where it gives no reply."""
        dialogue = [{"speaker": turn.speaker, "text": turn.text} for turn in turns]
        content = await self._line.post({"dialogue": dialogue, "id": self._id})
        return await read_reply(content, self._finder, who=self._who)

    async def close(self) -> None:
        """Close the connections."""
        await self._line.close()
