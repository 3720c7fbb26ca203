"""Read the planted dialogues that ship with the package."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from dialgauge.errors import StudyError
from dialgauge.model import Dialogue, Turn

Quality = Literal[0, 1, 2]

QUALITIES: tuple[Literal["bad", "middling", "good"], ...] = ("bad", "middling", "good")
"""The words for the qualities 0, 1 and 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A dialogue of known quality.

    ``triplet`` names the request that three dialogues handle, ``quality`` tells how: 0 badly, 1 middlingly, 2 well.
    ``expected`` holds, for the dimensions whose order is plain to any reader, +1 where the values rise from bad to good
    and -1 where they fall; on a binary dimension only bad and good need to differ. ``dialogue.id`` does not give the
    quality away.
    """

    dialogue: Dialogue
    triplet: str
    quality: Quality
    expected: Mapping[str, int]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Order(_Record):
    rises: tuple[str, ...] = ()
    falls: tuple[str, ...] = ()


class _Triplet(_Record):
    name: str
    about: str
    bad: tuple[tuple[Literal["user", "system"], str], ...] = Field(min_length=6, max_length=10)
    middling: tuple[tuple[Literal["user", "system"], str], ...] = Field(min_length=6, max_length=10)
    good: tuple[tuple[Literal["user", "system"], str], ...] = Field(min_length=6, max_length=10)
    expected: Mapping[str, _Order] = Field(min_length=1)


class _File(_Record):
    triplets: tuple[_Triplet, ...]


def planted(instrument: str) -> tuple[Planted, ...]:
    """Return the planted dialogues for ``instrument`` (``crs-que``, ``crs_que``), triplet by triplet, bad first.

    Raises StudyError when there are none for it.
    """
    name = instrument.strip().lower().replace("-", "_").replace(" ", "_")
    found = tuple(record for triplet in _triplets() if name in triplet.expected for record in _unfold(triplet, name))
    if not found:
        known = sorted({known for triplet in _triplets() for known in triplet.expected})
        msg = f"there are no planted dialogues for the instrument {instrument!r}; there are some for {', '.join(known)}"
        raise StudyError(msg)
    return found


@cache
def _triplets() -> tuple[_Triplet, ...]:
    files = sorted(resources.files("dialgauge.collect.planted").iterdir(), key=lambda file: file.name)
    texts = [file.read_text(encoding="utf-8") for file in files if file.name.endswith(".toml")]
    return tuple(triplet for text in texts for triplet in _File.model_validate(tomllib.loads(text)).triplets)


def _unfold(triplet: _Triplet, instrument: str) -> Iterator[Planted]:
    order = triplet.expected[instrument]
    expected = dict.fromkeys(order.rises, 1) | dict.fromkeys(order.falls, -1)
    qualities: tuple[Quality, ...] = (0, 1, 2)
    for quality, lines in zip(qualities, (triplet.bad, triplet.middling, triplet.good), strict=True):
        turns = tuple(Turn(speaker=speaker, text=text) for speaker, text in lines)
        yield Planted(
            dialogue=Dialogue(id=_name(turns), turns=turns), triplet=triplet.name, quality=quality, expected=expected
        )


def _name(turns: tuple[Turn, ...]) -> str:
    """Return an identifier made from the words, so that it changes when they do and says nothing of the quality."""
    content = "\n".join(f"{turn.speaker}\t{turn.text}" for turn in turns)
    return f"planted-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
