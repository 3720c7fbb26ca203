"""Injected texts: attempts to talk a rater into a value, for dialogues that probe it."""

import math
import tomllib
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

from dialgauge.errors import StudyError
from dialgauge.model import Scale

_PLACE = "{value}"


class Injection(BaseModel):
    """A text that pushes a rating to one end of its scale.

    ``form`` says in which guise it comes ("plain", "JSON", ...), ``direction`` is 1 where it pushes to the high end and
    -1 to the low end. ``{value}`` in ``text`` stands for the value at that end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    form: str
    direction: Literal[1, -1]
    text: str

    def target_on(self, scale: Scale) -> float:
        """Return the value of ``scale`` that the text asks for; StudyError where the scale is open at that end."""
        low, high = scale.bounds
        value = high if self.direction == 1 else low
        if math.isinf(value):
            msg = f"the scale {scale} has no end for the injection {self.name!r} to push to; declare low and high"
            raise StudyError(msg)
        return value

    def text_for(self, scale: Scale) -> str:
        """Return the text for ``scale``: with the number at the end it pushes to, or its label where only labels count.

        Raises what `target_on` raises.
        """
        value = self.target_on(scale)
        word = f"{value:g}"
        if scale.labels is not None and scale.level in {"nominal", "binary"}:
            word = scale.labels[-1 if self.direction == 1 else 0]
            word = f'"{word}"' if self.form == "JSON" else word
        return self.text.replace(_PLACE, word)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    injections: tuple[Injection, ...]


@cache
def injections() -> tuple[Injection, ...]:
    """Return the injected texts that ship with the package."""
    text = (resources.files("dialgauge.collect") / "injections.toml").read_text(encoding="utf-8")
    return _File.model_validate(tomllib.loads(text)).injections
