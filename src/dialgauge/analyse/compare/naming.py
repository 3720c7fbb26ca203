"""What measures are called in findings and may be called by who asks: as in the tables of all reports."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from dialgauge.analyse.compare.records import ComparedMeasure

ABILITY = "ability:"

_TITLES: Mapping[str, str] = {
    "user_at": "User AT",
    "deceptive_as_published": "Deceptive, as published",
    "deceptive_item": "Deceptive, by item",
    "non_existent": "Non-existent items",
    "false_claims": "False claims",
    "consistent_recommendation": "Same recommendation",
}


def name_measure(name: str, *, rated: bool = False) -> str:
    """Return what a measure, an ability (``ability:`` before it) or a rated dimension is called in tables."""
    if rated:
        return name.replace("_", " ")
    if name in _TITLES:
        return _TITLES[name]
    bare = name.removeprefix(ABILITY)
    words = bare.replace("recall", "Recall").replace("_sr@", " SR@").replace("_at", " AT").replace("_", " ")
    return words[0].upper() + words[1:]


def say_measure(measure: ComparedMeasure) -> str:
    """Return what a compared measure is called in tables."""
    return name_measure(measure.name, rated=measure.family == "rated")


def find_name(asked: str, names: Sequence[str]) -> str | None:
    """Return the one of ``names`` that is meant: itself, without ``ability:``, as printed, or in other capitals."""
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(name, name)
    for name in names:
        known.setdefault(name.removeprefix(ABILITY), name)
    if asked in known:
        return known[asked]
    printed: dict[str, str] = {}
    for way in (str, name_measure, _name_rated):
        for name in (*known, *names):
            printed.setdefault(way(name).casefold(), known[name])
    return printed.get(asked.strip().casefold())


def _name_rated(name: str) -> str:
    return name_measure(name, rated=True)


def suggest(asked: str, names: Iterable[str]) -> str:
    """Say which of ``names`` may have been meant, whatever the capitals; else which there are."""
    known = {name.casefold(): name for name in names}
    known |= {name.casefold().removeprefix(ABILITY): name for name in known.values()}
    near = list(dict.fromkeys(known[each] for each in get_close_matches(asked.casefold(), known, n=3)))
    if near:
        return f"did you mean {', '.join(near)}?"
    return f"there are {', '.join(dict.fromkeys(known.values()))}"
