"""One seam for every language model: a request goes in, a completion comes out, or a typed failure.

A `Model` has a single asynchronous method. What comes back holds the exchange as it was sent and received, so that a
caller can record it whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from dialgauge.errors import DialgaugeError

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Audio:
    """A part of a message that is heard: the bytes of a .wav file."""

    wav: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """What one side says; its parts are texts and audio, in order."""

    role: Role
    parts: tuple[str | Audio, ...]

    @property
    def text(self) -> str:
        """The texts of the message, one after the other."""
        return "\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a model.

    ``schema`` is a JSON schema that the answer must follow; ``top_logprobs`` asks for that many most likely tokens at
    each place of the answer (0: none). None leaves a setting to the endpoint.
    """

    messages: tuple[Message, ...]
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    top_logprobs: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an answer, the logarithm of its probability, and the most likely tokens at its place."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered.

    ``text`` is the completion alone, never the prompt. ``refusal`` is the sentence in which the endpoint itself said
    that the model declined. ``tokens`` are there where log-probabilities were asked for and given. ``sent`` and
    ``received`` are the raw bodies (for a model inside the process: what would have been), ``seconds`` the time
    between.
    """

    text: str
    sent: str
    received: str
    seconds: float
    finish_reason: str | None = None
    refusal: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens: tuple[Token, ...] | None = None
    status: int | None = None


class CallFailedError(DialgaugeError):
    """A call that brought no completion.

    ``reason`` is "timeout" or "error"; ``retriable`` tells whether the same call may succeed later; ``throttled`` that
    the endpoint asked for less (429, 503), ``retry_after`` how many seconds it asked to wait. ``sent``, ``received``,
    ``status``, ``seconds`` and the tokens are as in a completion, None where there is nothing. ``billable`` tells that
    the endpoint may have worked on the call, and may charge for it: it was sent, and not plainly refused.
    """

    def __init__(  # noqa: PLR0913 (a record of one exchange)
        self,
        message: str,
        *,
        sent: str,
        seconds: float,
        reason: Literal["error", "timeout"] = "error",
        retriable: bool = True,
        throttled: bool = False,
        retry_after: float | None = None,
        received: str | None = None,
        status: int | None = None,
        billable: bool = False,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> None:
        super().__init__(message)
        self.sent = sent
        self.seconds = seconds
        self.reason = reason
        self.retriable = retriable
        self.throttled = throttled
        self.retry_after = retry_after
        self.received = received
        self.status = status
        self.billable = billable
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens


class Model(Protocol):
    """A language model, wherever it runs."""

    async def complete(self, request: Request) -> Completion:
        """Return the answer to ``request``; raise CallFailedError where there is none."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...
