"""Read ratings out of a completion: a closed set of answers, or a reason why there is none.

Only the completion is read, never the prompt. An answer that names no value, or more than one, is "unparsed"; nothing
is guessed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.collect.forms import RATIONALE, VALUE, Form
from dialgauge.model import Missing
from dialgauge.model.scale import normalise_label

REFUSING_FINISH = frozenset({"content_filter", "refusal", "safety"})

_FENCED = re.compile(r"\A```[a-zA-Z]*\s*\n(.*?)\n?```\Z", re.DOTALL)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.,/–-])[+-]?\d+(?:\.\d+)?(?![\w/%]|[.,–-]\d)")
_OUT_OF = re.compile(r"(?<![\w.,-])(\d+(?:\.\d+)?)\s*(?:/|out of)\s*(\d+(?:\.\d+)?)(?![\w/%]|[.,]\d)", re.IGNORECASE)
_SAID = re.compile(r"(?:answer|score|rating|value)\W{0,4}(?:is\b)?\W{0,4}(.+?)\W*\Z", re.IGNORECASE)
_DECLINED = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can(?:'t|not)|won't|will not|must decline)|as an ai\b|i decline)",
    re.IGNORECASE,
)
_MARKUP = " \t\r\n*_`\"'.:;!()[]"


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
    where it is whole all the same.
    """
    if refusal is not None or finish_reason in REFUSING_FINISH:
        return tuple(Reading(None, "refused", text=refusal or text) for _ in forms)
    content = _parse_object(text)
    if content is not None:
        readings = tuple(_from_object(content, form, alone=len(forms) == 1) for form in forms)
    elif len(forms) == 1 and "{" not in text:
        readings = (_from_text(text, forms[0]),)
    else:
        readings = tuple(Reading(None, "unparsed", text=text) for _ in forms)
    if all(reading.missing == "unparsed" for reading in readings) and _DECLINED.search(text):
        return tuple(Reading(None, "refused", text=text) for _ in forms)
    return readings


def _parse_object(text: str) -> Mapping[str, Any] | None:
    """Return the one JSON object in ``text``; None where there is none, and where a key comes twice."""
    stripped = text.strip()
    fenced = _FENCED.match(stripped)
    whole = fenced.group(1) if fenced else stripped
    found = _OBJECT.search(whole)
    for candidate in (whole, found.group() if found else ""):
        try:
            content = json.loads(candidate, object_pairs_hook=_unique)
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            return content
    return None


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        msg = "a key comes twice"
        raise ValueError(msg)
    return content


def _from_object(content: Mapping[str, Any], form: Form, *, alone: bool) -> Reading:
    """Return what the object says of ``form``: under its name, or under "value" where it is the only one."""
    name = form.dimension.name
    answer: Any = content
    if name in content:
        answer = content[name]
    elif not alone:
        return Reading(None, "unparsed")
    rationale = None
    if isinstance(answer, dict):
        reason = answer.get(RATIONALE)
        rationale = reason if isinstance(reason, str) else None
        answer = answer.get(VALUE)
    return _reading(form.read(answer), json.dumps(answer, ensure_ascii=False), rationale)


def _from_text(text: str, form: Form) -> Reading:
    """Return the value that a text names: as its whole, after "answer", or as the only number in it."""
    bare = text.strip(_MARKUP)
    said = _SAID.search(text.strip().splitlines()[-1]) if bare else None
    for candidate in (bare, said.group(1).strip(_MARKUP) if said else ""):
        if form.codes and candidate in form.codes:
            return _reading((form.scale.points or ())[form.codes.index(candidate)], candidate)
        value = form.read(candidate)
        if value != "unparsed":
            return _reading(value, candidate)
    if form.named or form.codes:
        return Reading(None, "unparsed", text=text)
    return _from_numbers(text, form)


def _from_numbers(text: str, form: Form) -> Reading:
    top = form.scale.bounds[1]
    rest = _OUT_OF.sub(lambda m: f" {m.group(1)} " if float(m.group(2)) == top else m.group(), text)
    numbers = {float(number) for number in _NUMBER.findall(rest)}
    labels = {
        point
        for label, point in form.scale.label_points().items()
        if re.search(rf"\b{re.escape(label)}\b", normalise_label(text))
    }
    if len(numbers) != 1 or labels - numbers:
        return Reading(None, "unparsed", text=text)
    return _reading(form.read(numbers.pop()), text)


def _reading(value: float | Missing, text: str, rationale: str | None = None) -> Reading:
    if isinstance(value, str):
        return Reading(None, value, text=text, rationale=rationale)
    return Reading(value, None, text=text, rationale=rationale)
