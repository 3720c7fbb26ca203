"""Simulate what a study lacks: all systems side by side, into one writer."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from dialgauge.io.store import Store
from dialgauge.model.outcome import RunOutcome
from dialgauge.model.simulation import Simulation
from dialgauge.simulate.asking import SystemAwayError
from dialgauge.simulate.plan import Plan
from dialgauge.simulate.session import Case, Stage, simulate_dialogue
from dialgauge.simulate.tally import SimulationTally
from dialgauge.simulate.users import UserFailedError
from dialgauge.systems import System

IN_A_ROW = 10
"""Dialogues of a system without one proper reply, one after the other, before it is left for this time."""

USER_FAILURES = 10
"""Dialogues in a row in which the user could not be asked, before the whole is ended."""

WAITING = 200
"""Dialogues that may wait to be written; then the others wait too, so that memory stays bounded."""


_Queue = asyncio.Queue[Simulation | None]


SimulationOutcome = RunOutcome[SimulationTally]
"""What it comes to, and how it ended."""


class SimulationCourse:
    """One execution: the dialogues of ``plan`` that the store lacks. `stop` lets those under way end, and begins none.

    ``concurrency`` dialogues of each system are under way at a time. ``simulator`` is the hash that
    `SimulationTables.register` gave.
    """

    def __init__(
        self,
        store: Store,
        plan: Plan,
        systems: Sequence[System],
        stage: Stage,
        *,
        simulator: str,
        concurrency: int = 8,
        config: Mapping[str, object] | None = None,
    ) -> None:
        done = store.simulated.done()
        there = plan.there(done)
        self.outcome = SimulationOutcome(
            SimulationTally(planned=plan.per_system * len(systems), there=sum(there.values()))
        )
        self._store, self._stage, self._simulator, self._concurrency = store, stage, simulator, concurrency
        self._config = config or {}
        self._systems = systems
        self._cases = {system.name: plan.cases(system, done) for system in systems}
        self._silent = dict.fromkeys(self._cases, 0)
        self._user_failures = 0
        self._failure: Exception | None = None

    def stop(self) -> None:
        """Begin no further dialogue."""
        self.outcome.interrupted = True

    async def run(self) -> SimulationOutcome:
        """Simulate, then close systems and users. What was counted in the tally is in the database.

        Raises StoreError where the database fails.
        """
        run = self._store.begin_run({"simulate": dict(self._config)}, seed=self._stage.seed)
        state = "failed"
        try:
            await self._simulate(run)
            state = "stopped" if self.outcome.state == "done" and self.outcome.tally.lacking else self.outcome.state
        finally:
            self._store.end_run(run, state)
            for system in self._systems:
                await system.close()
            await self._stage.users.close()
        return self.outcome

    async def _simulate(self, run: int) -> None:
        waiting: _Queue = asyncio.Queue(WAITING)
        writing = asyncio.create_task(self._write(run, waiting))
        try:
            async with asyncio.TaskGroup() as group:
                for name, cases in self._cases.items():
                    for _ in range(self._concurrency):
                        group.create_task(self._work(run, name, cases, waiting))
        except* Exception as failures:  # noqa: BLE001 (raised again, the first of them alone)
            raise failures.exceptions[0] from None
        finally:
            await waiting.put(None)
            await writing
        if self._failure is not None:
            raise self._failure

    async def _work(self, run: int, name: str, cases: Iterator[Case], waiting: _Queue) -> None:
        """Simulate one dialogue after the other; the workers of one system share ``cases``."""
        outcome = self.outcome
        for case in cases:
            if outcome.interrupted or outcome.budget_spent or name in outcome.stopped or self._failure is not None:
                return
            try:
                simulation = await simulate_dialogue(case, self._stage)
            except UserFailedError as error:
                await asyncio.to_thread(self._store.simulated.write_calls, run, error.calls)
                self._postpone(error)
                continue
            except SystemAwayError as error:
                await asyncio.to_thread(self._store.simulated.write_calls, run, error.calls)
                outcome.tally.postpone(error.calls, away=True)
                self._watch(name, silent=True, failure=str(error))
                continue
            self._user_failures = 0
            turns = simulation.dialogue.system_turns
            silent = bool(turns) and all(turn.failure is not None for turn in turns)
            self._watch(name, silent=silent, failure=turns[-1].failure if silent else None)
            await waiting.put(simulation)

    async def _write(self, run: int, waiting: _Queue) -> None:
        """Write until told that no more will come, whatever waits in one transaction, off the event loop."""
        open_ = True
        while open_:
            batch = [await waiting.get()]
            while not waiting.empty():
                batch.append(waiting.get_nowait())
            given = [simulation for simulation in batch if simulation is not None]
            open_ = len(given) == len(batch)
            if not given or self._failure is not None:
                continue
            try:
                await asyncio.to_thread(self._store.simulated.write, run, self._simulator, given)
            except Exception as error:  # noqa: BLE001 (raised again when all workers have ended)
                self._failure = error
            else:
                self.outcome.tally.add(given)

    def _watch(self, name: str, *, silent: bool, failure: str | None) -> None:
        """Leave a system that does not say a word."""
        self._silent[name] = self._silent[name] + 1 if silent else 0
        if self._silent[name] >= IN_A_ROW:
            self.outcome.stopped[name] = f"{IN_A_ROW} dialogues in a row without a reply, the last one: {failure}"

    def _postpone(self, error: UserFailedError) -> None:
        """Note a dialogue that is not kept; end all where no user can be asked any more."""
        self.outcome.tally.postpone(error.calls)
        if error.budget_spent:
            self.outcome.budget_spent = True
            return
        self._user_failures += 1
        if self._user_failures >= USER_FAILURES:
            self.outcome.stopped.update(dict.fromkeys(self._cases, f"the user could not be asked: {error}"))
