"""The throttle, on a clock that jumps: how many calls are under way, and when they start."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialgauge.llm.throttle import LONGEST_DELAY, Throttle, delay_before
from dialgauge.seeding import child_rng

T = TypeVar("T")


class JumpingSelector(selectors.DefaultSelector):
    """Does not wait for a timer: the clock jumps to it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.jumping = JumpingSelector()
        super().__init__(self.jumping)

    def time(self) -> float:
        return self.jumping.now


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main())


def now() -> float:
    return asyncio.get_running_loop().time()


async def succeed(throttle: Throttle, seconds: float = 1.0) -> float:
    """Make a call that brings an answer; return when it started."""
    async with throttle.slot():
        start = now()
        await asyncio.sleep(seconds)
    throttle.succeeded()
    return start


async def be_refused(throttle: Throttle, retry_after: float | None = None, seconds: float = 1.0) -> None:
    async with throttle.slot():
        await asyncio.sleep(seconds)
    throttle.slow_down(retry_after)


def test_no_more_calls_than_the_ceiling_are_under_way_and_they_start_in_order() -> None:
    async def main() -> list[float]:
        throttle = Throttle(3)
        return await asyncio.gather(*(succeed(throttle) for _ in range(10)))

    assert run(main) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]


def test_a_throttled_failure_halves_the_calls_under_way() -> None:
    async def main() -> tuple[int, list[float]]:
        throttle = Throttle(8)
        await be_refused(throttle)
        return throttle.limit, await asyncio.gather(*(succeed(throttle) for _ in range(9)))

    assert run(main) == (4, [1, 1, 1, 1, 2, 2, 2, 2, 2])  # the fifth of the second round: four successes have been


def test_failures_of_calls_that_were_under_way_together_halve_once() -> None:
    async def main() -> int:
        throttle = Throttle(64)
        await asyncio.gather(*(be_refused(throttle) for _ in range(64)))
        return throttle.limit

    assert run(main) == 32


def test_failures_of_one_round_after_the_other_halve_down_to_one_call() -> None:
    async def main() -> list[int]:
        throttle = Throttle(8)
        limits = []
        for _ in range(5):
            await be_refused(throttle)
            limits.append(throttle.limit)
        return limits

    assert run(main) == [4, 2, 1, 1, 1]


def test_successes_bring_one_more_call_for_each_window_up_to_the_ceiling() -> None:
    async def main() -> list[int]:
        throttle = Throttle(6)
        await be_refused(throttle)
        limits = []
        for _ in range(3 + 4 + 5 + 10):
            await succeed(throttle)
            limits.append(throttle.limit)
        return limits

    limits = run(main)
    assert limits == [3] * 2 + [4] * 4 + [5] * 5 + [6] * 11


def test_a_success_of_a_call_from_before_the_failure_does_not_count() -> None:
    async def main() -> int:
        throttle = Throttle(4)
        await asyncio.gather(be_refused(throttle), *(succeed(throttle, 2.0) for _ in range(3)))
        return throttle.limit

    assert run(main) == 2


def test_retry_after_holds_back_every_new_call_and_no_call_that_is_under_way() -> None:
    async def main() -> tuple[float, list[float]]:
        throttle = Throttle(2)
        long = asyncio.create_task(succeed(throttle, 3.0))
        waiting = [asyncio.create_task(be_refused(throttle, retry_after=30.0))]
        await asyncio.sleep(0)
        later = [asyncio.create_task(succeed(throttle)) for _ in range(3)]
        await asyncio.gather(*waiting)
        started = await long
        assert now() == 3.0
        return started, await asyncio.gather(*later)

    assert run(main) == (0.0, [31.0, 32.0, 32.0])  # one at a time, and two after a success


def test_calls_in_flight_that_are_all_refused_let_no_waiting_call_slip_through() -> None:
    async def main() -> list[float]:
        throttle = Throttle(4)
        refused = [asyncio.create_task(be_refused(throttle, retry_after=10.0)) for _ in range(4)]
        await asyncio.sleep(0)
        later = [asyncio.create_task(succeed(throttle)) for _ in range(4)]
        await asyncio.gather(*refused)
        return await asyncio.gather(*later)

    assert run(main) == [11.0, 11.0, 12.0, 12.0]


def test_the_longest_of_several_pauses_counts_and_none_is_longer_than_allowed() -> None:
    async def main() -> float:
        throttle = Throttle(4, longest_pause=50.0)
        await asyncio.gather(*(be_refused(throttle, pause) for pause in (5.0, 1e9, 20.0)))
        return await succeed(throttle)

    assert run(main) == 51.0


def test_a_cancelled_call_gives_its_place_to_the_next() -> None:
    async def main() -> list[float]:
        throttle = Throttle(1)
        first = asyncio.create_task(succeed(throttle, 100.0))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(succeed(throttle)) for _ in range(3)]
        await asyncio.sleep(1)
        waiting[0].cancel()
        first.cancel()
        await asyncio.gather(first, waiting[0], return_exceptions=True)
        return await asyncio.gather(*waiting[1:])

    assert run(main) == [1.0, 2.0]


def test_a_call_cancelled_in_the_moment_of_its_turn_loses_no_place() -> None:
    async def main() -> tuple[float, int]:
        throttle = Throttle(1)
        first = asyncio.create_task(succeed(throttle))
        second = asyncio.create_task(succeed(throttle))
        third = asyncio.create_task(succeed(throttle))
        await first
        second.cancel()  # its turn has come, and it has not run yet
        started = await third
        await asyncio.gather(second, return_exceptions=True)
        return started, throttle.in_flight

    assert run(main) == (1.0, 0)


@given(
    ceiling=st.integers(1, 6),
    plans=st.lists(st.tuples(st.sampled_from("sfrc"), st.integers(0, 5), st.integers(0, 3)), max_size=25),
)
def test_whatever_happens_the_bound_is_kept_and_no_place_is_lost(
    ceiling: int, plans: list[tuple[str, int, int]]
) -> None:
    async def main() -> None:
        throttle = Throttle(ceiling)
        most = 0

        async def call(kind: str, begin: int, seconds: int) -> None:
            nonlocal most
            await asyncio.sleep(begin)
            async with throttle.slot():
                most = max(most, throttle.in_flight)
                await asyncio.sleep(seconds)
            if kind == "s":
                throttle.succeeded()
            elif kind == "r":
                throttle.slow_down(2.0)

        tasks = [asyncio.create_task(call(*plan)) for plan in plans]
        for task, (kind, begin, seconds) in zip(tasks, plans, strict=True):
            if kind == "c":
                asyncio.get_running_loop().call_later(begin + seconds / 2, task.cancel)
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)
        assert throttle.in_flight == 0
        assert most <= ceiling
        assert 1 <= throttle.limit <= ceiling
        await asyncio.wait_for(succeed(throttle), 100.0)

    run(main)


@given(attempt=st.integers(1, 10**6), seed=st.integers(0, 2**32))
def test_delays_double_scatter_and_end_at_the_longest(attempt: int, seed: int) -> None:
    whole = min(LONGEST_DELAY, 0.5 * 2.0 ** min(attempt - 1, 60))
    delay = delay_before(attempt, child_rng(seed))
    assert whole / 2 <= delay <= whole
    assert delay == delay_before(attempt, child_rng(seed))


def test_a_throttle_that_lets_nothing_through_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 call"):
        Throttle(0)
