"""Prompts: a template in which the dialogue is fenced off as data. The store knows each by the hash of its text.

Each turn is written as a number, the speaker and a JSON string, so that no text can end its own quotation, and the
fence bears a code that is made from the dialogue itself, so that no text can forge it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from jinja2 import StrictUndefined, TemplateError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from dialgauge.collect.forms import Form, answer_format
from dialgauge.errors import StudyError
from dialgauge.model import Dialogue

LARGEST_TEMPLATE = 200_000
"""Bytes."""

_SYSTEM, _USER = "[system]\n", "[user]\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template of two parts: what the rater is told, and what is put before it."""

    text: str

    @classmethod
    def read(cls, path: Path | None = None) -> "Prompt":
        """Return the template in ``path``, or the one that ships with Dialgauge; StudyError where it is no template."""
        if path is None:
            text = (resources.files("dialgauge.collect") / "prompts" / "rate.txt").read_text(encoding="utf-8")
            return cls(text=text)
        try:
            if not path.is_file():
                msg = f"the template {path} is no file; check prompt.template in study.toml"
                raise StudyError(msg)
            with path.open("rb") as stream:
                content = stream.read(LARGEST_TEMPLATE + 1)
            if len(content) > LARGEST_TEMPLATE:
                msg = f"the template {path} has more than {LARGEST_TEMPLATE:,} bytes; give a text file of two parts"
                raise StudyError(msg)
            text = content.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            msg = f"the template {path} cannot be read ({error}); check prompt.template in study.toml"
            raise StudyError(msg) from None
        prompt = cls(text=text)
        _parts(prompt)
        return prompt


def fence_of(dialogue: Dialogue) -> str:
    """Return the code of the fence: from the dialogue's own content, so that the content cannot have it in it."""
    return hashlib.sha256(dialogue.model_dump_json().encode()).hexdigest()[:12].upper()


def quote_turns(dialogue: Dialogue) -> list[str]:
    """Return the turns, each in one line that its text cannot leave."""
    return [
        f"{number} {_one_word(turn.speaker)}: {json.dumps(turn.text, ensure_ascii=False)}"
        for number, turn in enumerate(dialogue.turns, start=1)
    ]


class Renderer:
    """Fills a template; what does not change from call to call is filled once."""

    def __init__(self, prompt: Prompt, *, free: bool, rationale: bool, audio: bool) -> None:
        self._file = "the prompt template"
        environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False)
        system, user = _parts(prompt)
        try:
            self._system, self._user = environment.from_string(system), environment.from_string(user)
        except TemplateError as error:
            msg = f"{self._file} is not a Jinja template: {error}; correct it"
            raise StudyError(msg) from None
        if "turns" not in find_undeclared_variables(environment.parse(prompt.text)):
            msg = f"{self._file} never shows the dialogue; put the turns into it: {{% for turn in turns %}}"
            raise StudyError(msg)
        self._free, self._rationale, self._audio = free, rationale, audio

    def render(self, forms: Sequence[Form], dialogue: Dialogue) -> tuple[str, str]:
        """Return what the rater is told, and what is put before it."""
        fence = fence_of(dialogue)
        dimensions = [
            {
                "name": form.dimension.name,
                "title": form.dimension.title,
                "definition": form.dimension.definition,
                "rubric": form.dimension.rubric,
                "questions": [question.text for question in form.dimension.questions],
                "scale": form.words,
            }
            for form in forms
        ]
        told = answer_format(forms, rationale=self._rationale, free=self._free)
        try:
            system = self._system.render(dimensions=dimensions, fence=fence, format=told)
            user = self._user.render(turns=quote_turns(dialogue), fence=fence, audio=self._audio)
        except Exception as error:  # noqa: BLE001 (a template is a program of the user's own)
            msg = f"{self._file} cannot be filled: {error}; it may use dimensions, fence, format, turns and audio"
            raise StudyError(msg) from None
        return system.strip(), user.strip()


def _parts(prompt: Prompt) -> tuple[str, str]:
    before, found, rest = prompt.text.partition(_SYSTEM)
    system, found_user, user = rest.partition(_USER)
    if before.strip() or not found or not found_user or not system.strip() or not user.strip():
        msg = "a prompt template has two parts, one after a line [system] and one after a line [user]; add them"
        raise StudyError(msg)
    return system, user


def _one_word(speaker: str) -> str:
    return " ".join(speaker.split())
