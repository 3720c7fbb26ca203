"""Where requests meet the database: in threads, in the order of each rater, and never for longer than is bearable."""

import asyncio
import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import TypeVar

from dialgauge.collect.people import People
from dialgauge.collect.web.signing import Signer
from dialgauge.io.store.wanted import wanted_until

Result = TypeVar("Result")

THREADS = 8
"""Fewer than the connections that the store opens at most."""

EVERYBODY = ""
"""Stands for a rater where a call concerns none; such calls take no turns."""

PATIENCE = 10.0
"""Seconds after which a request is told to come again."""


class BusyError(Exception):
    """The database takes too long; what was asked for is given up, and asking again is harmless."""


class Desk:
    """Calls the `People` of a study for the requests of a server.

    The calls of one rater happen one after the other, in the order in which they came, also where the request behind
    one has given up: an answer can then never be overtaken by an older one. Those that write take turns before they
    go to the database, where they would have to anyway, so that none is left behind by chance. What a request has given
    up is not written any more.
    """

    def __init__(self, people: People, signer: Signer, *, patience: float = PATIENCE) -> None:
        self._people = people
        self._signer = signer
        self._patience = patience
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="dialgauge-people")
        self._raters: dict[str, asyncio.Lock] = {}
        self._writers = asyncio.Lock()
        self._waits: set[asyncio.Timeout] = set()
        self._until = math.inf
        self._targets: dict[str, str] = {}
        self._marks: dict[str, str] = {}

    def close(self) -> None:
        """Let what has begun end, and begin nothing more."""
        self._pool.shutdown(cancel_futures=True)

    def end_within(self, seconds: float) -> None:
        """Let no request wait for longer than ``seconds`` from now on; called in the loop of the server."""
        self._until = min(self._until, asyncio.get_running_loop().time() + seconds)
        for wait in self._waits:
            if (wait.when() or math.inf) > self._until:
                wait.reschedule(self._until)

    async def read(self, rater: str, work: Callable[[People], Result]) -> Result:
        """Return what ``work`` returns, in a thread; raise what it raises, and BusyError when it takes too long."""
        return await self._call([self._turn_of(rater)], work)

    async def write(self, rater: str, work: Callable[[People], Result]) -> Result:
        """Do the same for ``work`` that may write to the database."""
        return await self._call([self._turn_of(rater), self._writers], work)

    async def is_rater(self, name: str, mark: str) -> bool:
        """Whether the rater called ``name`` is the one whose code has this mark, in this very database."""
        if name not in self._marks:
            known = await self.read(EVERYBODY, lambda people: people.known_codes())
            self._marks.update((rater, self._signer.mark(code)) for rater, code in known.items())
        return self._marks.get(name) == mark

    async def find_target(self, handle: str) -> str | None:
        """Return the target that is shown as ``handle``; None where there is none."""
        if handle not in self._targets:
            known = await self.read(EVERYBODY, lambda people: [one.target for one in people.progress()])
            self._targets.update((self._signer.handle(name), name) for name in known)
        return self._targets.get(handle)

    def _turn_of(self, rater: str) -> asyncio.Lock:
        return asyncio.Lock() if rater == EVERYBODY else self._raters.setdefault(rater, asyncio.Lock())

    async def _call(self, turns: Sequence[asyncio.Lock], work: Callable[[People], Result]) -> Result:
        """Take all ``turns``, begin, and hold them until the work has ended, whoever still waits for it."""
        given_up = threading.Event()
        loop = asyncio.get_running_loop()
        wait = asyncio.timeout_at(min(loop.time() + self._patience, self._until))
        try:
            async with wait, AsyncExitStack() as taken:
                self._waits.add(wait)
                for turn in turns:
                    await taken.enter_async_context(turn)
                running = loop.run_in_executor(self._pool, _do, work, self._people, given_up)
                taken.pop_all()
                running.add_done_callback(lambda done: _end(turns, done))
                return await asyncio.shield(running)
        except TimeoutError:
            raise BusyError from None
        finally:
            self._waits.discard(wait)
            given_up.set()


def _do(work: Callable[[People], Result], people: People, given_up: threading.Event) -> Result:
    """Do work of which nothing more is written once it is given up."""
    with wanted_until(given_up.is_set):
        return work(people)


def _end(turns: Sequence[asyncio.Lock], done: "asyncio.Future[Result]") -> None:
    """Let the next call begin; what went wrong in this one was told, unless nobody was waiting any more."""
    for turn in turns:
        turn.release()
    if not done.cancelled():
        done.exception()
