"""Whatever an endpoint sends is a completion or a failed call, and nothing else."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dialgauge.llm import CallFailedError, Completion, Message, Request
from dialgauge.llm.openai import OpenAICompatible

KEYS = ("choices", "message", "content", "refusal", "finish_reason", "logprobs", "top_logprobs", "token", "logprob")
MORE = (
    "usage",
    "prompt_tokens",
    "completion_tokens",
    "model",
    "system_fingerprint",
    "error",
    "text",
    "detail",
    "param",
)

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS + MORE), inner),
    max_leaves=12,
)


def given_key(name: str, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional={name: inner | ANY})


PAIR = st.fixed_dictionaries({}, optional={"token": st.text() | ANY, "logprob": st.floats() | ANY})
PLACE = st.builds(lambda pair, top: {**pair, "top_logprobs": top}, PAIR, st.lists(PAIR, max_size=2) | ANY)
CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "message": given_key("content", st.text() | st.lists(given_key("text", st.text()), max_size=2)) | ANY,
        "finish_reason": ANY,
        "logprobs": given_key("content", st.lists(PLACE, max_size=2)) | ANY,
    },
)
NEARLY = st.fixed_dictionaries({}, optional={"choices": st.lists(CHOICE, max_size=2) | ANY, "usage": ANY, "error": ANY})


def outcome(content: bytes, status: int = 200) -> Completion | CallFailedError:
    async def run() -> Completion:
        answer = httpx.MockTransport(lambda _: httpx.Response(status, content=content))
        async with httpx.AsyncClient(transport=answer) as client:
            model = OpenAICompatible("http://127.0.0.1/v1", "m", client=client)
            return await model.complete(Request(messages=(Message("user", ("Rate.",)),), top_logprobs=2))

    try:
        return asyncio.run(run())
    except CallFailedError as failure:
        return failure


@given(body=NEARLY | ANY)
@example(
    body={"choices": [{"message": {"content": "4"}, "logprobs": {"content": [{"token": "4", "logprob": 10**400}]}}]}
)
@example(body={"choices": [{"message": {"content": "\ud800"}}]})
def test_any_json_is_a_completion_or_a_failed_call(body: object) -> None:
    found = outcome(json.dumps(body).encode())
    assert isinstance(found, Completion | CallFailedError)
    if isinstance(found, Completion):
        found.text.encode()
        assert isinstance(found.received, str)


@given(content=st.binary(), status=st.sampled_from([200, 204, 301, 400, 401, 404, 422, 429, 500, 503, 599]))
def test_any_bytes_with_any_status_are_a_completion_or_a_failed_call(content: bytes, status: int) -> None:
    assert isinstance(outcome(content, status), Completion | CallFailedError)


@given(body=ANY, status=st.sampled_from([400, 401, 404, 422, 429, 500]))
def test_any_json_of_an_error_is_a_failed_call_in_one_line(body: object, status: int) -> None:
    found = outcome(json.dumps(body).encode(), status)
    assert isinstance(found, CallFailedError)
    assert str(found).isprintable()


def completed(choice: dict[str, Any], **body: object) -> Completion:
    found = outcome(json.dumps({"choices": [choice], **body}).encode())
    assert isinstance(found, Completion), found
    return found


def test_content_may_be_a_list_of_parts() -> None:
    parts = [{"type": "text", "text": "the rating "}, {"type": "text", "text": "is 4"}]
    assert completed({"message": {"content": parts}}).text == "the rating is 4"
    refusing = completed({"message": {"content": [{"type": "refusal", "refusal": "No."}]}})
    assert (refusing.text, refusing.refusal) == ("", "No.")


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "12"}, {"prompt_tokens": -1}, {"prompt_tokens": True}])
def test_counts_that_are_no_counts_are_unknown_and_not_zero(usage: object) -> None:
    answer = completed({"message": {"content": "4"}}, usage=usage)
    assert answer.input_tokens is None
    assert answer.output_tokens is None


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"message": {"content": [4]}}, "part that is no object"),
        ({"message": {"content": "4"}, "logprobs": {"content": 4}}, "log-probabilities are no list"),
        (
            {"message": {"content": "4"}, "logprobs": {"content": [{"token": "4", "logprob": 0, "top_logprobs": 4}]}},
            "most likely tokens of a place are no list",
        ),
        ({"message": {"content": "4"}, "logprobs": {"content": [{"token": 4, "logprob": 0}]}}, "its token no text"),
    ],
)
def test_a_completion_with_a_part_that_is_none_is_no_completion(choice: object, said: str) -> None:
    failure = outcome(json.dumps({"choices": [choice]}).encode())
    assert isinstance(failure, CallFailedError)
    assert failure.retriable
    assert said in str(failure)


def test_a_probability_of_zero_is_kept_and_a_number_that_is_none_refused() -> None:
    def choice(logprob: float) -> dict[str, Any]:
        return {"message": {"content": "4"}, "logprobs": {"content": [{"token": "4", "logprob": logprob}]}}

    tokens = completed(choice(float("-inf"))).tokens
    assert tokens is not None
    assert tokens[0].logprob == float("-inf")
    failure = outcome(json.dumps({"choices": [choice(float("nan"))]}).encode())
    assert isinstance(failure, CallFailedError)
    assert "log-probability is no number" in str(failure)
