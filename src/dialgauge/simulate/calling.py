"""Calls of a language model by simulated users: tried again where they fail, each one recorded."""

import asyncio
from dataclasses import dataclass

from dialgauge.llm import CallFailedError, Completion, Request
from dialgauge.llm.meter import Meter, MeteredCall
from dialgauge.llm.throttle import delay_before
from dialgauge.model.simulation import Step, UserCall
from dialgauge.seeding import child_rng
from dialgauge.simulate.users import UserFailedError


@dataclass(slots=True)
class Caller:
    """Calls one model for all users of a study, at most ``attempts`` times for one answer."""

    meter: Meter
    attempts: int

    async def call(self, request: Request, calls: list[UserCall], *, user_turn: int, step: Step) -> Completion:
        """Return the completion, and add every attempt to ``calls``.

        Raises UserFailedError, not final, where the budget is spent or all attempts failed.
        """
        rng = child_rng(request.seed or 0, "backoff")
        attempt = 0
        while True:
            attempt += 1
            made = await self.meter.call(request)
            if made is None:
                raise UserFailedError("the budget is spent", final=False, budget_spent=True)
            calls.append(_record(made, user_turn, step))
            if isinstance(made.outcome, Completion):
                return made.outcome
            if not made.outcome.retriable or attempt >= self.attempts:
                raise UserFailedError(str(made.outcome), final=False)
            await asyncio.sleep(delay_before(attempt, rng))


def _record(made: MeteredCall, user_turn: int, step: Step) -> UserCall:
    outcome = made.outcome
    failed = isinstance(outcome, CallFailedError)
    return UserCall(
        user_turn=user_turn,
        step=step,
        started=made.started,
        seconds=outcome.seconds,
        state=outcome.reason if isinstance(outcome, CallFailedError) else "ok",
        request=outcome.sent,
        answer=outcome.received,
        model=outcome.model if isinstance(outcome, Completion) else None,
        input_tokens=outcome.input_tokens,
        output_tokens=outcome.output_tokens,
        cost=made.cost,
        reckoned_tokens=made.uncounted_tokens,
        reckoned_cost=made.reckoned_cost,
        error=str(outcome) if failed else None,
    )
