"""The words of the OpenAI-compatible chat interface: a request as a body, and a body as a completion."""

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

from dialgauge.llm.protocol import Completion, Message, Request, Token

Json = Mapping[str, Any]

MOST_TOKENS = 10**9
"""A larger count of tokens in one answer is none."""


class UnreadableError(ValueError):
    """A body that is no completion. Only inside `dialgauge.llm`: a caller sees a CallFailedError."""


def write_body(request: Request, model: str, *, length_field: str = "max_tokens") -> str:
    """Return the JSON that asks ``model`` for an answer; settings that are None are left out.

    ``length_field`` is the name under which the endpoint knows the largest number of tokens of an answer.
    """
    body: dict[str, Any] = {"model": model, "messages": [_write_message(message) for message in request.messages]}
    settings = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "seed": request.seed,
        length_field: request.max_tokens,
    }
    body |= {name: value for name, value in settings.items() if value is not None}
    if request.schema is not None:
        schema = {"name": "answer", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.top_logprobs > 0:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    text = json.dumps(body, ensure_ascii=False)
    return text if _is_unicode(text) else json.dumps(body)


def read_completion(received: str, *, sent: str, seconds: float, status: int | None = None) -> Completion:
    """Return the completion that the body ``received`` holds; raise UnreadableError where it holds none.

    Counts of tokens, names and the fingerprint are None where they are missing or no such thing.
    """
    body = parse_json(received)
    choice = _first_choice(body)
    message = _mapping(choice.get("message"))
    if message is None:
        raise UnreadableError("its first choice has no message")
    text, refusal = _read_content(message)
    usage = _mapping(body.get("usage")) or {}
    return Completion(
        text=text,
        sent=sent,
        received=received,
        seconds=seconds,
        finish_reason=_text(choice.get("finish_reason")),
        refusal=refusal,
        model=_text(body.get("model")),
        fingerprint=_text(body.get("system_fingerprint")),
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        tokens=_read_tokens(choice.get("logprobs")),
        status=status,
    )


def parse_json(text: str) -> Json:
    """Return the JSON object in ``text``; raise UnreadableError where it is none."""
    try:
        body = json.loads(text)
    except RecursionError:
        raise UnreadableError("it is JSON nested too deep") from None
    except ValueError as error:
        raise UnreadableError(f"it is no JSON ({error})") from None
    found = _mapping(body)
    if found is None:
        raise UnreadableError(f"it is JSON, but no object: {type(body).__name__}")
    return found


def read_sentence(body: Json) -> str:
    """Return what a body says in its own words about an error, or nothing."""
    error = body.get("error")
    inner = _mapping(error)
    for found in ((inner or {}).get("message"), error, body.get("message"), body.get("detail")):
        if isinstance(found, str) and found.strip():
            return found
    detail = body.get("detail")
    if isinstance(detail, list) and detail:  # of a server that names the fields that it refuses
        return json.dumps(detail)
    return json.dumps(inner) if inner else ""


def _write_message(message: Message) -> dict[str, Any]:
    parts = message.parts
    if all(isinstance(part, str) for part in parts) and len(parts) == 1:
        return {"role": message.role, "content": parts[0]}
    return {"role": message.role, "content": [_write_part(part) for part in parts]}


def _write_part(part: Any) -> dict[str, Any]:  # noqa: ANN401 (a text or an Audio)
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.wav).decode("ascii")
    return {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}


def _first_choice(body: Json) -> Json:
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        sentence = read_sentence(body)
        raise UnreadableError(f"it says {sentence!r}" if sentence else "it has no choices")
    choice = _mapping(choices[0])
    if choice is None:
        raise UnreadableError("its first choice is no object")
    return choice


def _read_content(message: Json) -> tuple[str, str | None]:
    """Return the text and the refusal of a message, whose content is a text, a list of parts, or nothing."""
    content, refusal = message.get("content"), _text(message.get("refusal"))
    if content is None:
        return "", refusal
    if isinstance(content, str):
        return _sound(content), refusal
    if not isinstance(content, list):
        raise UnreadableError(f"its content is neither a text nor a list of parts: {type(content).__name__}")
    parts = [_mapping(part) for part in content]
    if None in parts:
        raise UnreadableError("its content has a part that is no object")
    texts = [_text(part.get("text")) for part in parts if part is not None]
    refusals = [_text(part.get("refusal")) for part in parts if part is not None]
    said = "".join(text for text in texts if text is not None)
    return said, refusal or next((text for text in refusals if text), None)


def _read_tokens(logprobs: object) -> tuple[Token, ...] | None:
    content = (_mapping(logprobs) or {}).get("content")
    if content is None:
        return None
    if not isinstance(content, list):
        raise UnreadableError("its log-probabilities are no list")
    return tuple(_read_token(entry) for entry in content)


def _read_token(entry: object) -> Token:
    text, logprob = _read_pair(entry)
    top = (_mapping(entry) or {}).get("top_logprobs") or []
    if not isinstance(top, list):
        raise UnreadableError("the most likely tokens of a place are no list")
    return Token(text, logprob, tuple(_read_pair(each) for each in top))


def _read_pair(entry: object) -> tuple[str, float]:
    """Return a token and the logarithm of its probability, which may be minus infinity."""
    pair = _mapping(entry) or {}
    text, logprob = _text(pair.get("token")), pair.get("logprob")
    number = logprob if isinstance(logprob, float) else math.nan
    if isinstance(logprob, int) and abs(logprob) < 1e9:  # JSON has whole numbers too large for a float
        number = float(logprob)
    if text is None or math.isnan(number) or number == math.inf:
        raise UnreadableError("a log-probability is no number, or its token no text")
    return text, number


def _mapping(value: object) -> Json | None:
    return value if isinstance(value, dict) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _text(value: object) -> str | None:
    return _sound(value) if isinstance(value, str) else None


def _sound(text: str) -> str:
    """Return ``text`` with halves of characters, which JSON allows and no file does, replaced."""
    return text if _is_unicode(text) else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
