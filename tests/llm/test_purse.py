"""The budget: what is in flight counts too, and a cap is not passed."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialgauge.llm.purse import AROUND, Purse, Reckoner, Usage, cost_of
from dialgauge.model import Price

PRICE = Price(input=1.0, output=2.0)


def test_the_cost_of_a_call_is_reckoned_for_a_million_tokens() -> None:
    assert cost_of(PRICE, 500_000, 250_000) == pytest.approx(1.0)


def test_a_cost_is_unknown_where_price_or_tokens_are_and_not_zero() -> None:
    assert cost_of(None, 1, 1) is None
    assert cost_of(PRICE, None, 1) is None
    assert cost_of(PRICE, 1, None) is None


def test_the_reckoning_is_a_token_a_byte_and_what_is_around_until_an_endpoint_counts_more() -> None:
    reckoner = Reckoner(PRICE, max_tokens=10)
    assert (reckoner.most(300).input_tokens, reckoner.most(300).output_tokens) == (300 + AROUND, 10)
    assert reckoner.most(300).cost == pytest.approx((300 + AROUND + 2 * 10) / 1e6)
    reckoner.used(300, 60, 4)
    assert reckoner.most(300) == Reckoner(PRICE, max_tokens=10).most(300)
    reckoner.used(300, 2 * (300 + AROUND), 25)
    assert (reckoner.most(300).input_tokens, reckoner.most(300).output_tokens) == (2 * (300 + AROUND), 25)
    reckoner.used(300, 60, 4)
    assert reckoner.most(600).input_tokens == 2 * (600 + AROUND)


def test_a_forecast_reckons_a_token_for_three_bytes() -> None:
    about = Reckoner(PRICE, max_tokens=10).about(300)
    assert (about.input_tokens, about.output_tokens) == (101, 10)


def test_a_call_that_was_not_counted_is_reckoned_at_its_most() -> None:
    reckoner = Reckoner(PRICE, max_tokens=10)
    assert reckoner.used(300, None, None) == reckoner.most(300)


def test_a_purse_is_empty_only_when_nothing_under_way_can_give_back() -> None:
    async def scenario() -> list[bool]:
        purse = Purse(most_tokens=100)
        most, used = Usage(30, 30, None), Usage(10, 10, None)
        assert await purse.take(lambda: most)
        waiting = asyncio.create_task(purse.take(lambda: most))
        await asyncio.sleep(0)
        early = waiting.done()
        await purse.settle(most, used)
        second = await waiting
        await purse.settle(most, used)
        third = await purse.take(lambda: Usage(61, 0, None))
        return [early, second == most, third is not None, purse.empty]

    assert asyncio.run(scenario()) == [False, True, False, True]


def test_a_call_that_waits_is_reckoned_anew_once_another_has_shown_more() -> None:
    async def scenario() -> Usage | None:
        purse, reckoner, ready = Purse(most_tokens=10_000), Reckoner(None, max_tokens=10), [True, False]
        first = await purse.take(lambda: reckoner.most(100), ready=lambda: ready[0])
        assert first is not None
        waiting = asyncio.create_task(purse.take(lambda: reckoner.most(100), ready=lambda: ready[1]))
        await asyncio.sleep(0)
        used = reckoner.used(100, 2 * (100 + AROUND), 30)
        ready[1] = True
        await purse.settle(first, used)
        return await waiting

    assert asyncio.run(scenario()) == Usage(2 * (100 + AROUND), 30, None)


def test_only_a_cap_that_a_price_can_reach_limits_a_call() -> None:
    free = Price(input=0.0, output=0.0)
    assert [Purse(most_cost=1.0).limits(price) for price in (PRICE, None, free)] == [True, True, False]
    assert Purse(most_tokens=9).limits(free)
    assert not Purse().limits(PRICE)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40)), max_size=40), st.integers(0, 300))
def test_no_order_of_calls_brings_spending_over_the_cap(calls: list[tuple[int, int]], cap: int) -> None:
    async def call(purse: Purse, most: int, share: int) -> None:
        if await purse.take(lambda: Usage(most, 0, None)):
            await asyncio.sleep(0)
            await purse.settle(Usage(most, 0, None), Usage(min(most, share), 0, None))

    async def scenario() -> int:
        purse = Purse(most_tokens=cap)
        await asyncio.gather(*(call(purse, most, share) for most, share in calls))
        return purse.tokens

    assert asyncio.run(scenario()) <= cap
