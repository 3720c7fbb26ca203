"""What the fake model is asked for: read out of a JSON schema, or out of the words of a prompt."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

LARGEST = 1000
"""A range of whole numbers with more values is taken for continuous."""

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"(?:from|between)\s+{_NUMBER}\s+(?:to|and)\s+{_NUMBER}|\b{_NUMBER}\s*(?:to|–|-)\s*{_NUMBER}")
_LIST = re.compile(r"(?:one of|nothing else:)\s+(.+?)\.?\s*$", re.MULTILINE)
_LABELLED = re.compile(rf"{_NUMBER} = [^;\n]+")
_EXAMPLE = re.compile(r"\{.*\}")


@dataclass(frozen=True, slots=True)
class Closed:
    """One of ``values``, lowest first."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Continuous:
    """A number from ``low`` to ``high``."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Prose:
    """A text, such as a rationale."""


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with a form under each name."""

    forms: Mapping[str, "Form"]


Form = Closed | Continuous | Prose | Fields


class UnknownFormError(ValueError):
    """A schema that the fake model cannot answer. Only inside `dialgauge.llm`."""


def form_of_schema(schema: Mapping[str, Any]) -> Form:
    """Return what a JSON schema asks for; raise UnknownFormError for what the fake model has no answer to."""
    if "enum" in schema:
        return Closed(tuple(value for value in schema["enum"] if value is not None))
    kinds = schema.get("type")
    kind = next((each for each in kinds if each != "null"), None) if isinstance(kinds, list) else kinds
    if kind == "object":
        return Fields({name: form_of_schema(inner) for name, inner in schema.get("properties", {}).items()})
    if kind == "string":
        return Prose()
    if kind == "boolean":
        return Closed((False, True))
    if kind in {"integer", "number"}:
        low = schema.get("minimum", min(0, schema.get("maximum", 1) - 1))
        return _form_of_range(low, schema.get("maximum", low + 1), whole=kind == "integer")
    raise UnknownFormError(f"the fake model has no answer to the schema {json.dumps(schema)}")


def form_of_text(text: str) -> tuple[Form | None, bool]:
    """Return what a prompt asks for in words, and whether it wants the value alone; None where it gives no range.

    Known are a list of answers ("one of a, b", "nothing else: A, B"), points with labels ("1 = bad; 5 = good"), a range
    ("from 1 to 5"), and an example of a JSON object whose keys have such a range each, behind the word "key: NAME".
    """
    last = text.strip().rpartition("\n")[2]
    if example := _EXAMPLE.search(last):
        fields = _form_of_example(example.group(), text)
        if fields is not None:
            return fields, True
    choices = _LIST.search(last)
    if choices:
        return _closed(choices.group(1)), True
    return _form_of_words(text), False


def _form_of_example(example: str, text: str) -> Form | None:
    try:
        content = json.loads(example)
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    forms: dict[str, Form] = {}
    for name, inner in content.items():
        block = text.split(f"key: {name})", 1)[-1].split("(key: ", 1)[0]
        value = _form_of_words(block) or Continuous(0.0, 1.0)
        if isinstance(inner, dict):
            forms[name] = Fields({key: Prose() if key == "rationale" else value for key in inner})
        else:
            forms[name] = Prose() if name == "rationale" else value
    return Fields(forms)


def _form_of_words(text: str) -> Form | None:
    """Return the form of the one scale in ``text``; lines that begin with "Scale:" tell more than others."""
    text = "\n".join(line for line in text.splitlines() if line.startswith("Scale:")) or text
    if choices := _LIST.search(text):
        return _closed(choices.group(1))
    labelled = [_number(found) for found in _LABELLED.findall(text)]
    if len(labelled) > 1:
        return Closed(tuple(sorted(set(labelled))))
    ends = [tuple(filter(None, found)) for found in _RANGE.findall(text)]
    if not ends:
        return None
    low, high = (_number(end) for end in ends[-1])
    open_scale = "any number" in text or any("." in end for end in ends[-1])
    return _form_of_range(low, high, whole=not open_scale)


def _form_of_range(low: float, high: float, *, whole: bool) -> Form:
    if whole and 0 < high - low <= LARGEST:
        return Closed(tuple(range(int(low), int(high) + 1)))
    return Continuous(float(low), float(max(low, high)))


def _closed(listed: str) -> Closed:
    """Return the answers of a list; numbers go lowest first, in whichever order they are listed."""
    values = tuple(_split(listed))
    return Closed(tuple(sorted(values)) if all(isinstance(value, int | float) for value in values) else values)


def _split(listed: str) -> Iterator[Any]:
    """Return the answers of a list, which are words, words in quotation marks, or numbers."""
    quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', listed)
    words = quoted or [word.strip() for word in listed.split(",")]
    for word in islice(words, LARGEST):
        yield _number(word) if re.fullmatch(_NUMBER, word) else word


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() else value
