"""One writer for all raters: attempts and their ratings are committed together, many at a time, off the event loop."""

import asyncio
from collections.abc import Callable, Sequence

from dialgauge.model import Attempt, Rating

Item = tuple[Attempt, Sequence[Rating]]

MOST = 500
"""Attempts in one transaction."""

WAITING = 2000
"""Attempts that may wait to be written; then calls wait too, so that memory stays bounded."""


class Writer:
    """Takes attempts with their ratings and writes them in order; ``written`` is told what ``write`` returns."""

    def __init__(
        self, write: Callable[[Sequence[Item]], Sequence[Item]], written: Callable[[Sequence[Item]], None]
    ) -> None:
        self._write, self._written = write, written
        self._waiting: asyncio.Queue[Item | None] = asyncio.Queue(WAITING)
        self._failure: BaseException | None = None

    async def put(self, item: Item) -> None:
        """Hand over one attempt; raise what the database raised, if it did."""
        self._raise()
        await self._waiting.put(item)
        self._raise()

    async def close(self) -> None:
        """Say that no more will come."""
        await self._waiting.put(None)

    async def run(self) -> None:
        """Write until closed, whatever waits in one transaction."""
        open_ = True
        while open_:
            batch = [await self._waiting.get()]
            while len(batch) < MOST and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            items = [item for item in batch if item is not None]
            open_ = len(items) == len(batch)
            if not items or self._failure is not None:
                continue
            try:
                new = await asyncio.to_thread(self._write, items)
            except Exception as error:  # noqa: BLE001 (raised again where the next attempt is handed over)
                self._failure = error
            else:
                self._written(new)
        self._raise()

    def _raise(self) -> None:
        if self._failure is not None:
            raise self._failure
