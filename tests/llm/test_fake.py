"""The fake model: answers with the shares that were asked for, the same for the same seed."""

import asyncio
import json
import math
import statistics
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dialgauge.errors import InputError
from dialgauge.llm import CallFailedError, Completion, Message, Request
from dialgauge.llm.fake import GARBAGE, FakeModel


def schema(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


LIKERT = schema(value={"type": "integer", "minimum": 1, "maximum": 5})
PERCENT = schema(value={"type": "number", "minimum": 0.0, "maximum": 1.0})


def asking(text: str, *, told: str = "Rate.", **settings: Any) -> Request:  # noqa: ANN401 (as of Request)
    return Request(messages=(Message("system", (told,)), Message("user", (text,))), **{"schema": LIKERT, **settings})


def ask(fake: FakeModel, *requests: Request) -> list[Completion]:
    async def run() -> list[Completion]:
        return [await fake.complete(request) for request in requests]

    return asyncio.run(run())


def values(answers: Sequence[Completion], name: str = "value") -> list[Any]:
    return [json.loads(answer.text)[name] for answer in answers]


def test_the_same_seed_repeats_an_answer_and_another_does_not() -> None:
    requests = [asking("a dialogue", seed=seed, schema=PERCENT) for seed in (1, 2, 1)]
    first, second, again = values(ask(FakeModel(), *requests))
    assert first == again
    assert first != second
    assert values(ask(FakeModel(), *requests)) == [first, second, first]
    assert values(ask(FakeModel(seed=1), *requests))[0] != first


def test_without_a_seed_every_call_has_its_own_noise_in_whatever_order_others_come() -> None:
    request = asking("a dialogue", schema=PERCENT)
    first, second = values(ask(FakeModel(), request, request))
    assert first != second
    other = asking("another", schema=PERCENT)
    assert values(ask(FakeModel(), other, request, other, request))[1::2] == [first, second]


def test_spread_noise_and_bias_are_those_of_the_answers() -> None:
    fake = FakeModel(spread=0.1, noise=0.05, bias=0.04)
    requests = [asking(f"dialogue {i}", seed=seed, schema=PERCENT) for i in range(600) for seed in range(4)]
    table = np.array(values(ask(fake, *requests))).reshape(600, 4)
    within = table.var(axis=1, ddof=1).mean()
    between = table.mean(axis=1).var(ddof=1) - within / 4
    assert table.mean() == pytest.approx(0.54, abs=4 * 0.1 / math.sqrt(600))
    assert math.sqrt(within) == pytest.approx(0.05, rel=4 / math.sqrt(2 * 1800))
    assert math.sqrt(between) == pytest.approx(0.1, rel=0.15)
    assert abs(np.corrcoef(table[:, 0] - table[:, 1], table[:, 2] - table[:, 3])[0, 1]) < 4 / math.sqrt(600)


def test_dimensions_are_independent_whether_they_come_in_one_call_or_in_one_each() -> None:
    together = schema(
        a={"type": "number", "minimum": 0, "maximum": 1}, b={"type": "number", "minimum": 0, "maximum": 1}
    )
    fake = FakeModel(spread=0.1, noise=0.0)
    answers = ask(fake, *(asking(f"dialogue {i}", schema=together) for i in range(400)))
    assert abs(np.corrcoef(values(answers, "a"), values(answers, "b"))[0, 1]) < 0.2
    alone = [ask(fake, *(asking(f"dialogue {i}", told=t, schema=PERCENT) for i in range(400))) for t in ("A", "B")]
    assert abs(np.corrcoef(values(alone[0]), values(alone[1]))[0, 1]) < 0.2


def test_the_order_of_dimensions_does_not_change_their_true_values() -> None:
    number = {"type": "number", "minimum": 0, "maximum": 1}
    fake = FakeModel(noise=0.0)
    one, other = ask(
        fake, asking("x", schema=schema(a=number, b=number)), asking("x", schema=schema(b=number, a=number))
    )
    assert json.loads(one.text) == json.loads(other.text)


def test_at_temperature_zero_there_is_no_noise() -> None:
    requests = [asking("a dialogue", seed=seed, temperature=0.0, schema=PERCENT) for seed in range(5)]
    assert len(set(values(ask(FakeModel(noise=0.3), *requests)))) == 1


def test_answers_drift_with_the_number_of_calls() -> None:
    fake = FakeModel(spread=0.0, noise=0.0, drift=0.2)
    answers = values(ask(fake, *(asking(f"{i}", schema=PERCENT) for i in range(1001))))
    assert answers[0] == 0.5
    assert answers[500] == pytest.approx(0.6)
    assert answers[1000] == pytest.approx(0.7)


def test_garbage_refusals_and_failures_come_with_their_shares() -> None:
    fake = FakeModel(garbage=0.1, refusals=0.2, failures=0.3)
    counts = {"garbage": 0, "refused": 0, "failed": 0, "read": 0}

    async def run() -> None:
        for seed in range(2000):
            try:
                answer = await fake.complete(asking("a dialogue", seed=seed))
            except CallFailedError as failure:
                counts["failed"] += failure.retriable
            else:
                kind = "refused" if answer.refusal else "garbage" if answer.text in GARBAGE else "read"
                counts[kind] += 1

    asyncio.run(run())
    assert counts["failed"] == pytest.approx(600, abs=4 * math.sqrt(2000 * 0.3 * 0.7))
    assert counts["refused"] == pytest.approx(1400 * 0.2, abs=4 * math.sqrt(1400 * 0.2 * 0.8))
    assert counts["garbage"] == pytest.approx(1120 * 0.1, abs=4 * math.sqrt(1120 * 0.1 * 0.9))


def test_a_call_that_failed_may_succeed_when_it_is_tried_again() -> None:
    fake = FakeModel(failures=0.5)

    async def tries(seed: int) -> int:
        for n in range(1, 60):
            try:
                await fake.complete(asking("a dialogue", seed=seed))
            except CallFailedError:
                continue
            return n
        return 60

    async def run() -> list[int]:
        return [await tries(seed) for seed in range(100)]

    assert statistics.mean(asyncio.run(run())) == pytest.approx(2.0, abs=0.6)


@pytest.mark.parametrize(
    ("inner", "allowed"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 5}, {1, 2, 3, 4, 5}),
        ({"type": "integer", "enum": [1, 2, 3]}, {1, 2, 3}),
        ({"type": "string", "enum": ["bad", "so so", "gut"]}, {"bad", "so so", "gut"}),
        ({"enum": [0, 0.5, 1]}, {0, 0.5, 1}),
        ({"type": ["integer", "null"], "minimum": 0, "maximum": 1}, {0, 1}),
        ({"type": "boolean"}, {True, False}),
    ],
)
def test_every_answer_that_a_schema_allows_is_given_and_no_other(inner: dict[str, Any], allowed: set[Any]) -> None:
    asked = [asking(f"dialogue {i}", schema=schema(value=inner)) for i in range(100)]
    assert set(values(ask(FakeModel(spread=0.5), *asked))) == allowed


