"""How hard an endpoint is pressed: fewer calls at once when it asks for less, more again while it keeps up."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

import numpy as np

FIRST_DELAY = 0.5
LONGEST_DELAY = 30.0
LONGEST_PAUSE = 600.0

_BEGAN: ContextVar[int] = ContextVar("_BEGAN")
"""The round in which the call of this task began: a failure of an earlier one has been answered already."""


class Throttle:
    """A bound on calls in flight: additive increase, multiplicative decrease (Chiu and Jain 1989).

    The bound starts at the ``ceiling``. A throttled failure halves it, once for all calls that were in flight by then;
    after as many successes as the bound it grows by 1, up to the ceiling. Where the endpoint says how long to wait, no
    call starts before, but at most ``longest_pause`` seconds. Calls start in the order in which they came. One throttle
    belongs to one endpoint and one event loop, whose clock it reads. ::

        async with throttle.slot():
            ...  # the call
        throttle.succeeded()  # or slow_down(retry_after)
    """

    def __init__(self, ceiling: int, *, longest_pause: float = LONGEST_PAUSE) -> None:
        if ceiling < 1:
            msg = f"a throttle lets at least 1 call through, got a ceiling of {ceiling}"
            raise ValueError(msg)
        self.ceiling = ceiling
        self.limit = ceiling
        self.in_flight = 0
        self._longest_pause = longest_pause
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._resume_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._round = 0
        self._successes = 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until a call may start, and hold its place until it has ended."""
        await self._enter()
        _BEGAN.set(self._round)
        try:
            yield
        finally:
            self._leave()

    def succeeded(self) -> None:
        """Note that a call brought an answer. To be said by the task that made the call, inside its slot or after."""
        if _BEGAN.get(self._round) != self._round or self.limit == self.ceiling:
            return
        self._successes += 1
        if self._successes >= self.limit:
            self.limit += 1
            self._successes = 0

    def slow_down(self, retry_after: float | None = None) -> None:
        """Note that the endpoint asked for less, and how many seconds to wait; to be said as for `succeeded`."""
        if _BEGAN.get(self._round) == self._round:
            self.limit = max(1, self.limit // 2)
            self._round += 1
            self._successes = 0
        if retry_after is not None:
            pause = min(retry_after, self._longest_pause)
            self._resume_at = max(self._resume_at, asyncio.get_running_loop().time() + pause)

    async def _enter(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._start_waiting()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # its turn had come in the same moment
                self._leave()
            raise

    def _leave(self) -> None:
        self.in_flight -= 1
        asyncio.get_running_loop().call_soon(self._start_waiting)  # after the task has said how its call ended

    def _start_waiting(self) -> None:
        """Let calls start that may, in order; during a pause, come back at its end."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._resume_at:
            if self._timer is None and self._waiting:
                self._timer = loop.call_at(self._resume_at, self._wake)
            return
        while self._waiting and self.in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():  # not cancelled
                turn.set_result(None)
                self.in_flight += 1

    def _wake(self) -> None:
        self._timer = None
        self._start_waiting()


def delay_before(
    attempt: int, rng: np.random.Generator, *, first: float = FIRST_DELAY, longest: float = LONGEST_DELAY
) -> float:
    """Return the seconds to wait after ``attempt`` (1 is the first) has failed, by chance so that calls scatter.

    Uniform between half and all of ``first`` doubled with each further attempt, at most ``longest``.
    """
    whole = min(longest, first * 2.0 ** min(attempt - 1, 60))
    return float(rng.uniform(whole / 2.0, whole))
