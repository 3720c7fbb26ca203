"""What is wrong with a record from a file, in one line with its place and a remedy."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

REMEDIES = {
    "string_type": "write it in quotation marks",
    "string_pattern_mismatch": "take out blanks around it and line breaks",
}

_WORDS = {
    "a valid string": "a text",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid boolean": "true or false",
    "a valid tuple": "a list",
    "a valid list": "a list",
    "a valid dictionary": "a table",
}
_SHOULD = "Input should be "
_LONGEST_VALUE = 40


def explain(error: ValidationError, content: object, records: Mapping[str, type[BaseModel]]) -> str:
    """Return the first problem of ``content``, such as ``turns[2].speaker is missing; add the key 'speaker'``.

    ``records`` gives the record that stands below each key, and that of the whole under "".
    """
    problems = error.errors(include_url=False)
    places: dict[str, list[ErrorDetails]] = {}
    for problem in problems:
        if not _follows(problem, problems):
            places.setdefault(_locate(problem["loc"], content), []).append(problem)
    where, alike = next(iter(places.items()))
    others = len(places) - 1
    more = f" (and {others} more problem{'' if others == 1 else 's'})" if others else ""
    return f"{' '.join(_say(where, alike, records).split())[:400]}{more}"


def _follows(problem: ErrorDetails, problems: Sequence[ErrorDetails]) -> bool:
    """Whether a list counts as too short only because something in it is wrong."""
    place = problem["loc"]
    return problem["type"] == "too_short" and any(
        len(one["loc"]) > len(place) and one["loc"][: len(place)] == place for one in problems
    )


def _say(where: str, alike: Sequence[ErrorDetails], records: Mapping[str, type[BaseModel]]) -> str:
    """Say what is wrong at one place: the first problem, or all forms that were allowed there."""
    first = alike[0]
    location, kind, context = first["loc"], first["type"], first.get("ctx", {})
    if kind == "extra_forbidden":
        allowed = _allowed(location, records)
        return f"{where} is not a key that is known here; {_suggest(str(location[-1]), allowed)}"
    if kind == "missing":
        return f"{where} is missing; add the key {str(location[-1])!r}"
    if kind == "too_short":
        return f"{where} is empty; give at least {context['min_length']}"
    if kind == "union_tag_not_found":
        tags = str(context.get("discriminator", "'kind'")).strip("'")
        return f'{where}: the key {tags!r} is missing; add kind = "llm" or kind = "code"'
    if kind == "union_tag_invalid":
        allowed = [tag.strip("' ") for tag in str(context["expected_tags"]).split(",")]
        return f"{where}: kind is {context['tag']!r}; {_suggest(str(context['tag']), allowed, quoted=True)}"
    sentence = _join_forms(alike) if first["msg"].startswith(_SHOULD) else first["msg"].removeprefix("Value error, ")
    remedy = f"; {REMEDIES[kind]}" if kind in REMEDIES and len(alike) == 1 else ""
    return (f"{where}: {sentence}" if where else sentence) + remedy


def _join_forms(alike: Sequence[ErrorDetails]) -> str:
    """Say which values are right, and which was given."""
    forms = []
    for problem in alike:
        form = problem["msg"].removeprefix(_SHOULD)
        named = next((name for name in _WORDS if form.startswith(name)), None)
        forms.append(form if named is None else _WORDS[named])
    value = repr(alike[0]["input"])
    shown = value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 3]}..."
    return f"should be {', or '.join(dict.fromkeys(forms))}, got {shown}"


def _suggest(given: str, allowed: Sequence[str], *, quoted: bool = False) -> str:
    near = get_close_matches(given, allowed, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"allowed are {', '.join(map(repr, allowed) if quoted else allowed)}"


def _locate(location: tuple[int | str, ...], content: object) -> str:
    """Write a place such as ``raters[2] ('gpt') temperature``; names of alternatives are no place."""
    words, here = "", content
    for step in location:
        if isinstance(step, int):
            here = here[step] if isinstance(here, list) and step < len(here) else None
            name = here.get("name") if isinstance(here, dict) else None
            words += f"[{step + 1}] ({name!r}) " if isinstance(name, str) else f"[{step + 1}]"
        elif isinstance(here, dict) and not (step not in here and step == here.get("kind")):
            here = here.get(step)
            words += f".{step}" if words and not words.endswith(" ") else step
    return words.strip()


def _allowed(location: tuple[int | str, ...], records: Mapping[str, type[BaseModel]]) -> list[str]:
    record: Any = records[""]
    for step in location[:-1]:
        record = records.get(str(step), record)
    return list(record.model_fields)
