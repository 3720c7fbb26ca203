"""A small real model inside the process: what it answers is of its own, how it answers is ours."""

import asyncio
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dialgauge.errors import ModelError
from dialgauge.llm import Audio, CallFailedError, Completion, Message, Request
from dialgauge.llm.local import LocalModel
from dialgauge.llm.local_engine import Engine

SCALE = [1, 2, 3, 4, 5]
RATING = {
    "type": "object",
    "properties": {"value": {"type": "integer", "enum": SCALE}},
    "required": ["value"],
    "additionalProperties": False,
}
REASONED = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "maxLength": 10},
        "ratings": {
            "type": "object",
            "properties": {name: {"enum": [*SCALE, None]} for name in ("accuracy", "novelty")},
            "required": ["accuracy", "novelty"],
            "additionalProperties": False,
        },
    },
    "required": ["reason", "ratings"],
    "additionalProperties": False,
}
PROMPT = (
    Message("system", ("Rate how helpful the reply is, from 1 to 5, as JSON with the key value.",)),
    Message("user", ("A: Any comedies?", "B: Try Paddington 2, a warm comedy.")),
)


@pytest.fixture(scope="module")
def model(smollm2: Path) -> Iterator[LocalModel]:
    loaded = LocalModel("smollm2", context=1024)
    yield loaded
    asyncio.run(loaded.close())


def ask(
    model: LocalModel,
    messages: tuple[Message, ...] = PROMPT,
    **settings: Any,  # noqa: ANN401 (fields of a request)
) -> Completion:
    return asyncio.run(model.complete(Request(messages=messages, **settings)))


def value_token(answer: Completion) -> int:
    """Return the place of the token that holds the value."""
    assert answer.tokens is not None
    return next(i for i, token in enumerate(answer.tokens) if token.text in map(str, SCALE))


def test_twenty_of_twenty_answers_follow_the_schema(model: LocalModel) -> None:
    short = (Message("user", ("Rate the film, as JSON.",)),)
    for seed in range(10):
        answer = ask(model, short, schema=RATING, seed=seed, temperature=1.5, max_tokens=20)
        assert answer.finish_reason == "stop"
        assert json.loads(answer.text) in [{"value": value} for value in SCALE]
    for seed in range(10):
        answer = ask(model, short, schema=REASONED, seed=seed, temperature=1.5, max_tokens=120)
        read = json.loads(answer.text)
        assert list(read) == ["reason", "ratings"]
        assert len(read["reason"]) <= 10
        assert [read["ratings"][name] in [*SCALE, None] for name in ("accuracy", "novelty")] == [True, True]


def test_a_completion_holds_the_whole_exchange(model: LocalModel) -> None:
    answer = ask(model, temperature=0, seed=1, max_tokens=5)
    sent, received = json.loads(answer.sent), json.loads(answer.received)
    assert sent["messages"][0] == {"role": "system", "content": PROMPT[0].text}
    assert (sent["model"], sent["temperature"], sent["seed"], sent["max_tokens"]) == ("smollm2", 0, 1, 5)
    assert received["choices"][0]["message"]["content"] == answer.text
    assert (answer.model, answer.finish_reason, answer.output_tokens) == ("smollm2", "length", 5)
    assert answer.input_tokens is not None
    assert answer.input_tokens > 30
    assert answer.fingerprint is not None
    assert answer.fingerprint.endswith("sha256 b179c9523d0e")
    assert answer.tokens is None
    assert answer.seconds > 0


def test_the_same_seed_gives_the_same_answer_and_others_give_others(model: LocalModel) -> None:
    answers = [ask(model, temperature=1.0, seed=seed, max_tokens=15).text for seed in (3, 3, 3, 4, 2**40)]
    assert answers[0] == answers[1] == answers[2]
    assert len(set(answers)) == 3


def test_temperature_zero_takes_the_most_likely_token(model: LocalModel) -> None:
    answer = ask(model, temperature=0, max_tokens=8, top_logprobs=2)
    assert answer.tokens is not None
    assert all(token.text == token.top[0][0] for token in answer.tokens)
    assert "".join(token.text for token in answer.tokens) == answer.text