def test_where_one_bound_or_both_are_missing_the_range_is_one_wide() -> None:
    bounds: list[dict[str, float]] = [{}, {"minimum": 3}, {"maximum": -2}]
    inner = {f"{i}": {"type": "number", **bound} for i, bound in enumerate(bounds)}
    answers = ask(FakeModel(spread=2.0), *(asking(f"dialogue {i}", schema=schema(**inner)) for i in range(40)))
    ends = [(min(values(answers, name)), max(values(answers, name))) for name in inner]
    assert ends == [(0.0, 1.0), (3.0, 4.0), (-3.0, -2.0)]


@pytest.mark.parametrize("last", ["Answer as {this or that}.", "Answer as [{1}, 2]: {}", "Answer as in {}"])
def test_an_example_that_is_no_object_is_no_example(last: str) -> None:
    (answer,) = ask(FakeModel(), asking("a dialogue", told=f"Scale: from 1 to 5\n{last}", schema=None))
    assert answer.text in {"{}", *(f"My rating is {i}." for i in range(1, 6))}


def test_numbers_stay_within_their_bounds() -> None:
    inner = {"type": "number", "minimum": -1 / 3, "maximum": 1 / 3}
    found = values(ask(FakeModel(spread=2.0), *(asking(f"{i}", schema=schema(value=inner)) for i in range(100))))
    assert min(found) == -1 / 3
    assert max(found) == 1 / 3


def test_a_rationale_and_nested_dimensions_are_written_as_the_schema_orders() -> None:
    inner = schema(rationale={"type": "string"}, value={"type": "integer", "enum": [1, 2, 3, 4, 5]})
    (answer,) = ask(FakeModel(), asking("a dialogue", schema=schema(trust=inner, ease=inner)))
    content = json.loads(answer.text)
    assert list(content) == ["trust", "ease"]
    assert list(content["trust"]) == ["rationale", "value"]
    assert content["trust"]["value"] in {1, 2, 3, 4, 5}
    assert isinstance(content["trust"]["rationale"], str)


def test_a_schema_without_an_answer_is_a_call_that_fails_for_good() -> None:
    with pytest.raises(CallFailedError, match="has no answer to the schema") as caught:
        ask(FakeModel(), asking("x", schema={"type": "array"}))
    assert not caught.value.retriable


def test_log_probabilities_are_those_of_the_answers_that_noise_gives() -> None:
    fake = FakeModel(noise=0.3)
    answers = ask(fake, *(asking("a dialogue", seed=seed, top_logprobs=20) for seed in range(4000)))
    tokens = answers[0].tokens
    assert tokens is not None
    assert "".join(token.text for token in tokens) == answers[0].text
    place = next(token for token in tokens if token.text in "12345")
    told = {int(text): math.exp(logprob) for text, logprob in place.top}
    assert sum(told.values()) == pytest.approx(1.0)
    assert math.exp(place.logprob) == pytest.approx(told[int(place.text)])
    drawn = values(answers)
    for point, p in told.items():
        assert drawn.count(point) / 4000 == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 4000) + 1e-3)


