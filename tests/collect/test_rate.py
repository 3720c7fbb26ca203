"""Collecting: what lacks is asked for, what is answered is kept, and what fails is told apart from what is low."""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from dialgauge.collect.line import IN_A_ROW
from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import shares_of
from dialgauge.collect.rate import Collection
from dialgauge.collect.tally import Tally
from dialgauge.collect.writer import Item
from dialgauge.errors import StoreError, StudyError
from dialgauge.llm import CallFailedError, Completion, Request, Token

from .conftest import RATER, Desk, Scripted, completion, write_study


def fails(message: str = "broke off", **known: object) -> CallFailedError:
    return CallFailedError(message, sent="{}", seconds=0.1, **known)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries come at once."""
    monkeypatch.setattr("dialgauge.collect.line.delay_before", lambda *_: 0.0)


def four(_: Request) -> str:
    return '{"value": 4}'


def test_every_rating_is_collected_once_and_a_second_time_nothing_is_asked(desk: Desk) -> None:
    model = Scripted(four)
    tally = desk.collect(model).tally
    assert (tally.rated, tally.missing.total(), tally.lacking) == (20, 0, 0)
    assert len(model.requests) == 20
    again = Scripted(four)
    assert desk.collect(again).tally.done == 20
    assert again.requests == []
    with desk.open() as store:
        frame = store.ratings().frame
    assert frame.select("target", "dimension", "rater", "replicate").n_unique() == len(frame) == 20
    assert set(frame["value"]) == {4.0}


def test_more_replicates_ask_for_the_new_ones_only(desk: Desk) -> None:
    desk.collect(Scripted(four))
    write_study(desk.root, replicates=3)
    model = Scripted(four)
    assert desk.collect(model).tally.there == 20
    assert len(model.requests) == 10


def test_replicates_have_seeds_of_their_own_and_a_retry_has_that_of_its_first_attempt(desk: Desk) -> None:
    failed: set[int | None] = set()

    def once(request: Request) -> str:
        if request.seed not in failed:
            failed.add(request.seed)
            raise fails()
        return '{"value": 4}'

    model = Scripted(once)
    desk.collect(model)
    assert sorted(Counter(request.seed for request in model.requests).values()) == [2] * 20


def test_no_more_calls_are_under_way_than_the_study_allows(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, n_targets=30, limits={"concurrency": 3}))
    model = Scripted(four)
    desk.collect(model)
    assert model.most_in_flight == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("hm", "unparsed"), ('{"value": 9}', "off-scale"), ("I cannot rate this.", "refused")],
)
def test_an_answer_without_a_value_is_missing_for_good_with_its_reason_and_its_text(
    desk: Desk, answer: str, reason: str
) -> None:
    outcome = desk.collect(Scripted(lambda _: answer))
    assert outcome.tally.missing == {reason: 20}
    assert desk.collect(Scripted(four)).tally.attempts == 0
    with desk.open() as store:
        assert set(store.ratings().frame["missing"]) == {reason}
        assert set(store.attempts()["state"]) == {reason}


def test_an_answer_that_cannot_be_read_is_asked_for_again_only_where_the_study_says_so(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, limits={"reask": 1, "concurrency": 1}))
    seen: Counter[str] = Counter()

    def second(request: Request) -> str:
        asked = "".join(message.text for message in request.messages)
        seen[asked] += 1
        return "hm" if seen[asked] in {1, 3} else '{"value": 2}'  # of two replicates each, one after the other

    model = Scripted(second)
    tally = desk.collect(model).tally
    assert (tally.rated, tally.attempts) == (20, 40)
    assert len({request.seed for request in model.requests}) == 40
    with desk.open() as store:
        attempts = store.attempts()
    assert attempts["state"].value_counts().sort("state")["count"].to_list() == [20, 20]
    assert attempts["number"].max() == 2


def test_a_call_that_fails_is_tried_as_often_as_the_study_says_and_leaves_no_rating(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, limits={"attempts": 3}))

    def never(_: Request) -> str:
        raise fails(reason="timeout")

    tally = desk.collect(Scripted(never)).tally
    assert (tally.done, tally.attempts, dict(tally.failed)) == (0, 60, {"timeout": 60})
    with desk.open() as store:
        assert set(store.ratings().frame["missing"]) == {"timeout"}
    assert desk.collect(Scripted(four)).tally.rated == 20
    with desk.open() as store:
        assert store.ratings().n_missing == 0
        assert store.attempts()["number"].max() == 4


def test_a_storm_of_failures_ends_complete_with_the_right_reasons(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, n_targets=60, limits={"attempts": 20, "concurrency": 16}))
    rng = np.random.default_rng(1)
    answers = {"unparsed": "hm", "off-scale": '{"value": 7}', "refused": "I'm sorry, I can't.", "ok": '{"value": 3}'}
    given: Counter[str] = Counter()

    def storm(_: Request) -> str:
        if rng.random() < 0.5:
            raise [
                fails(throttled=True, status=429, retry_after=0.0),
                fails(status=500),
                fails("reset"),
                fails(reason="timeout"),
                fails("truncated", received='{"cho'),
            ][rng.integers(5)]
        kind = str(rng.choice(list(answers)))
        given[kind] += 1
        return answers[kind]

    outcome = desk.collect(Scripted(storm))
    assert outcome.state == "done"
    assert outcome.tally.lacking == 0
    assert outcome.tally.rated == given["ok"]
    assert dict(outcome.tally.missing) == {reason: n for reason, n in given.items() if reason != "ok"}
    with desk.open() as store:
        (counts,) = store.counts()
    assert counts.with_value == given["ok"]
    assert sum(counts.missing.values()) == 240 - given["ok"]


def test_a_wrong_key_stops_its_rater_at_once_and_no_other(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, n_targets=50, raters=[RATER, {**RATER, "name": "n"}], limits={"concurrency": 2}))

    def refused(_: Request) -> str:
        raise fails("the key was refused", retriable=False, status=401)

    wrong, right = Scripted(refused), Scripted(four)
    outcome = desk.collect({"m": wrong, "n": right})
    assert outcome.stopped == {"m": "the key was refused"}
    assert outcome.state == "stopped"
    assert len(wrong.requests) <= 2
    assert outcome.tally.rated == 200


def test_an_endpoint_that_only_fails_is_left_after_a_while(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, n_targets=200, limits={"attempts": 1, "concurrency": 1}))

    def down(_: Request) -> str:
        raise fails("cannot be reached")

    outcome = desk.collect(Scripted(down))
    assert outcome.tally.attempts == IN_A_ROW
    assert "cannot be reached" in outcome.stopped["m"]


def test_a_failure_that_cannot_pass_is_not_tried_again(desk: Desk) -> None:
    def too_long(_: Request) -> str:
        raise fails("the prompt does not fit", retriable=False, status=400)

    assert desk.collect(Scripted(too_long)).tally.attempts == 20


def test_spending_stays_within_the_budget_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, budget={"tokens": 2000}, raters=[{**RATER, "max_tokens": 100}]))
    outcome = desk.collect(Scripted(four))
    assert outcome.budget_spent
    assert outcome.state == "budget spent"
    assert 0 < outcome.tally.rated < 20
    with desk.open() as store:
        spent = store.spent()
    assert spent.input_tokens + spent.output_tokens <= 2000
    write_study(desk.root, budget={"tokens": 100_000}, raters=[{**RATER, "max_tokens": 100}])
    assert desk.collect(Scripted(four)).tally.lacking == 0


def test_money_is_counted_by_the_price_of_the_rater(tmp_path: Path) -> None:
    rater = {**RATER, "price": {"input": 10.0, "output": 100.0}}
    desk = Desk(write_study(tmp_path, raters=[rater], budget={"cost": 1.0}))
    assert desk.collect(Scripted(four)).tally.cost == pytest.approx(20 * (100 * 10 + 5 * 100) / 1e6)


def test_a_cap_in_money_needs_a_price(tmp_path: Path) -> None:
    elsewhere = {**RATER, "endpoint": "http://models.example/v1"}
    desk = Desk(write_study(tmp_path, raters=[elsewhere], budget={"cost": 1.0}))
    with pytest.raises(StudyError, match="price of rater 'm' is not known"):
        desk.collect(Scripted(four))


def test_tokens_that_the_endpoint_does_not_count_are_unknown_and_not_zero(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, raters=[{**RATER, "price": {"input": 1.0, "output": 1.0}}]))
    uncounted = Scripted(lambda _: completion('{"value": 4}', input_tokens=None, output_tokens=None))
    desk.collect(uncounted)
    with desk.open() as store:
        assert store.spent().calls_of_unknown_tokens == 20
        assert store.attempts()["input_tokens"].null_count() == 20


def test_an_interrupted_collection_keeps_what_was_answered_and_goes_on_later(tmp_path: Path) -> None:
    desk, model = Desk(write_study(tmp_path, limits={"concurrency": 2})), Scripted(four)

    def stop_after_five(collection: Collection) -> None:
        def answer(request: Request) -> str:
            if len(model.requests) >= 5:
                collection.stop()
            return four(request)

        model.answer = answer

    outcome = desk.collect(model, watch=stop_after_five)
    assert outcome.state == "interrupted"
    assert 5 <= outcome.tally.rated < 20
    assert desk.collect(Scripted(four)).tally.rated == 20 - outcome.tally.rated


def test_what_the_tally_counts_is_in_the_database(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[tuple[int, int]] = []
    add = Tally.add

    def look(tally: Tally, items: Sequence[Item]) -> None:
        add(tally, items)
        with sqlite3.connect(desk.root / "study.db") as connection:
            counted.append((tally.rated, connection.execute("SELECT count(*) FROM ratings").fetchone()[0]))

    monkeypatch.setattr(Tally, "add", look)
    desk.collect(Scripted(four))
    assert counted[-1] == (20, 20)
    assert all(told == there for told, there in counted)


def test_a_database_that_fails_ends_the_collection_with_its_error(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> list[Item]:
        msg = "the database is full; make room"
        raise StoreError(msg)

    monkeypatch.setattr("dialgauge.io.store.Store.record", full)
    with pytest.raises(StoreError, match="full"):
        desk.collect(Scripted(four))


def test_what_a_run_keeps_of_its_study_has_no_password(desk: Desk) -> None:
    folder = desk.folder
    url = "postgresql://me:hunter2@host/name"
    folder = replace(folder, study=folder.study.model_copy(update={"store": url}))
    with desk.open() as store:
        register_study(folder, store)
        asyncio.run(Collection(folder, store, shares_of(folder), Tally(), opener=lambda *_: Scripted(four)).run())
        (config,) = store.runs()["config"]
    assert "hunter2" not in config
    assert json.loads(config)["store"].endswith("://me:***@host/name")


def test_several_dimensions_come_out_of_one_call_each_with_its_own_state(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, prompt={"dimensions_per_call": "all"}))
    model = Scripted(lambda _: '{"trust": 2, "ease": 8}')
    tally = desk.collect(model).tally
    assert (len(model.requests), tally.rated, tally.missing) == (10, 10, {"off-scale": 10})
    with desk.open() as store:
        assert set(store.attempts()["state"]) == {"partial"}


def test_expected_scores_keep_the_mass_on_the_scale(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path, raters=[{**RATER, "scoring": "expected"}], replicates=1))
    top = (("2", float(np.log(0.3))), ("4", float(np.log(0.5))), ("so", float(np.log(0.2))))

    def sure(request: Request) -> Completion:
        assert (request.top_logprobs, request.schema, request.max_tokens) == (20, None, 4)
        return completion("4", tokens=(Token("4", top[1][1], top),))

    desk.collect(Scripted(sure))
    with desk.open() as store:
        details = store.rating_details()
        ratings = store.ratings()
    assert details["mass"].to_list() == pytest.approx([0.8] * 10)
    assert details["value"].to_list() == pytest.approx([3.25] * 10)
    assert bool(details["expected"].all())
    assert bool(ratings.scale_for("trust").contains(np.array([3.25]))[0])


def test_a_code_rater_is_asked_once_and_what_cannot_be_measured_is_not_applicable(tmp_path: Path) -> None:
    code = {"name": "words", "kind": "code", "measures": ["turns", "response_latency"]}
    desk = Desk(write_study(tmp_path, raters=[code]))
    tally = desk.collect({}).tally
    assert (tally.rated, tally.missing) == (5, {"not-applicable": 5})
    with desk.open() as store:
        frame = store.ratings().frame
    assert frame.filter(pl.col("dimension") == "turns")["value"].to_list() == [2.0] * 5


def test_a_function_of_the_users_own_that_raises_is_a_failed_attempt_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "own_rater.py").write_text(
        "def rate(dialogue, dimension):\n    return 1 / 0 if dialogue.id == 'd0' else 3\n",
        encoding="utf-8",
    )
    code = {"name": "own", "kind": "code", "function": "own_rater:rate"}
    desk = Desk(write_study(tmp_path, raters=[code]))
    outcome = desk.collect({})
    assert (outcome.tally.rated, dict(outcome.tally.failed)) == (8, {"error": 1})
    with desk.open() as store:
        errors = store.attempts().filter(pl.col("state") == "error")["error"].to_list()
    assert errors == ["ZeroDivisionError: division by zero"]
