"""An interrupted collection: only calls under way are waited for, and how it ended is kept."""

import asyncio
import time
from pathlib import Path

import pytest

from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import shares_of
from dialgauge.collect.rate import Collection, Outcome
from dialgauge.collect.tally import Tally
from dialgauge.io.store import Store
from dialgauge.llm import CallFailedError, Completion, Request

from .conftest import RATER, Desk, Scripted, completion, write_study


class Slow(Scripted):
    """A model whose answers take a while, or that is behind a limit."""

    seconds = 0.0

    async def complete(self, request: Request) -> Completion:
        found = await super().complete(request)
        await asyncio.sleep(self.seconds)
        return found


def run_and_stop(desk: Desk, model: Scripted, *, after: float, cancel: bool = False) -> tuple[Outcome, float]:
    """Stop a collection after some seconds; return its outcome and how long it took to end from then."""
    folder = desk.folder
    with desk.open() as store:
        register_study(folder, store)
        collection = Collection(folder, store, shares_of(folder), Tally(planned=20), opener=lambda *_: model)

        async def main() -> float:
            running = asyncio.create_task(collection.run())
            await asyncio.sleep(after)
            collection.stop()
            began = time.monotonic()
            if cancel:
                running.cancel()
            async with asyncio.timeout(20.0):
                await asyncio.gather(running, return_exceptions=True)
            if not running.cancelled():
                running.result()
            return time.monotonic() - began

        return collection.outcome, asyncio.run(main())


def state_of(store: Store) -> str:
    return str(store.runs()["state"][-1])


@pytest.mark.parametrize(
    "failure",
    [{"throttled": True, "status": 429, "retry_after": 600.0}, {"status": 500}],
    ids=["pause of the endpoint", "before another try"],
)
def test_a_stop_ends_waits_at_once(tmp_path: Path, failure: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialgauge.collect.line.delay_before", lambda *_: 60.0)
    desk = Desk(write_study(tmp_path, limits={"concurrency": 4}))

    def busy(_: Request) -> str:
        raise CallFailedError("busy", sent="{}", seconds=0.0, **failure)  # type: ignore[arg-type]

    outcome, seconds = run_and_stop(desk, Scripted(busy), after=0.3)
    assert seconds < 5.0
    assert outcome.interrupted
    assert outcome.tally.attempts > 0
    with desk.open() as store:
        assert state_of(store) == "interrupted"


def test_a_stop_ends_waits_for_the_budget_and_keeps_the_calls_under_way(tmp_path: Path) -> None:
    rater = {**RATER, "max_tokens": 10}
    desk = Desk(write_study(tmp_path, raters=[rater], budget={"tokens": 5_000}, limits={"concurrency": 8}))
    model = Slow(lambda _: completion('{"value": 4}', input_tokens=10, output_tokens=1))
    model.seconds = 0.5
    outcome, seconds = run_and_stop(desk, model, after=0.2)
    assert seconds < 5.0
    assert outcome.tally.rated == outcome.tally.attempts == len(model.requests) == 1  # the first one shows the count


def test_a_run_that_is_ended_at_once_is_kept_as_interrupted(tmp_path: Path) -> None:
    desk, model = Desk(write_study(tmp_path)), Slow(lambda _: '{"value": 4}')
    model.seconds = 60.0
    _, seconds = run_and_stop(desk, model, after=0.2, cancel=True)
    assert seconds < 5.0
    with desk.open() as store:
        assert state_of(store) == "interrupted"