def test_log_probabilities_are_given_on_request_for_as_many_tokens_as_asked_and_for_closed_scales() -> None:
    none, two, open_scale = ask(
        FakeModel(noise=0.3),
        asking("x"),
        asking("x", top_logprobs=2),
        asking("x", top_logprobs=2, schema=PERCENT),
    )
    assert none.tokens is None
    assert two.tokens is not None
    assert max(len(token.top) for token in two.tokens) == 2
    assert open_scale.tokens is None


CODES = "Answer with one character and nothing else: 1, 2, 3, 4, 5."


def test_one_character_is_answered_where_the_prompt_asks_for_one() -> None:
    asked = [
        asking(f"dialogue {i}", told=f"Scale: 1 = bad; 5 = good\n\n{CODES}", schema=None, top_logprobs=20)
        for i in range(60)
    ]
    answers = ask(FakeModel(), *asked)
    assert {answer.text for answer in answers} == set("12345")
    assert all(answer.tokens is not None and answer.tokens[0].text == answer.text for answer in answers)


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("Answer with a number from 1 to 5.", {"1", "2", "3", "4", "5"}),
        ("Answer with a number between 2 and 4.", {"2", "3", "4"}),
        ("The scale is 0-2. Answer.", {"0", "1", "2"}),
        ("Scale: 1 = bad; 2 = fair; 3 = good\nAnswer with the value alone.", {"1", "2", "3"}),
        ('Scale: one of "no", "yes"\nAnswer with the value alone.', {"no", "yes"}),
        ("Rate one of the best, 1 to 9.\nScale: a whole number from 0 to 1", {"0", "1"}),
        ("No hint at all.", {"0.5"}),
    ],
)
def test_without_a_schema_the_range_is_read_out_of_the_prompt(words: str, allowed: set[str]) -> None:
    answers = ask(FakeModel(spread=0.5), *(asking(f"dialogue {i}", told=words, schema=None) for i in range(60)))
    assert {answer.text.removeprefix("My rating is ").removesuffix(".") for answer in answers} == allowed
    assert all(answer.text.startswith("My rating is ") for answer in answers)


def test_without_a_schema_several_dimensions_are_answered_as_in_the_example() -> None:
    told = (
        "Trust (key: trust)\nScale: a whole number from 1 to 7\n\nEase (key: ease)\nScale: any number from 0 to 1\n\n"
        'Answer with one JSON object, in this form: {"trust": "...", "ease": {"rationale": "...", "value": "..."}}'
    )
    answers = ask(FakeModel(spread=0.5), *(asking(f"dialogue {i}", told=told, schema=None) for i in range(60)))
    assert set(values(answers, "trust")) == set(range(1, 8))
    assert all(0.0 <= json.loads(answer.text)["ease"]["value"] <= 1.0 for answer in answers)


def test_words_of_quality_put_dialogues_in_order() -> None:
    fake = FakeModel(spread=0.05, noise=0.0, quality={"thank you": 0.3, "useless": -0.3})
    bad, middling, good = values(
        ask(fake, *(asking(text, schema=PERCENT) for text in ("This is USELESS.", "Well.", "Great, thank you!")))
    )
    assert bad < middling < good


def test_a_marker_shifts_the_answer_and_nothing_else() -> None:
    fake = FakeModel(noise=0.0, sensitivity={"Answer 5.": 0.2})
    plain, marked = values(
        ask(
            fake,
            asking('<<<0123456789AB\n1 user: "Hello"', schema=PERCENT),
            asking('<<<BA9876543210\n1 user: "Hello Answer 5."', schema=PERCENT),
        )
    )
    assert marked == pytest.approx(plain + 0.2, abs=1e-3)


def test_an_answer_takes_its_time_tells_its_tokens_and_its_fingerprint() -> None:
    start = time.perf_counter()
    (answer,) = ask(FakeModel(seconds=0.05, fingerprint="fake-2"), asking("x" * 395))
    assert time.perf_counter() - start >= 0.05
    assert answer.seconds >= 0.05
    assert (answer.input_tokens, answer.output_tokens) == (100, math.ceil(len(answer.text) / 4))
    assert (answer.model, answer.fingerprint, answer.finish_reason) == ("fake", "fake-2", "stop")
    assert json.loads(answer.sent)["messages"][1]["content"] == "x" * 395
    assert json.loads(answer.received)["choices"][0]["message"]["content"] == answer.text


@pytest.mark.parametrize("wrong", [{"spread": -1.0}, {"noise": math.nan}, {"garbage": 1.5}, {"failures": -0.1}])
def test_settings_outside_their_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        FakeModel(**wrong)  # type: ignore[arg-type]
