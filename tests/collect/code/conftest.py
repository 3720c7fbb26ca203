"""Dialogues for the measures."""

from dialgauge.model import Dialogue, Turn


def say(*turns: tuple[str, str]) -> Dialogue:
    """Return a dialogue of (speaker, text)."""
    return Dialogue(id="d", turns=tuple(Turn(speaker=speaker, text=text) for speaker, text in turns))
