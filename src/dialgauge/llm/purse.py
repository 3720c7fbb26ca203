"""A budget: what is spent, what is set aside for calls under way, and the caps that neither may pass.

A call starts only when the most that it can cost fits. Its input is reckoned at one token for each byte of the prompt,
more than which no tokenizer that works on bytes can make, and something for what the endpoint puts around it; its
output is the declared maximum. An endpoint that counts more raises the reckoning. When the answer is there, what it
really used takes the place of the reckoning, which is hence needed only for calls under way; where the endpoint does
not count, it stays.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

TOKENS_PER_BYTE = 1 / 3
"""Of usual text, for forecasts."""

AROUND = 256
"""Tokens that an endpoint puts around the prompt: the template of its chat, and what it makes of a schema."""


class Prices(Protocol):
    """What a million tokens cost."""

    @property
    def input(self) -> float:
        """Of the prompt."""
        ...

    @property
    def output(self) -> float:
        """Of the answer."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens in and out, and what they cost; ``cost`` is None where a price is not known."""

    input_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens


def cost_of(price: Prices | None, input_tokens: int | None, output_tokens: int | None) -> float | None:
    """Return what a call cost in the currency of its price, which is for a million tokens; None where unknown."""
    if price is None or input_tokens is None or output_tokens is None:
        return None
    return (price.input * input_tokens + price.output * output_tokens) / 1e6


@dataclass(slots=True)
class Reckoner:
    """Reckons what a call of one model will use; learns where an endpoint counts more than it should."""

    price: Prices | None
    max_tokens: int
    excess: float = 1.0

    def about(self, n_bytes: int) -> Usage:
        """Return what a call with a prompt of ``n_bytes`` of usual text may use."""
        return self._use(round(n_bytes * TOKENS_PER_BYTE) + 1, self.max_tokens)

    def most(self, n_bytes: int) -> Usage:
        """Return the most that a call with a prompt of ``n_bytes`` may use."""
        return self._use(math.ceil((n_bytes + AROUND) * self.excess), self.max_tokens)

    def used(self, n_bytes: int, input_tokens: int | None, output_tokens: int | None) -> Usage:
        """Return what a call used, reckoned where the endpoint did not count, and learn from it."""
        if input_tokens is not None:
            self.excess = max(self.excess, input_tokens / (n_bytes + AROUND))
        if output_tokens is not None:
            self.max_tokens = max(self.max_tokens, output_tokens)
        most = self.most(n_bytes)
        found = (
            most.input_tokens if input_tokens is None else input_tokens,
            most.output_tokens if output_tokens is None else output_tokens,
        )
        return self._use(*found)

    def _use(self, input_tokens: int, output_tokens: int) -> Usage:
        return Usage(input_tokens, output_tokens, cost_of(self.price, input_tokens, output_tokens))


@dataclass(slots=True)
class Purse:
    """Keeps spending within ``most_cost`` and ``most_tokens`` (None is no cap), whatever is in flight."""

    most_cost: float | None = None
    most_tokens: int | None = None
    cost: float = 0.0
    tokens: int = 0
    held_cost: float = 0.0
    held_tokens: int = 0
    empty: bool = False
    _under_way: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def limits(self, price: Prices | None) -> bool:
        """Whether a call at ``price`` can come near a cap."""
        priced = price is None or price.input > 0.0 or price.output > 0.0
        return self.most_tokens is not None or (self.most_cost is not None and priced)

    async def take(self, reckon: Callable[[], Usage], *, ready: Callable[[], bool] = lambda: True) -> Usage | None:
        """Set aside for a call what ``reckon`` says by then, and return it, once it fits and the call is ``ready``.

        None when it will not fit, also after all calls under way have ended. A call may be unready only while another
        is under way.
        """
        async with self._changed:
            while True:
                most = reckon()
                if self._fits(most):
                    if ready():
                        break
                elif not self._under_way:
                    self.empty = True
                    return None
                await self._changed.wait()
            self._under_way += 1
            self.held_cost += most.cost or 0.0
            self.held_tokens += most.tokens
            return most

    async def settle(self, most: Usage, used: Usage) -> None:
        """Put what a call used in the place of what was set aside for it."""
        async with self._changed:
            self._under_way -= 1
            self.held_cost -= most.cost or 0.0
            self.held_tokens -= most.tokens
            self.cost += used.cost or 0.0
            self.tokens += used.tokens
            self._changed.notify_all()

    def _fits(self, most: Usage) -> bool:
        cost = self.cost + self.held_cost + (most.cost or 0.0)
        tokens = self.tokens + self.held_tokens + most.tokens
        return (self.most_cost is None or cost <= self.most_cost) and (
            self.most_tokens is None or tokens <= self.most_tokens
        )
