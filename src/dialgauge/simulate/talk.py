"""How the agenda-based user puts what it means: templates (`data/talk.toml`), coloured by emotion and age."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from dialgauge.model.simulated import Persona
from dialgauge.simulate.personas import ages, emotions, read_data
from dialgauge.simulate.preferences import join, word_want

TRIES = 20
"""Draws after which no other wording is expected."""

_DOUBLED = re.compile(r"([.!?])\.(?!\.)")


@dataclass(frozen=True, slots=True)
class Act:
    """What one utterance means: its ``name`` in the templates, and what is filled in (title, kind)."""

    name: str
    content: Mapping[str, str] = field(default_factory=dict)


class Voice:
    """Puts acts into words for one persona with one wish."""

    def __init__(self, persona: Persona, attributes: Sequence[str]) -> None:
        self.emotion, self.age = emotions()[persona.emotion], ages()[persona.age]
        self._attributes = attributes

    def say(self, act: Act, rng: np.random.Generator) -> str:
        """Return ``act`` in words: few or whole sentences, with what the emotion and the age add."""
        whole = rng.random() < self.age.talks
        core = pick(rng, _talk()[act.name]["whole" if whole else "short"])
        filled = core.format(want=word_want(self._attributes, rng), names=join(self._attributes), **act.content)
        parts = [filled]
        if act.name == "open":
            parts.insert(0, pick(rng, self.age.openers))
        elif rng.random() < self.emotion.colours:
            parts.insert(0, pick(rng, self.emotion.says))
        if rng.random() < self.emotion.chats * self.age.talks:
            parts.append(pick(rng, _talk()["chat"]["says"] if act.name == "open" else self.emotion.says))
        if rng.random() < self.age.polite:
            parts.append(pick(rng, self.age.tails))
        return _join(dict.fromkeys(filter(None, parts)), plain=self.age.polite < 0.2)

    def say_otherwise(self, act: Act, said: str, rng: np.random.Generator) -> str | None:
        """Return ``act`` in words other than ``said``, None where there are none."""
        ways = (self.say(act, rng) for _ in range(TRIES))
        return next((way for way in ways if way != said), None)


def pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    """Return one of ``choices`` by chance."""
    return choices[int(rng.integers(len(choices)))]


@cache
def _talk() -> Mapping[str, Mapping[str, list[str]]]:
    return read_data("talk")


def _join(parts: Mapping[str, None], *, plain: bool) -> str:
    """Put sentences together; only the ``plain`` begin them with a small letter."""
    text = ""
    for part in parts:
        opens = not text or text[-1] in ".!?"
        text += (" " if text else "") + (part[0].upper() + part[1:] if opens and not plain else part)
    return _DOUBLED.sub(r"\1", text)  # a title may end with a stop
