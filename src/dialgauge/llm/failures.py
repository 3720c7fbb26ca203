"""What an endpoint means by a status that is no success, and what may be done about it."""

import json
import math
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from dialgauge.llm.wire import MOST_TOKENS, Json, UnreadableError, parse_json, read_sentence

THROTTLED = frozenset({429, 503, 529})
RETRIABLE = frozenset({408, 409, 425})
"""Statuses below 500 after which the same call may succeed, beside those that throttle."""

SETTINGS = {
    "seed": ("seed", "set `send_seed = false`"),
    "response_format": ("response_format|json_schema|schema|structured|grammar", 'set `answers = "free"`'),
    "logprobs": ("logprobs|top_logprobs", 'set `scoring = "sampled"`'),
    "temperature": ("temperature", "set `temperature` to a value that it takes"),
    "top_p": ("top_p", "leave out `top_p`"),
    "max_tokens": ("max_tokens|max_completion_tokens", "set `max_tokens` to a value that it takes"),
    "max_completion_tokens": ("max_tokens|max_completion_tokens", "set `max_tokens` to a value that it takes"),
    "input_audio": ("input_audio|audio", "set `audio = false`"),
}
"""For each field of a request: how an endpoint names it, and what to change in study.toml where it refuses it."""

LONGEST_SENTENCE = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """What a status means: a sentence, whether the same call may succeed later, and how much patience was asked for."""

    message: str
    retriable: bool
    throttled: bool = False
    retry_after: float | None = None


def judge_status(
    status: int,
    received: str,
    *,
    headers: Mapping[str, str],
    fields: Collection[str] = (),
    key_env: str | None = None,
) -> Failure:
    """Say what a ``status`` other than 200 means, given the body ``received`` and the ``fields`` that were sent.

    429, 503 and 529 ask for less; 5xx, 408, 409 and 425 may pass; the others will not, nor will a used-up quota.
    ``headers`` have names in lower case, or take any case.
    """
    body = _object_in(received)
    sentence = tell(read_sentence(body) or received)
    said = f"{status}: {sentence}" if sentence else f"{status}, without a word"
    if 300 <= status < 400:
        target = tell(headers.get("location", "nowhere"))
        return Failure(f"redirects ({status}) to {target}; if that is right, give it as the endpoint", retriable=False)
    if status in {401, 403}:
        return Failure(f"refused the key ({said}); {_key_remedy(key_env)}", retriable=False)
    if status in {400, 422} and (remedy := _field_remedy(body, sentence, fields)):
        return Failure(f"refused a setting ({said}); {remedy} for this rater in study.toml", retriable=False)
    if status in THROTTLED and not _is_used_up(body):
        return Failure(f"asked for less ({said})", retriable=True, throttled=True, retry_after=read_delay(headers))
    if (status >= 500 and status not in THROTTLED) or status in RETRIABLE:
        return Failure(f"failed ({said})", retriable=True)
    remedy = "; check `model` and `endpoint` of this rater in study.toml" if status == 404 else ""
    return Failure(f"refused the call ({said}){remedy}", retriable=False)


def read_delay(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``Retry-After`` asks for, a number or a date (RFC 9110), 0 or more; None without any."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        until, now = _read_date(value), _read_date(headers.get("date", ""))
        return None if until is None else max(0.0, until - (time.time() if now is None else now))
    return seconds if math.isfinite(seconds) and seconds >= 0.0 else None


def is_refusal(status: int) -> bool:
    """Whether a ``status`` says that the endpoint did not work on the call, and will not charge for it."""
    return status in THROTTLED or (300 <= status < 500 and status != 408)


def read_usage(received: str) -> tuple[int | None, int | None]:
    """Return the tokens in and out that a body counts, even one that is no completion; None where it does not."""
    usage = _object_in(received).get("usage")
    counts = usage if isinstance(usage, dict) else {}
    found = [counts.get(name) for name in ("prompt_tokens", "completion_tokens")]
    whole = [n if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST_TOKENS else None for n in found]
    return whole[0], whole[1]


def tell(text: str) -> str:
    """Return ``text`` as one printable line that is not too long."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * LONGEST_SENTENCE]).split())
    return line if len(line) <= LONGEST_SENTENCE else line[: LONGEST_SENTENCE - 1] + "…"


def _object_in(received: str) -> Json:
    try:
        return parse_json(received)
    except UnreadableError:
        return {}


def _key_remedy(key_env: str | None) -> str:
    if key_env is None:
        return "name the environment variable that holds the key as `key_env` in study.toml"
    return f"check the key in the environment variable {key_env}"


def _field_remedy(body: Json, sentence: str, fields: Collection[str]) -> str:
    """Return what to change where the endpoint names a field that was sent."""
    error = body.get("error")
    named = error.get("param") if isinstance(error, dict) else None
    text = f"{named} {sentence}" if isinstance(named, str) else sentence
    for field, (pattern, remedy) in SETTINGS.items():
        if field in fields and re.search(rf"\b(?:{pattern})\b", text, flags=re.IGNORECASE):
            return remedy
    return ""


def _is_used_up(body: Json) -> bool:
    error = body.get("error")
    return isinstance(error, dict) and "insufficient_quota" in json.dumps([error.get("code"), error.get("type")])


def _read_date(value: str) -> float | None:
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
