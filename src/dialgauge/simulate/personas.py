"""Personas: an emotion and an age, composed from data of our own (`data/personas.toml`).

The 12 emotions and 4 ages are those of the published work (Huang et al. 2024); their words are written for Dialgauge.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from dialgauge.errors import InputError
from dialgauge.io.words import clip
from dialgauge.model.simulated import Persona
from dialgauge.seeding import child_rng

N_PERSONAS = 48
"""12 emotions in 4 ages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """How an emotion shows; the shares (0 to 1) are those that the agenda-based user goes by.

    ``takes``: accepts an item that fits; ``slips``: accepts one that does not; ``asks``: asks about an item first;
    ``chats``: says more than is needed; ``colours``: its words show the emotion. ``good``, ``bad`` and ``idle`` are
    feelings about a reply that fits, that does not, and that recommends nothing; ``says`` are said aloud.
    """

    words: str
    takes: float
    slips: float
    asks: float
    chats: float
    colours: float
    says: tuple[str, ...]
    good: tuple[str, ...]
    bad: tuple[str, ...]
    idle: tuple[str, ...]
    patience: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """How an age shows: ``talks`` in whole sentences and is ``polite``, shares from 0 to 1."""

    words: str
    talks: float
    polite: float
    openers: tuple[str, ...]
    tails: tuple[str, ...]


def make_personas(wanted: int | Sequence[str] | None = None, *, gives_up: bool = True, seed: int = 1) -> list[Persona]:
    """Return personas: all 48, a number of them, or those that are named.

    A number is spread evenly over emotions and over ages; those of a smaller number are among those of a larger one.
    A name is that of a persona ("boredom-teens"), an emotion or an age, which stand for all of theirs. Without
    ``gives_up`` no persona has a patience that ends. Raises InputError for a name that is none and a number outside 1
    to 48.
    """
    every = [_compose(emotion, age, gives_up=gives_up) for emotion in emotions() for age in ages()]
    if wanted is None:
        return every
    if isinstance(wanted, int):
        if not 1 <= wanted <= len(every):
            raise InputError(f"there are {len(every)} personas, got a wish for {wanted}; take from 1 to {len(every)}")
        return [every[i] for i in _spread(seed)[:wanted]]
    if not wanted:
        raise InputError(f"no persona is named; give a number from 1 to {len(every)}, or names such as trust-teens")
    for name in wanted:
        if all(name not in _names(persona) for persona in every):
            known = ", ".join([*emotions(), *ages()])
            raise InputError(
                f"there is no persona {clip(name)!r}; name an emotion, an age ({known}), or both, as in boredom-teens"
            )
    return [persona for persona in every if _names(persona) & {*wanted}]


@cache
def emotions() -> Mapping[str, Emotion]:
    """Return the emotions by name."""
    return {name: Emotion(**_freeze(content)) for name, content in read_data("personas")["emotions"].items()}


@cache
def ages() -> Mapping[str, Age]:
    """Return the ages by name."""
    return {name: Age(**_freeze(content)) for name, content in read_data("personas")["ages"].items()}


def read_data(name: str) -> dict[str, Any]:
    """Return the content of one of our own data files."""
    file = resources.files("dialgauge.simulate") / "data" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _compose(emotion: str, age: str, *, gives_up: bool) -> Persona:
    felt, aged = emotions()[emotion], ages()[age]
    return Persona(
        id=f"{emotion}-{age}",
        emotion=emotion,
        age=age,
        words=f"You are {aged.words}, and you {felt.words}.",
        patience=felt.patience if gives_up else None,
    )


def _names(persona: Persona) -> set[str]:
    return {persona.id, persona.emotion, persona.age}


def _spread(seed: int) -> list[int]:
    """Return the positions of all personas so that any first ones are spread over emotions and ages."""
    rng = child_rng(seed, "personas")
    n, m = len(emotions()), len(ages())
    rows, columns = rng.permutation(n), rng.permutation(m)
    return [int(rows[i]) * m + int(columns[(i + turn) % m]) for turn in range(m) for i in range(n)]


def _freeze(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}
