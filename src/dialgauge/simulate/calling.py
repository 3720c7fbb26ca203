"""Calls of a language model by simulated users: within budget, throttle and time limit, each one recorded."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

from dialgauge.errors import StudyError
from dialgauge.llm import CallFailedError, Completion, Model, Request
from dialgauge.llm.throttle import Throttle, delay_before
from dialgauge.model import Budget, Limits, Price
from dialgauge.model.simulation import Step, UserCall
from dialgauge.seeding import child_rng
from dialgauge.simulate.users import UserFailedError

TOKENS_PER_BYTE = 1 / 3
"""By which the input of a call is reckoned before it is made."""

GRACE = 5.0
"""Seconds that a call may take beyond its own time limit."""


@dataclass(slots=True)
class UserPurse:
    """The budget of a study, of which ``cost`` and ``tokens`` are spent and the held ones set aside."""

    budget: Budget
    price: Price | None
    cost: float = 0.0
    tokens: int = 0
    held_cost: float = 0.0
    held_tokens: int = 0

    def check(self, name: str) -> None:
        """Raise StudyError where a cap in money cannot be kept because the price is not known."""
        if self.budget.cost is not None and self.price is None:
            raise StudyError(
                f"the budget is {self.budget.cost:g} {self.budget.currency}, and the price of the user {name!r} is not "
                "known; declare the model as a rater with a price in study.toml and give its name, or cap budget.tokens"
            )

    def cost_of(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Return what a call cost; None where unknown."""
        if self.price is None or tokens_in is None or tokens_out is None:
            return None
        return (self.price.input * tokens_in + self.price.output * tokens_out) / 1e6

    def take(self, tokens_in: int, tokens_out: int) -> bool:
        """Set aside the most that a call may take; False where it does not fit."""
        tokens, cost = tokens_in + tokens_out, self.cost_of(tokens_in, tokens_out) or 0.0
        over_cost = self.budget.cost is not None and self.cost + self.held_cost + cost > self.budget.cost
        over_tokens = self.budget.tokens is not None and self.tokens + self.held_tokens + tokens > self.budget.tokens
        if over_cost or over_tokens:
            return False
        self.held_tokens += tokens
        self.held_cost += cost
        return True

    def settle(self, tokens_in: int, tokens_out: int, *, used_in: int, used_out: int) -> None:
        """Put what a call used in the place of what was set aside."""
        self.held_tokens -= tokens_in + tokens_out
        self.held_cost -= self.cost_of(tokens_in, tokens_out) or 0.0
        self.tokens += used_in + used_out
        self.cost += self.cost_of(used_in, used_out) or 0.0


@dataclass(slots=True)
class Caller:
    """Calls one model for all users of a study; ``width`` calls are under way at a time."""

    model: Model
    purse: UserPurse
    limits: Limits
    width: int
    throttle: Throttle = field(init=False)

    def __post_init__(self) -> None:
        self.throttle = Throttle(self.width)

    async def call(self, request: Request, calls: list[UserCall], *, user_turn: int, step: Step) -> Completion:
        """Return the completion, and add every attempt to ``calls``.

        Raises UserFailedError, not final, where the budget is spent or all attempts failed.
        """
        rng = child_rng(request.seed or 0, "backoff")
        for attempt in range(1, self.limits.attempts + 1):
            started = datetime.now(UTC)
            outcome = await self._once(request)
            calls.append(self._record(outcome, started, user_turn, step))
            if isinstance(outcome, Completion):
                return outcome
            if not outcome.retriable or attempt == self.limits.attempts:
                break
            await asyncio.sleep(delay_before(attempt, rng))
        raise UserFailedError(str(outcome), final=False)

    async def _once(self, request: Request) -> Completion | CallFailedError:
        n_in = round(sum(len(message.text.encode()) for message in request.messages) * TOKENS_PER_BYTE) + 1
        n_out = request.max_tokens or 0
        async with self.throttle.slot():
            if not self.purse.take(n_in, n_out):
                raise UserFailedError("the budget is spent", final=False, budget_spent=True)
            used = (0, 0)
            try:
                outcome = await self._complete(request)
                if isinstance(outcome, Completion):
                    used = (
                        n_in if outcome.input_tokens is None else outcome.input_tokens,
                        n_out if outcome.output_tokens is None else outcome.output_tokens,
                    )
            finally:
                self.purse.settle(n_in, n_out, used_in=used[0], used_out=used[1])
        if isinstance(outcome, Completion):
            self.throttle.succeeded()
        elif outcome.throttled:
            self.throttle.slow_down(outcome.retry_after)
        return outcome

    async def _complete(self, request: Request) -> Completion | CallFailedError:
        limit = self.limits.timeout + GRACE
        try:
            async with asyncio.timeout(limit):
                return await self.model.complete(request)
        except CallFailedError as failure:
            return failure
        except TimeoutError:
            return CallFailedError(f"no answer within {limit:g} s", sent="", seconds=limit, reason="timeout")

    def _record(self, outcome: Completion | CallFailedError, started: datetime, user_turn: int, step: Step) -> UserCall:
        if isinstance(outcome, CallFailedError):
            return UserCall(
                user_turn=user_turn,
                step=step,
                started=started,
                seconds=outcome.seconds,
                state=outcome.reason,
                request=outcome.sent,
                answer=outcome.received,
                cost=0.0,
                error=str(outcome),
            )
        return UserCall(
            user_turn=user_turn,
            step=step,
            started=started,
            seconds=outcome.seconds,
            state="ok",
            request=outcome.sent,
            answer=outcome.received,
            model=outcome.model,
            input_tokens=outcome.input_tokens,
            output_tokens=outcome.output_tokens,
            cost=self.purse.cost_of(outcome.input_tokens, outcome.output_tokens),
        )
