"""Read ratings out of a completion: a closed set of answers, or a reason why there is none.

Only the completion is read, never the prompt, and nothing is guessed: an answer is a JSON object and nothing else, a
value and nothing else, or a last line that says "answer: value". A value that is mentioned in a sentence is none.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.collect.forms import RATIONALE, VALUE, Form
from dialgauge.model import Missing

REFUSING_FINISH = frozenset({"content_filter", "refusal", "safety"})

CUT_OFF = "length"

LONGEST = 20_000
"""Characters; a longer completion is no answer."""

_FENCED = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)\n?```", re.DOTALL)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_SAID = re.compile(
    r"(?:(?:my|the|final|overall)[ ]){0,3}(?:answer|score|rating|value)(?:[ ]is[ ]?:?|[ ]?[:=])[ ]?(.{1,60})",
    re.IGNORECASE,
)
_OUT_OF = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?) ?(?:/|out of|of) ?([0-9]+(?:\.[0-9]+)?)", re.IGNORECASE)
_DECLINED = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can(?:'t|not)|won't|will not|must decline)|as an ai\b|i decline)",
    re.IGNORECASE,
)
_MARKUP = " \t\r\n*_`\"'"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a completion says of one dimension: a value or a missing reason, the text that was read, the rationale."""

    value: float | None
    missing: Missing | None
    text: str | None = None
    rationale: str | None = None


def read_completion(
    text: str, forms: Sequence[Form], *, refusal: str | None = None, finish_reason: str | None = None
) -> tuple[Reading, ...]:
    """Return one reading for each of ``forms`` from the completion ``text``.

    ``refusal`` and ``finish_reason`` are what the endpoint said of it. An answer that was cut off ("length") counts
    only as a whole JSON object. What a model thinks aloud between ``<think>`` and ``</think>`` is no answer.
    """
    if refusal is not None or finish_reason in REFUSING_FINISH:
        return tuple(Reading(None, "refused", text=refusal or text) for _ in forms)
    if len(text) > LONGEST:
        return tuple(Reading(None, "unparsed", text=text[:LONGEST]) for _ in forms)
    said = _THOUGHT.sub("", text, count=1).strip() if text.lstrip().startswith("<think>") else text.strip()
    content = _parse_object(said)
    if content is not None:
        return tuple(_from_object(content, form, alone=len(forms) == 1) for form in forms)
    reading = _from_text(said, forms[0]) if len(forms) == 1 and finish_reason != CUT_OFF else None
    if reading is not None:
        return (reading,)
    missing: Missing = "refused" if _DECLINED.search(said) else "unparsed"
    return tuple(Reading(None, missing, text=text) for _ in forms)


def _parse_object(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object that ``text`` is, with a code fence around it or without; None where it is none."""
    fenced = _FENCED.fullmatch(text)
    whole = fenced.group(1) if fenced else text
    if not whole.lstrip().startswith("{"):
        return None
    try:
        content = json.loads(whole, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        msg = "a key comes twice"
        raise ValueError(msg)
    return content


def _from_object(content: Mapping[str, Any], form: Form, *, alone: bool) -> Reading:
    """Return what the object says of ``form``: under its name, or under "value" where it is the only one."""
    name = form.dimension.name
    if name in content:
        if alone and VALUE in content:
            return Reading(None, "unparsed", text=json.dumps(content, ensure_ascii=False))
        answer: Any = content[name]
    elif alone:
        answer = content
    else:
        return Reading(None, "unparsed")
    rationale = None
    if isinstance(answer, dict):
        reason = answer.get(RATIONALE)
        rationale = reason if isinstance(reason, str) else None
        answer = answer.get(VALUE)
    return _reading(form.read(answer), json.dumps(answer, ensure_ascii=False), rationale)


def _from_text(text: str, form: Form) -> Reading | None:
    """Return the value that a text is, as a whole or in a last line such as "Answer: 4"; None where it is none."""
    bare = text.strip(_MARKUP)
    last = bare.splitlines()[-1].strip(_MARKUP) if bare else ""
    said = _SAID.fullmatch(" ".join(last.replace("*", "").split()))
    for candidate in (bare, said.group(1) if said else ""):
        found = _from_value(candidate.strip(_MARKUP).rstrip(".!").rstrip(_MARKUP), form)
        if found is not None:
            return found
    return None


def _from_value(candidate: str, form: Form) -> Reading | None:
    if form.codes:
        if candidate not in form.codes:
            return None
        return _reading((form.scale.points or ())[form.codes.index(candidate)], candidate)
    share = _OUT_OF.fullmatch(candidate)
    if share and not form.named and float(share.group(2)) == form.scale.bounds[1]:
        candidate = share.group(1)
    value = form.read(candidate)
    return None if value == "unparsed" else _reading(value, candidate)


def _reading(value: float | Missing, text: str, rationale: str | None = None) -> Reading:
    if isinstance(value, str):
        return Reading(None, value, text=text, rationale=rationale)
    return Reading(value, None, text=text, rationale=rationale)
