"""One model rater at work: a task becomes calls within budget, throttle and time limit, each handed over."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import cast

from dialgauge.collect.asking import Asker
from dialgauge.collect.records import Call
from dialgauge.collect.tasks import Task
from dialgauge.collect.writer import Item
from dialgauge.llm import Completion, Model, Request
from dialgauge.llm.meter import Meter, MeteredCall
from dialgauge.llm.purse import Purse, Reckoner
from dialgauge.llm.throttle import delay_before
from dialgauge.model import Limits, LlmRater
from dialgauge.seeding import child_rng

SAME_FOR_ALL = frozenset({401, 403, 404})
"""Answers of an endpoint that every call will get."""

IN_A_ROW = 50
"""Tasks that fail one after the other before a rater is left for this time."""


class LineStoppedError(Exception):
    """The rater cannot go on; the message says why."""


class BudgetSpentError(LineStoppedError):
    """The next call does not fit into the budget."""


class NotBegunError(Exception):
    """A call that was not begun, because the collection is to end."""


class Line:
    """Gets ratings out of one model.

    Of its ``workers`` half may be calling; the others wait for their turn, or before they try again after a failure.
    ``hand_over`` takes each attempt with its ratings; ``stopping`` tells whether no further call should begin, and
    `wake` ends what is then only waiting.
    """

    def __init__(
        self,
        asker: Asker,
        model: Model,
        *,
        limits: Limits,
        purse: Purse,
        hand_over: Callable[[Item], Awaitable[None]],
        stopping: Callable[[], bool],
        occasion: int = 0,
    ) -> None:
        self.asker, self.name = asker, asker.rater.name
        width = width_of(asker.rater, limits)
        self.workers = 2 * width
        reckoner = Reckoner(asker.rater.known_price, asker.max_tokens)
        self._meter = Meter(model, purse, reckoner, width=width, timeout=limits.timeout)
        self._limits, self._hand_over, self._stopping = limits, hand_over, stopping
        self._occasion = occasion
        self._rng = child_rng(0, "backoff", asker.rater.name)
        self._failed_in_a_row = 0
        self._stopped: str | None = None
        self._waiting: set[asyncio.Task[object]] = set()

    def wake(self) -> None:
        """End every wait for a turn, for money and before another try; calls under way go on."""
        for task in self._waiting:
            task.cancel()

    async def rate(self, task: Task) -> None:
        """Ask until an answer can be read, or until the attempts that the limits allow are made.

        Raises LineStoppedError where no further task can be expected to end better, NotBegunError where the collection
        is to end.
        """
        number = task.attempted
        for ask in range(self._limits.reask + 1):
            request = self.asker.request(task, ask)
            number, answer = await self._answer(request, task, number)
            if answer is None:
                return
            attempt, ratings = answer
            readable = any(rating.missing not in {"unparsed", "off-scale"} for rating in ratings)
            last = readable or ask == self._limits.reask
            await self._hand_over((attempt, ratings if last else ()))
            if last:
                return

    async def _answer(self, request: Request, task: Task, number: int) -> tuple[int, Item | None]:
        """Call until there is a completion; hand over each attempt that failed. Return the attempts so far with it."""
        for tries in range(1, self._limits.attempts + 1):
            number += 1
            made = await self._call(request)
            call = Call(self.asker, task, number, made, self._occasion)
            if isinstance(made.outcome, Completion):
                self._failed_in_a_row = 0
                return number, call.answered(made.outcome)
            failure = made.outcome
            await self._hand_over(call.failed(failure))
            if failure.status in SAME_FOR_ALL:
                self._stop(str(failure))
            if not failure.retriable or tries == self._limits.attempts or self._stopping():
                break
            with self._wait():
                await asyncio.sleep(delay_before(tries, self._rng))
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= IN_A_ROW:
            self._stop(f"{IN_A_ROW} answers in a row failed, the last one so: {failure}")
        return number, None

    def _stop(self, reason: str) -> None:
        self._stopped = reason
        raise LineStoppedError(reason)

    async def _call(self, request: Request) -> MeteredCall:
        """Make one call when budget and throttle let it through."""
        made = await self._meter.call(request, waiting=self._wait, admit=self._admit)
        if made is None:
            raise BudgetSpentError
        return made

    def _admit(self) -> None:
        if self._stopped is not None:
            raise LineStoppedError(self._stopped)

    @contextmanager
    def _wait(self) -> Iterator[None]:
        """Let `wake` end the block; NotBegunError where the collection is to end."""
        if self._stopping():
            raise NotBegunError
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._waiting.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if self._stopping() and task.uncancel() == 0:
                raise NotBegunError from None
            raise
        finally:
            self._waiting.discard(task)


def width_of(rater: LlmRater, limits: Limits) -> int:
    """Return how many calls of ``rater`` may be under way; a model in this process answers one at a time by default."""
    return rater.concurrency or (1 if rater.endpoint == "local" else limits.concurrency)
