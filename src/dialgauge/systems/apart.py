"""Work on what a recommender gave, out of the way of the others: off the event loop, and not on its clock."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import TypeVar

Result = TypeVar("Result")

LONG_TEXT = 2_000
"""Characters from which on a text is read apart; a shorter one takes less time than it takes to hand it over."""

_reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="dialgauge-reader")
"""One thread, so that readers never crowd out the event loop, which waits for the interpreter's lock behind each."""

_clock: ContextVar[asyncio.Timeout | None] = ContextVar("clock", default=None)


def keep_clock(clock: asyncio.Timeout) -> None:
    """Let ``clock``, which limits the time of a reply, be stopped by `stop_clock` in this task."""
    _clock.set(clock)


def stop_clock() -> None:
    """Stop the clock of the reply under way, if any: the system has replied, and what follows is our own work."""
    clock = _clock.get()
    if clock is not None and not clock.expired():
        clock.reschedule(None)
        _clock.set(None)


async def do_apart(work: Callable[[], Result], *, long: bool) -> Result:
    """Return what ``work`` returns: done at once, or where it is ``long`` in the thread of readers."""
    if not long:
        return work()
    return await asyncio.get_running_loop().run_in_executor(_reader, work)
