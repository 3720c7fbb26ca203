"""Collect the ratings that a study lacks, from all of its raters at once."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack

from dialgauge.collect.code.line import CodeLine
from dialgauge.collect.line import BudgetSpentError, Line, LineStoppedError, NotBegunError
from dialgauge.collect.models import on_occasion, open_model
from dialgauge.collect.plan import Share, asker_of, tasks_of
from dialgauge.collect.tally import Tally
from dialgauge.collect.tasks import Task
from dialgauge.collect.writer import Item, Writer
from dialgauge.errors import DialgaugeError
from dialgauge.io.store import Store
from dialgauge.io.store.engine import hide_password
from dialgauge.io.study import StudyFolder
from dialgauge.llm import Model
from dialgauge.llm.purse import Purse
from dialgauge.model import CodeRater, Limits, LlmRater
from dialgauge.model.outcome import RunOutcome

Opener = Callable[[LlmRater, Limits], Model]


Outcome = RunOutcome[Tally]
"""What it comes to, and how it ended."""


class Collection:
    """One execution: every rater of ``shares`` works through what lacks, side by side, into one writer.

    `stop` lets what is under way end and begins nothing further. The same happens when another process has taken the
    lock of the store.
    """

    def __init__(
        self, folder: StudyFolder, store: Store, shares: Sequence[Share], tally: Tally, *, opener: Opener = open_model
    ) -> None:
        self.outcome = Outcome(tally)
        self._folder, self._store, self._shares, self._opener = folder, store, shares, opener
        spent = store.spent()
        budget = folder.study.budget
        self._purse = Purse(budget.cost, budget.tokens, cost=spent.charged_cost, tokens=spent.charged_tokens)
        tally.code.update(share.rater.name for share in shares if isinstance(share.rater, CodeRater))
        self._local: dict[str, Model] = {}
        self._lines: list[Line | CodeLine] = []
        self._lost: DialgaugeError | None = None
        for share in shares:
            if isinstance(share.rater, LlmRater):
                budget.check(share.rater.known_price, of=f"rater {share.rater.name!r}")

    def stop(self) -> None:
        """Begin no further call, and end what only waits for its turn or before another try."""
        self.outcome.interrupted = True
        self._wake()

    async def run(self) -> Outcome:
        """Collect; what was counted in the tally is in the database.

        Raises StoreError where the database fails, StudyError where another process has taken the lock.
        """
        study = self._folder.study
        config = {**study.model_dump(mode="json"), "store": hide_password(study.store)}
        run = self._store.begin_run(config, seed=study.seed, occasion=self._shares[0].occasion)
        state = "failed"
        try:
            await self._collect(run)
            state = "stopped" if self._lost is not None else self.outcome.state
        except asyncio.CancelledError:
            state = "interrupted"
            raise
        finally:
            self._store.end_run(run, state)
        if self._lost is not None:
            raise self._lost
        return self.outcome

    @property
    def _ending(self) -> bool:
        return self.outcome.interrupted or self._lost is not None

    def _wake(self) -> None:
        for line in self._lines:
            if isinstance(line, Line):
                line.wake()

    def _record(self, run: int, items: Sequence[Item]) -> Sequence[Item]:
        """Write whatever was got, then see whether the lock is still ours; return what was new."""
        new = self._store.record(run, items)
        self.outcome.tally.elsewhere += sum(len(given) for _, given in items) - sum(len(given) for _, given in new)
        try:
            self._store.check_lock()
        except DialgaugeError as lost:
            self._lost = lost
        return new

    def _count(self, new: Sequence[Item]) -> None:
        self.outcome.tally.add(new)
        if self._lost is not None:
            self._wake()

    async def _collect(self, run: int) -> None:
        async with AsyncExitStack() as stack:
            writer = Writer(lambda items: self._record(run, items), self._count)
            lines = self._lines = [await self._line(share, writer, stack) for share in self._shares]
            writing = asyncio.create_task(writer.run())
            try:
                async with asyncio.TaskGroup() as group:
                    for share, line in zip(self._shares, lines, strict=True):
                        tasks = tasks_of(self._folder, self._store, share)
                        for _ in range(line.workers):
                            group.create_task(self._work(line, tasks))
            except* Exception as failures:  # noqa: BLE001 (raised again, the first of them alone)
                raise failures.exceptions[0] from None
            finally:
                await writer.close()
                await writing

    async def _line(self, share: Share, writer: Writer, stack: AsyncExitStack) -> Line | CodeLine:
        rater = share.rater
        if isinstance(rater, CodeRater):
            return CodeLine(rater, self._folder, hand_over=writer.put, occasion=share.occasion)
        return Line(
            asker_of(self._folder, rater, backwards=share.backwards),
            await self._open(on_occasion(rater, share.occasion), stack),
            limits=self._folder.study.limits,
            purse=self._purse,
            hand_over=writer.put,
            stopping=lambda: self._ending,
            occasion=share.occasion,
        )

    async def _open(self, rater: LlmRater, stack: AsyncExitStack) -> Model:
        """Open the model of ``rater``; one in this process is loaded once, however many raters use it."""
        if rater.endpoint == "local" and rater.model in self._local:
            return self._local[rater.model]
        model = self._opener(rater, self._folder.study.limits)
        stack.push_async_callback(model.close)
        if rater.endpoint == "local":
            self._local[rater.model] = model
        return model

    async def _work(self, line: Line | CodeLine, tasks: Iterator[Task]) -> None:
        """Rate one task after the other; the workers of one rater share ``tasks``."""
        name = line.name
        for task in tasks:
            if self._ending or self.outcome.budget_spent or name in self.outcome.stopped:
                return
            try:
                await line.rate(task)
            except NotBegunError:
                return
            except BudgetSpentError:
                self.outcome.budget_spent = True
            except LineStoppedError as reason:
                self.outcome.stopped[name] = str(reason)
