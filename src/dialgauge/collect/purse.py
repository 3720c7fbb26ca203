"""The budget of a study: what is spent, what is set aside for calls under way, and the caps that neither may pass.

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
from ipaddress import ip_address
from urllib.parse import urlsplit

from dialgauge.errors import StudyError
from dialgauge.model import Budget, LlmRater, Price

TOKENS_PER_BYTE = 1 / 3
"""Of usual text, for forecasts."""

AROUND = 256
"""Tokens that an endpoint puts around the prompt: the template of its chat, and what it makes of a schema."""

FREE_ENDPOINTS = ("fake", "local")


@dataclass(frozen=True, slots=True)
class Use:
    """Tokens in and out, and what they cost; ``cost`` is None where a price is not known."""

    input_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens


def price_of(rater: LlmRater) -> Price | None:
    """Return the price of a rater; a model on this machine, also one behind a loopback address, costs nothing."""
    free = rater.endpoint in FREE_ENDPOINTS or _is_loopback(rater.endpoint)
    return rater.price or (Price(input=0.0, output=0.0) if free else None)


def cost_of(price: Price | None, input_tokens: int | None, output_tokens: int | None) -> float | None:
    """Return what a call cost in the currency of its price, which is for a million tokens; None where unknown."""
    if price is None or input_tokens is None or output_tokens is None:
        return None
    return (price.input * input_tokens + price.output * output_tokens) / 1e6


def _is_loopback(endpoint: str) -> bool:
    """Whether a URL stays on this machine."""
    try:
        host = urlsplit(endpoint).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(slots=True)
class Reckoner:
    """Reckons what a call of one rater will use; learns where an endpoint counts more than it should."""

    price: Price | None
    max_tokens: int
    excess: float = 1.0

    def about(self, n_bytes: int) -> Use:
        """Return what a call with a prompt of ``n_bytes`` of usual text may use."""
        return self._use(round(n_bytes * TOKENS_PER_BYTE) + 1, self.max_tokens)

    def most(self, n_bytes: int) -> Use:
        """Return the most that a call with a prompt of ``n_bytes`` may use."""
        return self._use(math.ceil((n_bytes + AROUND) * self.excess), self.max_tokens)

    def used(self, n_bytes: int, input_tokens: int | None, output_tokens: int | None) -> Use:
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

    def _use(self, input_tokens: int, output_tokens: int) -> Use:
        return Use(input_tokens, output_tokens, cost_of(self.price, input_tokens, output_tokens))


@dataclass(slots=True)
class Purse:
    """Keeps spending within the budget, whatever is in flight."""

    budget: Budget
    cost: float = 0.0
    tokens: int = 0
    held_cost: float = 0.0
    held_tokens: int = 0
    empty: bool = False
    _under_way: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def check(self, rater: LlmRater) -> None:
        """Raise StudyError where a cap in money cannot be kept because a price is not known."""
        if self.budget.cost is not None and price_of(rater) is None:
            msg = (
                f"the budget is {self.budget.cost:g} {self.budget.currency}, and the price of rater {rater.name!r} is "
                "not known; add price = { input = ..., output = ... } for a million tokens, or cap budget.tokens"
            )
            raise StudyError(msg)

    def limits(self, price: Price | None) -> bool:
        """Whether a call at ``price`` can come near a cap."""
        priced = price is None or price.input > 0.0 or price.output > 0.0
        return self.budget.tokens is not None or (self.budget.cost is not None and priced)

    async def take(self, reckon: Callable[[], Use], *, ready: Callable[[], bool] = lambda: True) -> Use | None:
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

    async def settle(self, most: Use, used: Use) -> None:
        """Put what a call used in the place of what was set aside for it."""
        async with self._changed:
            self._under_way -= 1
            self.held_cost -= most.cost or 0.0
            self.held_tokens -= most.tokens
            self.cost += used.cost or 0.0
            self.tokens += used.tokens
            self._changed.notify_all()

    def _fits(self, most: Use) -> bool:
        cost, tokens = self.budget.cost, self.budget.tokens
        return (cost is None or self.cost + self.held_cost + (most.cost or 0.0) <= cost) and (
            tokens is None or self.tokens + self.held_tokens + most.tokens <= tokens
        )
