"""The order in which each rater gets targets and questions: made by the seed of the study and their name alone."""

import hashlib
from collections.abc import Iterable, Sequence

QUESTIONS = "questions"


def first_for(seed: int, rater: str, names: Iterable[str]) -> str:
    """Return the target among ``names`` that comes first for ``rater``."""
    return min(names, key=lambda name: _place(seed, rater, name))


def order_questions(seed: int, rater: str, dimensions: Sequence[str]) -> tuple[str, ...]:
    """Return ``dimensions`` in the order in which ``rater`` is asked: the same for all targets.

    They are sorted by the SHA-256 of the UTF-8 text ``{seed}|questions|{rater}|{dimension}`` in which | stands for the
    character U+001F, so that the order can be made again from the seed of the study and the name of the rater.
    """
    return tuple(sorted(dimensions, key=lambda name: _place(seed, QUESTIONS, rater, name)))


def _place(*parts: str | int) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
