"""What simulated users want: sets of attributes that enough items fit, and the same in words of their own."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, product

import numpy as np

from dialgauge.errors import InputError
from dialgauge.io.words import clip
from dialgauge.model.item import Catalogue, Fit
from dialgauge.model.simulated import Preference
from dialgauge.seeding import child_rng
from dialgauge.simulate.personas import read_data

LARGEST = 3
"""Attributes of a preference at most."""

ENOUGH = {"containing": 5, "equal": 2}
"""How many items must fit a preference. Few items of a catalogue have exactly the same attributes."""


def make_preferences(
    catalogue: Catalogue,
    n: int,
    fit: Fit = "containing",
    *,
    seed: int = 1,
    enough: int | None = None,
    at_least: int | None = None,
) -> list[Preference]:
    """Return ``n`` preferences of 1 to 3 attributes, each with at least ``enough`` items that fit it.

    ``fit`` says when an item does: its attributes contain those of the preference, or are exactly those. Sets of two,
    one and three attributes take turns where the catalogue has them, by chance within each; the same seed gives the
    same, and those of a smaller ``n`` come first among those of a larger one. Raises InputError where the catalogue has
    fewer; with ``at_least``, where it has fewer than that, and returns all that it has up to ``n``.
    """
    if n < 1:
        raise InputError(f"at least 1 preference is needed, got {n}")
    least = ENOUGH[fit] if enough is None else enough
    by_size = _find_sets(catalogue, fit, least)
    rng = child_rng(seed, "preferences", fit)
    piles = [[found[i] for i in rng.permutation(len(found))] for found in by_size if found]
    n_all = sum(map(len, piles))
    needed = n if at_least is None else at_least
    if n_all < needed:
        raise InputError(
            f"the catalogue {clip(catalogue.name)!r} has {n_all} sets of 1 to {LARGEST} attributes that at least "
            f"{least} items fit ({fit}), got a wish for {needed}; take fewer preferences or a catalogue with attributes"
        )
    chosen = [pile[turn] for turn in range(max(map(len, piles))) for pile in piles if turn < len(pile)]
    return [_make(attributes, child_rng(seed, "words", *attributes)) for attributes in chosen[:n]]


def word_want(attributes: Sequence[str], rng: np.random.Generator) -> str:
    """Return ``attributes`` in a user's own words, to stand after "something"; another draw may give others."""
    phrases = [_pick(rng, phrases_of(name)) for name in attributes]
    if len(phrases) > 1 and rng.random() < 0.5:
        phrases.reverse()
    return join(phrases)


def wordings(attributes: Sequence[str]) -> list[str]:
    """Return all ways in which `word_want` may put ``attributes``."""
    ways = [list(way) for way in product(*map(phrases_of, attributes))]
    return list(dict.fromkeys(join(way) for one in ways for way in (one, one[::-1])))


def phrases_of(attribute: str) -> Sequence[str]:
    """Return what may stand for an attribute after "something"."""
    known, fallback = _wants()
    return known.get(attribute) or [phrase.format(name=attribute) for phrase in fallback]


def join(words: Sequence[str]) -> str:
    """Write a list in words: ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


@cache
def _wants() -> tuple[dict[str, list[str]], list[str]]:
    content = read_data("wants")
    return content["genres"], content["fallback"]["phrases"]


def _find_sets(catalogue: Catalogue, fit: Fit, least: int) -> list[list[tuple[str, ...]]]:
    """Return the sets that enough items fit, those of two attributes first, then one, then three."""
    counts: Counter[tuple[str, ...]] = Counter()
    for item in catalogue:
        counts.update(_sets_of(sorted({*item.attributes}), fit))
    found = sorted(attributes for attributes, n in counts.items() if n >= least)
    return [[attributes for attributes in found if len(attributes) == size] for size in (2, 1, 3)]


def _sets_of(attributes: Sequence[str], fit: Fit) -> Iterable[tuple[str, ...]]:
    if fit == "equal":
        return [tuple(attributes)] if 1 <= len(attributes) <= LARGEST else []
    return (one for size in range(1, LARGEST + 1) for one in combinations(attributes, size))


def _make(attributes: tuple[str, ...], rng: np.random.Generator) -> Preference:
    words = f"something {word_want(attributes, rng)}"
    return Preference(id="+".join(map(_escape, attributes)), attributes=attributes, words=words)


def _escape(attribute: str) -> str:
    """Mark a + in a name, so that no two sets of attributes have one id."""
    return attribute.replace("\\", "\\\\").replace("+", "\\+")


def _pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]
