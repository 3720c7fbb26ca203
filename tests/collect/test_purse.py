"""The budget: what is in flight counts too, and a cap is not passed."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialgauge.collect.purse import Purse, Reckoner, Use, cost_of, price_of
from dialgauge.errors import StudyError
from dialgauge.model import Budget, LlmRater, Price

PRICE = Price(input=1.0, output=2.0)


def rater(**changes: object) -> LlmRater:
    return LlmRater.model_validate(
        {"name": "m", "kind": "llm", "model": "x", "endpoint": "http://127.0.0.1:1/v1", **changes}
    )


def test_the_cost_of_a_call_is_reckoned_for_a_million_tokens() -> None:
    assert cost_of(PRICE, 500_000, 250_000) == pytest.approx(1.0)


def test_a_cost_is_unknown_where_price_or_tokens_are_and_not_zero() -> None:
    assert cost_of(None, 1, 1) is None
    assert cost_of(PRICE, None, 1) is None
    assert cost_of(PRICE, 1, None) is None


def test_a_model_on_this_machine_costs_nothing_and_any_other_must_say() -> None:
    assert price_of(rater(endpoint="fake")) == Price(input=0.0, output=0.0)
    assert price_of(rater()) is None


def test_a_cap_in_money_without_a_price_is_refused_and_says_what_to_add() -> None:
    with pytest.raises(StudyError, match="price of rater 'm' is not known; add price"):
        Purse(Budget(cost=1.0)).check(rater())
    Purse(Budget(tokens=10)).check(rater())


def test_the_reckoning_learns_the_most_tokens_a_byte() -> None:
    reckoner = Reckoner(PRICE, max_tokens=10)
    assert (reckoner.most(300).input_tokens, reckoner.most(300).output_tokens) == (101, 10)
    assert reckoner.most(300).cost == pytest.approx(121e-6)
    reckoner.used(300, 150, 4)
    assert reckoner.most(300).input_tokens == 151
    reckoner.used(300, 60, 4)
    assert reckoner.most(300).input_tokens == 151


def test_a_call_that_was_not_counted_is_reckoned_at_its_most() -> None:
    reckoner = Reckoner(PRICE, max_tokens=10)
    assert reckoner.used(300, None, None) == reckoner.most(300)


def test_a_purse_is_empty_only_when_nothing_under_way_can_give_back() -> None:
    async def scenario() -> list[bool]:
        purse = Purse(Budget(tokens=100))
        most, used = Use(30, 30, None), Use(10, 10, None)
        assert await purse.take(most)
        waiting = asyncio.create_task(purse.take(most))
        await asyncio.sleep(0)
        early = waiting.done()
        await purse.settle(most, used)
        second = await waiting
        await purse.settle(most, used)
        third = await purse.take(Use(61, 0, None))
        return [early, second, third, purse.empty]

    assert asyncio.run(scenario()) == [False, True, False, True]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40)), max_size=40), st.integers(0, 300))
def test_no_order_of_calls_brings_spending_over_the_cap(calls: list[tuple[int, int]], cap: int) -> None:
    async def call(purse: Purse, most: int, share: int) -> None:
        if await purse.take(Use(most, 0, None)):
            await asyncio.sleep(0)
            await purse.settle(Use(most, 0, None), Use(min(most, share), 0, None))

    async def scenario() -> int:
        purse = Purse(Budget(tokens=cap))
        await asyncio.gather(*(call(purse, most, share) for most, share in calls))
        return purse.tokens

    assert asyncio.run(scenario()) <= cap
