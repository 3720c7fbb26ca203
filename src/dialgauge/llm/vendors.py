"""Models of vendors that do not speak the OpenAI-compatible interface, through the extra ``models`` (pydantic-ai)."""

import asyncio
import importlib
import json
import time
from types import ModuleType
from typing import Any

from dialgauge.errors import ModelError, how_to_install
from dialgauge.llm.failures import SETTINGS, is_refusal, judge_status, tell
from dialgauge.llm.protocol import Audio, CallFailedError, Completion, Message, Request
from dialgauge.llm.wire import write_body


class VendorModel:
    """A `Model` of pydantic-ai.

    pydantic-ai does not show the body that it sends to the vendor: ``sent`` holds the request as an OpenAI-compatible
    endpoint would have it, ``received`` is pydantic-ai's response as JSON. Log-probabilities cannot be had. A setting
    that pydantic-ai would leave out without a word is refused.
    """

    def __init__(self, model: Any, *, timeout: float = 60.0) -> None:  # noqa: ANN401 (a class of the extra)
        """Take a name such as ``anthropic:claude-sonnet-4-5``, or a model of pydantic-ai; ``timeout`` seconds a call.

        Raises ModelError where the extra is missing, the name is unknown or the vendor's key is not set.
        """
        self._ai = _import()
        try:
            self._model = self._ai.models.infer_model(model)
        except (self._ai.exceptions.UserError, ImportError, ValueError) as error:
            raise ModelError(f"the vendor's model {model!r} cannot be used: {tell(str(error))}") from None
        self.model = str(self._model.model_name)
        self._ignored: frozenset[str] = frozenset(getattr(self._model, "unsupported_settings", ()))
        self._timeout = timeout

    def __repr__(self) -> str:
        """Show the name, never a key."""
        return f"VendorModel({self.model!r})"

    async def complete(self, request: Request) -> Completion:
        """Return the answer to ``request``; raise CallFailedError where there is none."""
        call = _Call(self.model, write_body(request, self.model))
        settings = self._settings(request, call)
        messages = [_write_message(self._ai, message) for message in request.messages]
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._ai.direct.model_request(
                    self._model, messages, model_settings=settings, model_request_parameters=self._form(request)
                )
        except TimeoutError:
            raise call.fail(f"has not answered within {self._timeout:g} s", reason="timeout", billable=True) from None
        except self._ai.exceptions.ModelHTTPError as error:
            raise call.fail_by_status(error) from None
        except self._ai.exceptions.UserError as error:
            raise call.fail(f"cannot take the request: {tell(str(error))}", retriable=False) from None
        except self._ai.exceptions.AgentRunError as error:
            raise call.fail(f"brought no answer: {tell(str(error))}", billable=True) from None
        return self._read(response, call)

    async def close(self) -> None:
        """Do nothing: pydantic-ai keeps its connections for the whole process."""

    def _settings(self, request: Request, call: "_Call") -> dict[str, Any]:
        """Return the settings in pydantic-ai's words; its own retries are off, so that each attempt is seen."""
        if request.top_logprobs > 0:
            raise call.fail(f"gives no log-probabilities; {SETTINGS['logprobs'][1]} in study.toml", retriable=False)
        names = ("temperature", "top_p", "seed", "max_tokens")
        settings = {name: getattr(request, name) for name in names if getattr(request, name) is not None}
        for name in sorted(settings.keys() & self._ignored):
            raise call.fail(f"takes no {name}; {SETTINGS[name][1]} in study.toml", retriable=False)
        return settings if "max_retries" in self._ignored else {**settings, "max_retries": 0}

    def _form(self, request: Request) -> Any:  # noqa: ANN401 (a class of the extra)
        if request.schema is None:
            return self._ai.models.ModelRequestParameters()
        schema = self._ai.output.OutputObjectDefinition(json_schema=dict(request.schema), name="answer", strict=True)
        return self._ai.models.ModelRequestParameters(output_mode="native", output_object=schema)

    def _read(self, response: Any, call: "_Call") -> Completion:  # noqa: ANN401 (a class of the extra)
        text = "".join(part.content for part in response.parts if isinstance(part, self._ai.messages.TextPart))
        details = response.provider_details or {}
        refusal = details.get("refusal")
        return Completion(
            text=text,
            sent=call.sent,
            received=self._ai.messages.ModelMessagesTypeAdapter.dump_json([response]).decode(),
            seconds=call.seconds,
            finish_reason=response.finish_reason,
            refusal=refusal if isinstance(refusal, str) else None,
            model=response.model_name,
            input_tokens=response.usage.input_tokens if response.usage.has_values() else None,
            output_tokens=response.usage.output_tokens if response.usage.has_values() else None,
        )


class _Call:
    """One exchange while it goes on."""

    def __init__(self, model: str, sent: str) -> None:
        self.sent = sent
        self._model = model
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def fail(self, what: str, **known: Any) -> CallFailedError:  # noqa: ANN401 (as of CallFailedError)
        message = f"the vendor's model {self._model!r} {what}"
        return CallFailedError(message, sent=self.sent, seconds=self.seconds, **known)

    def fail_by_status(self, error: Any) -> CallFailedError:  # noqa: ANN401 (a class of the extra)
        body = error.body if isinstance(error.body, str) else json.dumps(error.body, default=str)
        verdict = judge_status(error.status_code, body, headers=error.headers or {}, fields=json.loads(self.sent))
        return self.fail(
            verdict.message,
            retriable=verdict.retriable,
            throttled=verdict.throttled,
            retry_after=verdict.retry_after,
            received=body,
            status=error.status_code,
            billable=not is_refusal(error.status_code),
        )


def _import() -> ModuleType:
    """Return pydantic-ai with the parts of it that are used here."""
    try:
        for part in ("direct", "exceptions", "messages", "models", "output"):
            importlib.import_module(f"pydantic_ai.{part}")
        return importlib.import_module("pydantic_ai")
    except ImportError as error:
        msg = f"vendors' models need an extra ({error}): {how_to_install('models')}"
        raise ModelError(msg) from None


def _write_message(ai: ModuleType, message: Message) -> Any:  # noqa: ANN401 (a class of the extra)
    if message.role == "assistant":
        return ai.messages.ModelResponse(parts=[ai.messages.TextPart(content=message.text)])
    if message.role == "system":
        return ai.messages.ModelRequest(parts=[ai.messages.SystemPromptPart(content=message.text)])
    content = [
        ai.messages.BinaryContent(part.wav, media_type="audio/wav") if isinstance(part, Audio) else part
        for part in message.parts
    ]
    return ai.messages.ModelRequest(parts=[ai.messages.UserPromptPart(content=content)])
