"""Several collections in turn: one after the other, and none after the last that was stopped."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import Share, shares_of
from dialgauge.collect.rate import Outcome
from dialgauge.collect.rounds import Rounds
from dialgauge.collect.tally import Tally
from dialgauge.llm import Request

from .conftest import RATER, Desk, Scripted, write_study


def run(
    desk: Desk,
    model: Scripted,
    split: Callable[[Share], Sequence[Sequence[Share]]],
    *,
    watch: Callable[[Rounds], None] = lambda _: None,
) -> Outcome:
    folder = desk.folder
    with desk.open() as store:
        register_study(folder, store)
        (share,) = shares_of(folder)
        rounds = Rounds(folder, store, split(share), Tally(planned=20), opener=lambda *_: model)
        watch(rounds)
        return asyncio.run(rounds.run())


def by_dimension(share: Share) -> list[list[Share]]:
    return [[replace(share, dimensions=(name,))] for name in share.dimensions]


def four(_: Request) -> str:
    return '{"value": 4}'


def test_what_the_first_round_asks_is_answered_before_the_second_begins(desk: Desk) -> None:
    model = Scripted(four)
    outcome = run(desk, model, by_dimension)
    told = ["Ease" in request.messages[0].text for request in model.requests]
    assert told == [False] * 10 + [True] * 10
    assert (outcome.state, outcome.tally.rated) == ("done", 20)


def test_a_round_of_none_is_passed_over(desk: Desk) -> None:
    assert run(desk, Scripted(four), lambda share: [[], [share]]).tally.rated == 20


def test_after_a_stop_no_further_round_begins(desk: Desk) -> None:
    model = Scripted(four)

    def stop_after_three(rounds: Rounds) -> None:
        def answer(request: Request) -> str:
            if len(model.requests) >= 3:
                rounds.stop()
            return four(request)

        model.answer = answer

    outcome = run(desk, model, by_dimension, watch=stop_after_three)
    assert outcome.state == "interrupted"
    assert outcome.tally.rated <= 10


def test_a_stop_before_the_start_asks_nobody(desk: Desk) -> None:
    model = Scripted(four)
    assert run(desk, model, by_dimension, watch=lambda rounds: rounds.stop()).state == "interrupted"
    assert model.requests == []


def test_a_budget_that_is_spent_in_the_first_round_ends_them_all(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, raters=[{**RATER, "max_tokens": 100}], budget={"tokens": 1000}))
    outcome = run(desk, Scripted(four), by_dimension)
    assert outcome.budget_spent
    assert outcome.tally.rated < 10
