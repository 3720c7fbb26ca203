"""What is wrong with a record from a file, in one line with its place and a remedy."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

REMEDIES = {
    "string_type": "write it in quotation marks",
    "string_pattern_mismatch": "take out blanks around it and line breaks",
    "union_tag_not_found": 'add kind = "llm" or kind = "code"',
}


def explain(error: ValidationError, content: object, records: Mapping[str, type[BaseModel]]) -> str:
    """Return the first problem of ``content``, such as ``turns[2].speaker is missing; add the key 'speaker'``.

    ``records`` gives the record that stands below each key, and that of the whole under "".
    """
    problems = error.errors(include_url=False)
    first = problems[0]
    location = first["loc"]
    where = _locate(location, content)
    if first["type"] == "extra_forbidden":
        text = f"{where} is not a key that is known here; allowed are {', '.join(_allowed(location, records))}"
    elif first["type"] == "missing":
        text = f"{where} is missing; add the key {str(location[-1])!r}"
    else:
        sentence = first["msg"].removeprefix("Value error, ")
        text = f"{where}: {sentence}" if where else sentence
        text += f"; {REMEDIES[first['type']]}" if first["type"] in REMEDIES else ""
    more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
    return f"{' '.join(text.split())[:400]}{more}"


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