def test_the_probabilities_of_the_whole_vocabulary_sum_to_one(model: LocalModel) -> None:
    answer = ask(model, schema=RATING, temperature=0, max_tokens=2, top_logprobs=1_000_000)
    assert answer.tokens is not None
    for token in answer.tokens:
        assert len(token.top) == 49_152  # the tokens that the file knows
        assert math.fsum(math.exp(logprob) for _, logprob in token.top) == pytest.approx(1, abs=1e-3)


def test_log_probabilities_are_those_before_the_grammar_and_before_temperature(model: LocalModel) -> None:
    cold, hot = (
        ask(model, schema=RATING, temperature=temperature, seed=1, max_tokens=20, top_logprobs=500)
        for temperature in (0, 3)
    )
    free = ask(model, temperature=0, max_tokens=1, top_logprobs=500)
    assert cold.tokens is not None
    assert hot.tokens is not None
    assert free.tokens is not None
    assert dict(cold.tokens[0].top) == pytest.approx(dict(free.tokens[0].top))
    assert cold.tokens[0].top[0][0] != cold.tokens[0].text  # the schema forbids what the model likes best
    place = value_token(cold)
    assert dict(cold.tokens[place].top) == pytest.approx(dict(hot.tokens[place].top))


def test_the_mass_on_the_scale_is_less_than_one_and_the_value_is_its_likeliest(model: LocalModel) -> None:
    answer = ask(model, schema=RATING, temperature=0, max_tokens=20, top_logprobs=50)
    assert answer.tokens is not None
    token = answer.tokens[value_token(answer)]
    masses = {text: math.exp(logprob) for text, logprob in token.top if text in map(str, SCALE)}
    assert len(masses) == len(SCALE)
    assert 0.1 < sum(masses.values()) < 1
    assert max(masses, key=lambda text: masses[text]) == token.text
    assert masses[token.text] == pytest.approx(math.exp(token.logprob))


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"type": "string", "pattern": "("}])
def test_a_schema_that_cannot_be_held_is_refused_and_never_ignored(model: LocalModel, schema: dict[str, str]) -> None:
    with pytest.raises(CallFailedError, match="cannot hold answers to this JSON schema") as failed:
        ask(model, schema=schema, max_tokens=5)
    assert not failed.value.retriable


