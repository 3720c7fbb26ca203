"""One model behind a meter: calls that keep to a budget, a throttle and a time limit, and what each one used."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from dialgauge.llm.protocol import Audio, CallFailedError, Completion, Model, Request
from dialgauge.llm.purse import Purse, Reckoner, Usage
from dialgauge.llm.throttle import Throttle

GRACE = 5.0
"""Seconds that a call may take beyond its own time limit before it is given up from outside."""

FIRST_CALLS = 1
"""Calls under way at most until the first answer shows what the endpoint counts, where there is a cap."""


@dataclass(frozen=True, slots=True)
class MeteredCall:
    """One call that was made: when it began, what came of it, and what the budget lost by it."""

    started: datetime
    outcome: Completion | CallFailedError
    used: Usage

    @property
    def uncounted_tokens(self) -> int | None:
        """The tokens that the budget lost and the endpoint did not count; None where it counted all, or lost none."""
        n_in, n_out = self.outcome.input_tokens, self.outcome.output_tokens
        if None not in {n_in, n_out} or not self.used.tokens:
            return None
        return self.used.tokens - (n_in or 0) - (n_out or 0)

    @property
    def cost(self) -> float | None:
        """What it cost for sure; None where that is reckoned."""
        return self.used.cost if self.uncounted_tokens is None or self.used.cost == 0.0 else None

    @property
    def reckoned_cost(self) -> float | None:
        """What the budget lost where the endpoint did not count, None where it did."""
        return None if self.uncounted_tokens is None else self.used.cost


class Meter:
    """Calls one model, at most ``width`` times at once, within ``purse`` and ``timeout`` seconds a call.

    Where there is a cap, the first call is made alone, for it shows what the endpoint counts.
    """

    def __init__(self, model: Model, purse: Purse, reckoner: Reckoner, *, width: int, timeout: float) -> None:
        self.model, self.throttle = model, Throttle(width)
        self._purse, self._reckoner, self._timeout = purse, reckoner, timeout
        self._known = not purse.limits(reckoner.price)
        self._under_way = 0

    async def call(
        self,
        request: Request,
        *,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
        admit: Callable[[], None] = lambda: None,
    ) -> MeteredCall | None:
        """Return the call with its completion or failure; None where it does not fit into the budget.

        The wait for its turn and for money is inside ``waiting``; ``admit`` may raise when the turn has come.
        """
        n_bytes = size_of(request)
        async with AsyncExitStack() as stack:
            with waiting():
                await stack.enter_async_context(self.throttle.slot())
                admit()
                most = await self._purse.take(lambda: self._reckoner.most(n_bytes), ready=self._is_ready)
            if most is None:
                return None
            used = Usage(0, 0, 0.0)
            self._under_way += 1
            try:
                started = datetime.now(UTC)
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
        return MeteredCall(started, outcome, used)

    def _is_ready(self) -> bool:
        return self._known or self._under_way < FIRST_CALLS

    async def _complete(self, request: Request) -> Completion | CallFailedError:
        limit = self._timeout + GRACE
        try:
            async with asyncio.timeout(limit):
                return await self.model.complete(request)
        except CallFailedError as failure:
            return failure
        except TimeoutError:
            msg = f"no answer within {limit:g} s; allow more by `timeout` under [limits] in study.toml"
            return CallFailedError(msg, sent="", seconds=limit, reason="timeout", billable=True)


def bytes_of(request: Request) -> int:
    """Return the bytes of the texts of a request; a recording counts a byte for each 100 of its own."""
    texts = sum(len(part.encode()) for m in request.messages for part in m.parts if isinstance(part, str))
    return texts + sum(len(part.wav) // 100 for m in request.messages for part in m.parts if isinstance(part, Audio))


def size_of(request: Request) -> int:
    """Return the bytes of what a request says, its schema included."""
    return bytes_of(request) + (len(json.dumps(request.schema)) if request.schema is not None else 0)
