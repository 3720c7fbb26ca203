"""One model rater at work: a task becomes calls within budget, throttle and time limit, each handed over."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

from dialgauge.collect.asking import Asker, bytes_of
from dialgauge.collect.purse import Purse, Reckoner, Use, price_of
from dialgauge.collect.records import Call
from dialgauge.collect.tasks import Task
from dialgauge.collect.writer import Item
from dialgauge.llm import CallFailedError, Completion, Model, Request
from dialgauge.llm.throttle import Throttle, delay_before
from dialgauge.model import Attempt, Limits, LlmRater
from dialgauge.seeding import child_rng

GRACE = 5.0
"""Seconds that a call may take beyond its own time limit before it is given up from outside."""

SAME_FOR_ALL = frozenset({401, 403, 404})
"""Answers of an endpoint that every call will get."""

IN_A_ROW = 50
"""Tasks that fail one after the other before a rater is left for this time."""


FIRST_CALLS = 1
"""Calls under way at most until the first answer shows what the endpoint counts, where there is a cap."""


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
        self.asker, self.model, self.name = asker, model, asker.rater.name
        width = width_of(asker.rater, limits)
        self.workers = 2 * width
        self.throttle = Throttle(width)
        self._limits, self._purse, self._hand_over, self._stopping = limits, purse, hand_over, stopping
        self._occasion = occasion
        self._reckoner = Reckoner(price_of(asker.rater), asker.max_tokens)
        self._rng = child_rng(0, "backoff", asker.rater.name)
        self._failed_in_a_row = 0
        self._stopped: str | None = None
        self._waiting: set[asyncio.Task[object]] = set()
        self._under_way = 0
        self._known = not purse.limits(self._reckoner.price)

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
            call, completion, used = answer
            attempt, ratings = call.answered(completion, used)
            attempt = _charge(attempt, completion, used)
            readable = any(rating.missing not in {"unparsed", "off-scale"} for rating in ratings)
            last = readable or ask == self._limits.reask
            await self._hand_over((attempt, ratings if last else ()))
            if last:
                return

    async def _answer(
        self, request: Request, task: Task, number: int
    ) -> tuple[int, tuple[Call, Completion, Use] | None]:
        """Call until there is a completion; hand over each attempt that failed. Return the attempts so far with it."""
        for tries in range(1, self._limits.attempts + 1):
            number += 1
            call, outcome, used = await self._call(request, task, number)
            if isinstance(outcome, Completion):
                self._failed_in_a_row = 0
                return number, (call, outcome, used)
            attempt, ratings = call.failed(outcome)
            await self._hand_over((_charge(attempt, outcome, used), ratings))
            if outcome.status in SAME_FOR_ALL:
                self._stop(str(outcome))
            if not outcome.retriable or tries == self._limits.attempts or self._stopping():
                break
            with self._wait():
                await asyncio.sleep(delay_before(tries, self._rng))
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= IN_A_ROW:
            self._stop(f"{IN_A_ROW} answers in a row failed, the last one so: {outcome}")
        return number, None

    def _stop(self, reason: str) -> None:
        self._stopped = reason
        raise LineStoppedError(reason)

    async def _call(self, request: Request, task: Task, number: int) -> tuple[Call, Completion | CallFailedError, Use]:
        """Make one call when budget and throttle let it through."""
        n_bytes = _size_of(request)
        async with AsyncExitStack() as stack:
            with self._wait():
                await stack.enter_async_context(self.throttle.slot())
                if self._stopped is not None:
                    raise LineStoppedError(self._stopped)
                most = await self._purse.take(lambda: self._reckoner.most(n_bytes), ready=self._is_ready)
            if most is None:
                raise BudgetSpentError
            used = Use(0, 0, 0.0)
            self._under_way += 1
            try:
                call = Call(self.asker, task, number, datetime.now(UTC), self._occasion)
                outcome = await self._complete(request)
                self._known |= isinstance(outcome, Completion)
                if isinstance(outcome, Completion) or outcome.billable or outcome.input_tokens is not None:
                    used = self._reckoner.used(n_bytes, outcome.input_tokens, outcome.output_tokens)
            finally:
                self._under_way -= 1
                await self._purse.settle(most, used)
        if isinstance(outcome, Completion):
            self.throttle.succeeded()
        elif outcome.throttled:
            self.throttle.slow_down(outcome.retry_after)
        return call, outcome, used

    def _is_ready(self) -> bool:
        return self._known or self._under_way < FIRST_CALLS

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

    async def _complete(self, request: Request) -> Completion | CallFailedError:
        limit = self._limits.timeout + GRACE
        try:
            async with asyncio.timeout(limit):
                return await self.model.complete(request)
        except CallFailedError as failure:
            return failure
        except TimeoutError:
            msg = f"no answer within {limit:g} s; allow more by `timeout` under [limits] in study.toml"
            return CallFailedError(msg, sent="", seconds=limit, reason="timeout", billable=True)


def _size_of(request: Request) -> int:
    """Return the bytes of what a request says, its schema included."""
    return bytes_of(request) + (len(json.dumps(request.schema)) if request.schema is not None else 0)


def _charge(attempt: Attempt, outcome: Completion | CallFailedError, used: Use) -> Attempt:
    """Return ``attempt`` with what was counted of it, and what was taken from the budget where that is not all."""
    n_in, n_out = outcome.input_tokens, outcome.output_tokens
    if None not in {n_in, n_out} or not used.tokens:
        return replace(attempt, input_tokens=n_in, output_tokens=n_out, cost=used.cost)
    return replace(
        attempt,
        input_tokens=n_in,
        output_tokens=n_out,
        cost=0.0 if used.cost == 0.0 else None,
        reckoned_tokens=used.tokens - (n_in or 0) - (n_out or 0),
        reckoned_cost=used.cost,
    )


def width_of(rater: LlmRater, limits: Limits) -> int:
    """Return how many calls of ``rater`` may be under way; a model in this process answers one at a time by default."""
    return rater.concurrency or (1 if rater.endpoint == "local" else limits.concurrency)
