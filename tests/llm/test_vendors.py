"""The adapter of vendors' models, with pydantic-ai's own stand-ins. The vendors' services themselves are not called."""

import asyncio
import json
import sys
from typing import Any

import pytest

from dialgauge.errors import ModelError
from dialgauge.llm import Audio, CallFailedError, Completion, Message, Request
from dialgauge.llm.vendors import VendorModel

pytest.importorskip("pydantic_ai", reason="vendors' models need the extra: pip install 'dialgauge[models]'")

from pydantic_ai import exceptions
from pydantic_ai.messages import BinaryContent, ModelMessage, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import Model as AnyModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RequestUsage

SCHEMA = {"type": "object", "properties": {"value": {"type": "integer"}}, "required": ["value"]}
SYSTEM, USER = Message("system", ("Rate.",)), Message("user", ("How good?",))


def ask(model: AnyModel, request: Request, *, timeout: float = 10.0) -> Completion:
    async def run() -> Completion:
        vendor = VendorModel(model, timeout=timeout)
        try:
            return await vendor.complete(request)
        finally:
            await vendor.close()

    return asyncio.run(run())


def fail(model: AnyModel, request: Request | None = None, *, timeout: float = 10.0) -> CallFailedError:
    with pytest.raises(CallFailedError) as caught:
        ask(model, request or Request(messages=(USER,)), timeout=timeout)
    assert "\n" not in str(caught.value)
    return caught.value


def raising(error: BaseException) -> FunctionModel:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise error

    return FunctionModel(answer, model_name="m")


def test_messages_settings_and_schema_reach_the_model_and_its_answer_comes_back() -> None:
    seen: dict[str, Any] = {}

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.update(messages=messages, settings=info.model_settings, form=info.model_request_parameters)
        usage = RequestUsage(input_tokens=11, output_tokens=3)
        return ModelResponse(parts=[TextPart('{"value": 4}')], usage=usage, finish_reason="stop")

    request = Request(
        messages=(SYSTEM, Message("user", ("Listen.", Audio(b"RIFF"))), Message("assistant", ("Well.",)), USER),
        temperature=0.5,
        top_p=0.9,
        seed=3,
        max_tokens=20,
        schema=SCHEMA,
    )
    found = ask(FunctionModel(answer, model_name="m"), request)
    assert (found.text, found.model, found.finish_reason) == ('{"value": 4}', "m", "stop")
    assert (found.input_tokens, found.output_tokens) == (11, 3)
    assert json.loads(found.sent)["seed"] == 3
    assert '{\\"value\\": 4}' in found.received
    wanted = {"temperature": 0.5, "top_p": 0.9, "seed": 3, "max_tokens": 20}
    assert wanted.items() <= dict(seen["settings"]).items()
    assert seen["form"].output_mode == "native"
    assert seen["form"].output_object.json_schema == SCHEMA
    kinds = [[part.part_kind for part in message.parts] for message in seen["messages"]]
    assert kinds == [["system-prompt"], ["user-prompt"], ["text"], ["user-prompt"]]
    heard = seen["messages"][1].parts[0]
    assert isinstance(heard, UserPromptPart)
    assert heard.content[0] == "Listen."
    assert isinstance(heard.content[1], BinaryContent)
    assert (heard.content[1].data, heard.content[1].media_type) == (b"RIFF", "audio/wav")


def test_the_stand_in_of_pydantic_ai_answers() -> None:
    found = ask(TestModel(custom_output_text="4"), Request(messages=(USER,)))
    assert (found.text, found.model) == ("4", "test")
    assert found.input_tokens is not None
    assert repr(VendorModel(TestModel())) == "VendorModel('test')"


@pytest.mark.parametrize(
    ("status", "retriable", "throttled"),
    [(429, True, True), (503, True, True), (500, True, False), (401, False, False), (400, False, False)],
)
def test_a_status_means_what_it_means_elsewhere(status: int, *, retriable: bool, throttled: bool) -> None:
    body = {"error": {"message": "The vendor's own sentence."}}
    failure = fail(raising(exceptions.ModelHTTPError(status, "m", body, headers={"Retry-After": "9"})))
    assert (failure.retriable, failure.throttled, failure.status) == (retriable, throttled, status)
    assert failure.retry_after == (9.0 if throttled else None)
    assert "The vendor's own sentence." in str(failure)


def test_a_broken_connection_and_an_odd_answer_may_pass() -> None:
    assert fail(raising(exceptions.ModelAPIError("m", "Connection error."))).retriable
    assert fail(raising(exceptions.UnexpectedModelBehavior("odd"))).retriable


def test_the_time_limit_holds() -> None:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(30)
        raise AssertionError

    failure = fail(FunctionModel(answer), timeout=0.1)
    assert failure.reason == "timeout"
    assert failure.seconds < 5.0


def test_what_a_model_would_leave_out_without_a_word_is_refused() -> None:
    class Seedless(TestModel):
        unsupported_settings = frozenset({"seed", "max_retries"})

    failure = fail(Seedless(), Request(messages=(USER,), seed=1))
    assert not failure.retriable
    assert "takes no seed; set `send_seed = false` in study.toml" in str(failure)
    assert ask(Seedless(custom_output_text="4"), Request(messages=(USER,))).text == "4"


def test_log_probabilities_and_schemas_that_cannot_be_had_are_refused() -> None:
    failure = fail(TestModel(), Request(messages=(USER,), top_logprobs=5))
    assert not failure.retriable
    assert 'scoring = "sampled"' in str(failure)
    formless = TestModel(profile={"supports_json_schema_output": False})
    assert not fail(formless, Request(messages=(USER,), schema=SCHEMA)).retriable


@pytest.mark.parametrize("name", ["nobody:nothing", "no-such-model"])
def test_an_unknown_name_is_refused_at_once(name: str) -> None:
    with pytest.raises(ModelError, match=f"{name!r} cannot be used"):
        VendorModel(name)


def test_a_missing_key_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ModelError, match="ANTHROPIC_API_KEY"):
        VendorModel("anthropic:claude-sonnet-4-5")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    for name in [name for name in sys.modules if name.startswith("pydantic_ai.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ModelError, match=r"pip install 'dialgauge\[models\]'"):
        VendorModel("test")
