"""Work on what a recommender gave, out of the way of the others: off the event loop, and not on its clock."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TypeVar

Result = TypeVar("Result")

LONG_TEXT = 2_000
"""Characters from which on a text is read apart; a shorter one takes less time than it takes to hand it over."""

_reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="dialgauge-reader")
"""One thread, so that readers never crowd out the event loop, which waits for the interpreter's lock behind each."""

_clock: ContextVar[asyncio.Timeout | None] = ContextVar("clock", default=None)


@asynccontextmanager
async def clocked(seconds: float) -> AsyncIterator[None]:
    """Raise TimeoutError where the block takes longer than ``seconds``, unless `stop_clock` was called in it."""
    async with asyncio.timeout(seconds) as clock:
        token = _clock.set(clock)
        try:
            yield
        finally:
            _clock.reset(token)


def stop_clock() -> None:
    """Stop the clock of the reply under way, if any: the system has replied, and what follows is our own work."""
    clock = _clock.get()
    if clock is not None and not clock.expired():
        clock.reschedule(None)


async def do_apart(work: Callable[[], Result], *, long: bool) -> Result:
    """Return what ``work`` returns: done at once, or where it is ``long`` in the thread of readers."""
    if not long:
        return work()
    return await asyncio.get_running_loop().run_in_executor(_reader, work)
