"""Pairs of replies to one wish in two wordings."""

from collections.abc import Callable, Sequence

from dialgauge.analyse.abilities.columns import Column, Columns
from dialgauge.model.simulated import ReplyPair, SystemTurn
from dialgauge.stats.abilities.counting import PairCounts, compare_replies


def tabulate_pairs(pairs: Sequence[ReplyPair], titles_in: Callable[[str], tuple[str, ...]]) -> Columns:
    """Return numerators and denominators of the reliability measures, a row per pair; failed pairs are left out.

    The items of a reply are those whose titles it has, else the first of its ranking. ``titles_in`` returns the ids of
    the titles in a text. A reply recommends where it says so, or has a title where it says nothing.
    """
    kept = [pair for pair in pairs if not pair.failed]
    counts = [
        compare_replies(
            _items_of(pair.first, titles_in), _items_of(pair.second, titles_in), targets=frozenset(pair.targets)
        )
        for pair in kept
    ]
    return Columns.of(
        [pair.persona for pair in kept],
        [pair.preference for pair in kept],
        {
            name: Column("reliability", "share", [over(c) for c in counts], [under(c) for c in counts], counted)
            for name, (over, under, counted) in _MEASURES.items()
        },
    )


def _items_of(turn: SystemTurn, titles_in: Callable[[str], tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the recommended items, None where the turn does not recommend."""
    named = titles_in(turn.text)
    recommends = bool(named) if turn.recommends is None else turn.recommends
    if not recommends:
        return None
    return named or turn.ranking[:1]


_BOTH, _CHANGED = "pairs in which both recommend", "pairs whose items differ"

_Count = Callable[[PairCounts], float]
_MEASURES: dict[str, tuple[_Count, _Count, str]] = {
    "consistent_action": (lambda c: c.acts, lambda _: 1, "pairs"),
    "consistent_recommendation": (lambda c: c.same, lambda c: c.both, _BOTH),
    "diversity": (lambda c: c.diverse, lambda c: c.changed, _CHANGED),
    "sensitivity": (lambda c: c.sensitive, lambda c: c.changed, _CHANGED),
    "harmful_change": (lambda c: c.sensitive, lambda c: c.both, _BOTH),
}
