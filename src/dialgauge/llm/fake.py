"""A model that is none: it answers at once, without a network, and the same for the same seed.

What it answers has known shares: true values that differ between texts, noise between replicates, a bias, a drift. So
a study can be tried out, and what is computed from its ratings checked, before a real model is paid.
"""

import asyncio
import hashlib
import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

from dialgauge.errors import InputError
from dialgauge.llm.fake_answers import Draw, Piece, write_answer
from dialgauge.llm.fake_forms import Continuous, Form, UnknownFormError, form_of_schema, form_of_text
from dialgauge.llm.protocol import CallFailedError, Completion, Request
from dialgauge.llm.wire import read_completion, write_body

GENERAL = frozenset({"", "value", "rating", "score", "answer"})
"""Names of properties that do not tell which dimension is meant: there the instructions tell."""

ALL = b""
"""Under which the calls of all requests are counted."""

REFUSAL = "I cannot rate this conversation."

GARBAGE = (
    "It depends on what one expects of such a conversation.",
    "",
    '{"value": ',
    "Somewhere between 2 and 4, or rather between low and high.",
)
"""Answers that name no value, and no single one."""

_CODE = re.compile(r"\b[0-9A-F]{12}\b")
_STANDARD = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeModel:
    """A `Model` whose answers have known properties; all numbers are on the range of the scale, 0 to 1.

    An answer is the true value, plus ``bias``, plus noise, plus ``drift`` for each 1,000 calls so far, cut to the range
    and carried over to the nearest value of the scale.

    The true value is normal around 0.5 with the standard deviation ``spread``. It belongs to the text of the last user
    message and to the dimension: the name of the property of the schema, or the instructions, where the property is
    just ``value``. Each word of ``quality`` that the text has shifts the true value by its number. Each marker of
    ``sensitivity`` that the text has shifts the answer by its number, and is not part of the text otherwise; neither
    are blanks and codes of 12 hexadecimal digits, such as those of a fence.

    The noise is normal with the standard deviation ``noise``. The same messages with the same seed have the same noise;
    without a seed, each call has its own. At temperature 0 there is none.

    ``failures`` is the share of calls that fail (status 500; a second try may succeed), ``refusals`` that of answers
    that decline, ``garbage`` that of answers that name no value. An answer takes ``seconds``. Log-probabilities are
    those of the answers that noise gives, where the scale is closed; there are none otherwise. The number of tokens is
    a quarter of that of characters; ``max_tokens`` has no effect.

    Without a schema, the range is looked for in the words of the prompt; where none is found, the answer is 0.5. Raises
    InputError for a share outside 0 to 1 and for a negative ``spread``, ``noise`` or ``seconds``.
    """

    spread: float = 0.25
    bias: float = 0.0
    noise: float = 0.1
    drift: float = 0.0
    garbage: float = 0.0
    refusals: float = 0.0
    failures: float = 0.0
    seconds: float = 0.0
    seed: int = 0
    quality: Mapping[str, float] = field(default_factory=dict)
    sensitivity: Mapping[str, float] = field(default_factory=dict)
    model: str = "fake"
    fingerprint: str = "fake-1"
    _calls: Counter[bytes] = field(default_factory=Counter, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name in ("spread", "noise", "seconds"):
            if not getattr(self, name) >= 0.0:
                raise InputError(f"the fake model takes a {name} of 0 or more, got {getattr(self, name)}")
        for name in ("garbage", "refusals", "failures"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} of the fake model is a share from 0 to 1, got {getattr(self, name)}")

    async def complete(self, request: Request) -> Completion:
        """Return the answer to ``request``.

        Raises CallFailedError for the share ``failures``, and, not retriable, for a schema without an answer.
        """
        start = time.perf_counter()
        sent = write_body(request, self.model)
        digest = _digest(self.seed, sent)
        earlier, age = self._calls[digest], self._calls[ALL] / 1000
        self._calls.update((digest, ALL))
        if self.seconds > 0.0:
            await asyncio.sleep(self.seconds)
        try:
            form, alone = _form_of(request)
        except UnknownFormError as error:
            raise CallFailedError(str(error), sent=sent, seconds=self.seconds, retriable=False) from None
        if _uniform(digest, "failure", earlier) < self.failures:
            raise CallFailedError("the fake model fails on purpose", sent=sent, seconds=self.seconds, status=500)
        own = _digest(digest, earlier) if request.seed is None else digest
        if _uniform(own, "refusal") < self.refusals:
            received = self._respond(request, None, [])
        else:
            pieces = write_answer(form, self._draws(request, own, age), alone=alone)
            if _uniform(own, "garbage") < self.garbage:
                pieces = [Piece(GARBAGE[int(len(GARBAGE) * _uniform(own, "which"))], known=False)]
            received = self._respond(request, "".join(piece.text for piece in pieces), pieces)
        return read_completion(received, sent=sent, seconds=time.perf_counter() - start)

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _draws(self, request: Request, own: bytes, age: float) -> Callable[[str], Draw]:
        """Return what draws the answer for a dimension."""
        user = next((message.text for message in reversed(request.messages) if message.role == "user"), "")
        told = "\n".join(message.text for message in request.messages if message.role == "system")
        shift = self.bias + self.drift * age
        for marker, by in self.sensitivity.items():
            if marker in user:
                user, shift = user.replace(marker, ""), shift + by
        words = user.lower()
        quality = sum(by for word, by in self.quality.items() if word.lower() in words)
        target = _bare(user)

        def draw(name: str) -> Draw:
            dimension = (name, _bare(told)) if name in GENERAL else (name,)
            true = 0.5 + self.spread * _normal(self.seed, target, *dimension) + quality
            noise = 0.0 if request.temperature == 0.0 else self.noise * _normal(own, "noise", name)
            return Draw(mean=true + shift, value=true + shift + noise, sd=self.noise)

        return draw

    def _respond(self, request: Request, text: str | None, pieces: Sequence[Piece]) -> str:
        """Return the body that an endpoint would have sent; without a text, one that declines."""
        known = request.top_logprobs > 0 and pieces and all(piece.known for piece in pieces)
        asked = sum(len(message.text) for message in request.messages)
        message = {"role": "assistant", "content": text, "refusal": REFUSAL if text is None else None}
        choice = {
            "index": 0,
            "message": message,
            "logprobs": {"content": [piece.token(request.top_logprobs) for piece in pieces]} if known else None,
            "finish_reason": "stop",
        }
        body = {
            "object": "chat.completion",
            "model": self.model,
            "system_fingerprint": self.fingerprint,
            "choices": [choice],
            "usage": {
                "prompt_tokens": math.ceil(asked / 4),
                "completion_tokens": math.ceil(len(REFUSAL if text is None else text) / 4),
            },
        }
        return json.dumps(body, ensure_ascii=False)


def _form_of(request: Request) -> tuple[Form, bool]:
    """Return what is asked for, and whether the answer is to be given alone, without a sentence around it."""
    if request.schema is not None:
        return form_of_schema(request.schema), True
    told = "\n".join(message.text for message in request.messages if message.role == "system")
    form, alone = form_of_text(told or "\n".join(message.text for message in request.messages))
    return form or Continuous(0.5, 0.5), alone


def _bare(text: str) -> str:
    """Return ``text`` without blanks and without the codes of fences."""
    return "".join(_CODE.sub("", text).split())


def _digest(*names: object) -> bytes:
    return hashlib.blake2b("\x1f".join(map(str, names)).encode(errors="surrogatepass"), digest_size=16).digest()


def _uniform(*names: object) -> float:
    """Return a number between 0 and 1, both excluded, that belongs to ``names``."""
    return (int.from_bytes(_digest(*names)[:6], "little") + 0.5) / 2**48


def _normal(*names: object) -> float:
    return _STANDARD.inv_cdf(_uniform(*names))