def test_an_answer_that_slipped_out_of_the_grammar_is_a_failure(
    model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread = '%llguidance {}\nstart: %json {"type": "objekt"}'  # llama.cpp ignores what it cannot read
    monkeypatch.setattr(Engine, "_find_grammar", lambda *_: unread)
    with pytest.raises(CallFailedError, match="let go of the grammar"):
        ask(model, (Message("user", ("Hi",)),), schema=RATING, temperature=0)


def test_the_parts_of_a_message_are_lines_of_the_prompt(model: LocalModel) -> None:
    parts = ask(model, temperature=0, max_tokens=3, top_logprobs=5)
    line = ask(model, (PROMPT[0], Message("user", (PROMPT[1].text,))), temperature=0, max_tokens=3, top_logprobs=5)
    assert (parts.tokens, parts.input_tokens) == (line.tokens, line.input_tokens)


def test_a_prompt_longer_than_the_context_says_how_long_it_is(model: LocalModel) -> None:
    with pytest.raises(CallFailedError, match=r"has 1,5\d\d tokens and the context of smollm2 holds 1,024") as failed:
        ask(model, (Message("user", ("word " * 1500,)),))
    assert (failed.value.retriable, failed.value.reason, failed.value.status) == (False, "error", 400)
    assert failed.value.received is not None
    assert json.loads(failed.value.received)["error"]["n_prompt_tokens"] > 1500


def test_audio_is_refused(model: LocalModel) -> None:
    with pytest.raises(CallFailedError, match="cannot hear"):
        ask(model, (Message("user", (Audio(b"RIFF"),)),))


def test_the_loop_goes_on_while_the_model_computes(model: LocalModel) -> None:
    async def count_ticks() -> tuple[int, float, float]:
        begin = time.perf_counter()
        task = asyncio.create_task(model.complete(Request(messages=PROMPT, seed=1, max_tokens=30)))
        ticks, longest = 0, 0.0
        while not task.done():
            start = time.perf_counter()
            await asyncio.sleep(0.005)
            ticks, longest = ticks + 1, max(longest, time.perf_counter() - start)
        await task
        return ticks, longest, time.perf_counter() - begin

    ticks, longest, total = asyncio.run(count_ticks())
    assert ticks > 10
    assert longest < total / 3


def test_a_call_that_is_given_up_stops_and_the_next_one_is_answered(
    model: LocalModel, heard: list[dict[str, Any]]
) -> None:
    async def give_up() -> Completion:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await model.complete(Request(messages=PROMPT, max_tokens=900))
        return await model.complete(Request(messages=PROMPT, seed=1, max_tokens=2))

    assert asyncio.run(give_up()).output_tokens == 2
    assert len(heard) < 800


def test_two_calls_in_parallel_are_both_answered_as_if_alone(smollm2: Path, model: LocalModel) -> None:
    async def ask_both() -> list[Completion]:
        double = LocalModel(smollm2, context=512, parallel=2)
        requests = [Request(messages=PROMPT, schema=RATING, temperature=0, max_tokens=20)] * 3
        try:
            return await asyncio.gather(*map(double.complete, requests))
        finally:
            await double.close()

    alone = ask(model, schema=RATING, temperature=0, max_tokens=20)
    answers = asyncio.run(ask_both())
    assert [answer.text for answer in answers] == [alone.text] * 3
    assert {answer.model for answer in answers} == {smollm2.stem}


def test_a_closed_model_answers_no_more_and_stops_what_it_was_answering(
    smollm2: Path, heard: list[dict[str, Any]]
) -> None:
    async def close_early() -> list[object]:
        model = LocalModel("smollm2", context=1024)
        tasks = [asyncio.create_task(model.complete(Request(messages=PROMPT, max_tokens=900))) for _ in range(2)]
        while len(heard) < 3:  # noqa: ASYNC110 (the list grows in another thread)
            await asyncio.sleep(0.01)
        await model.close()
        await model.close()
        results: list[object] = list(await asyncio.gather(*tasks, return_exceptions=True))
        with pytest.raises(CallFailedError, match="was closed before it answered"):
            await model.complete(Request(messages=PROMPT))
        return results

    results = asyncio.run(close_early())
    assert all(isinstance(result, CallFailedError) and not result.retriable for result in results)
    assert len(heard) < 800


def test_nothing_is_written_to_standard_output_or_error(smollm2: Path) -> None:
    code = """if True:
        import asyncio
        from dialgauge.llm import CallFailedError, Message, Request
        from dialgauge.llm.local import LocalModel
        async def main():
            model = LocalModel("smollm2", context=256)
            await model.complete(Request(messages=(Message("user", ("Hi",)),), max_tokens=2))
            for request in (Request(messages=(Message("user", ("word " * 500,)),)),
                            Request(messages=(Message("user", ("Hi",)),), schema={"type": "objekt"})):
                try:
                    await model.complete(request)
                except CallFailedError:
                    pass
            await model.close()
        asyncio.run(main())
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"hello")
    with pytest.raises(ModelError, match="does not hold weights in the GGUF format"):
        LocalModel(other)


def test_a_file_that_is_cut_off_is_refused_when_it_is_loaded(smollm2: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.gguf"
    with smollm2.open("rb") as file:
        short.write_bytes(file.read(5000))
    model = LocalModel(short)
    with pytest.raises(ModelError, match=r"llama.cpp cannot load .*short.gguf; see that the file is whole"):
        ask(model)
    asyncio.run(model.close())


@pytest.mark.parametrize("setting", ["threads", "context", "parallel"])
def test_a_setting_below_one_is_refused(tmp_path: Path, setting: str) -> None:
    with pytest.raises(ModelError, match=f"{setting}=0; give 1 or more"):
        LocalModel(tmp_path / "any.gguf", **{setting: 0})


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError, match=r"run: pip install 'dialgauge\[local\]'"):
        LocalModel(file)


def test_the_extra_is_imported_only_when_a_model_is_made() -> None:
    code = "import sys, dialgauge.llm.local, dialgauge.llm.serve; sys.exit('xllamacpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
