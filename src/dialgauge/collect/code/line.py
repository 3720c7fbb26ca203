"""A code rater at work: measures, or a function of the user's own, on one dialogue after the other."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from dialgauge.collect.code import callable_rater, check_measures, rate_with_code
from dialgauge.collect.forms import make_form
from dialgauge.collect.tasks import Task
from dialgauge.collect.writer import Item
from dialgauge.io.study import StudyFolder
from dialgauge.model import Attempt, CodeRater, Missing, Rating


class CodeLine:
    """Gets ratings out of one code rater: one attempt for each target; a failure is recorded like any other."""

    workers = 1

    def __init__(
        self, rater: CodeRater, folder: StudyFolder, *, hand_over: Callable[[Item], Awaitable[None]], occasion: int = 0
    ) -> None:
        self.rater, self.name = rater, rater.name
        instrument = folder.instrument_of(rater)
        self._forms = {name: make_form(instrument, instrument.dimension(name)) for name in folder.dimensions_of(rater)}
        self._function = None if rater.function is None else callable_rater(rater.function, folder=folder.root)
        if rater.function is None:
            check_measures(tuple(self._forms))
        self._hand_over, self._occasion = hand_over, occasion

    async def rate(self, task: Task) -> None:
        """Rate the dimensions of ``task`` and hand over what came of it."""
        started, began = datetime.now(UTC), time.perf_counter()
        answers: dict[str, object] = {}
        error = None
        try:
            answers = self._answers(task)
        except Exception as failure:  # noqa: BLE001 (code of the user's own: whatever it raises is a failed attempt)
            error = f"{type(failure).__name__}: {failure}"
        ratings = () if error else tuple(self._rating(task, name, answers[name]) for name in task.dimensions)
        states = {rating.missing or "ok" for rating in ratings} or {"error"}
        attempt = Attempt(
            rater=self.name,
            target=task.dialogue.id,
            dimensions=task.dimensions,
            replicate=task.replicate,
            number=task.attempted + 1,
            started=started,
            seconds=time.perf_counter() - began,
            state=states.pop() if len(states) == 1 else "partial",
            request=json.dumps({"function": self.rater.function, "measures": task.dimensions}),
            answer=None if error else json.dumps(answers, default=str, ensure_ascii=False),
            cost=0.0,
            error=error,
        )
        await self._hand_over((attempt, ratings))
        await asyncio.sleep(0)  # lets raters that wait for an answer have their turn

    def _answers(self, task: Task) -> dict[str, object]:
        if self._function is None:
            return dict(rate_with_code(task.dialogue, task.dimensions))
        return {name: self._function(task.dialogue, self._forms[name].dimension) for name in task.dimensions}

    def _rating(self, task: Task, name: str, answer: object) -> Rating:
        value: float | Missing = "not-applicable" if answer is None else self._forms[name].read(answer)
        missing = value if isinstance(value, str) else None
        return Rating(
            target=task.dialogue.id,
            dimension=name,
            rater=self.name,
            replicate=task.replicate,
            value=None if isinstance(value, str) else value,
            missing=missing,
            text=None if answer is None else str(answer)[:200],
            occasion=self._occasion,
        )
