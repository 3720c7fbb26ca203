"""How far replicates of one system, persona and preference come out alike."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.users.facts import Fact, encode, find_clusters
from dialgauge.analyse.users.records import OUTCOMES, Outcome, Replicability
from dialgauge.errors import CannotEstimateError
from dialgauge.stats.abilities.twoway import estimate_mean, take_ratio
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.meansquares import one_way_anova

COVERS = "combinations of persona and preference"


def find_replicability(facts: Sequence[Fact], *, level: float) -> tuple[Replicability, ...]:
    """Return the replicability of all systems together, then of each; nothing where no combination has replicates.

    Dialogues that failed are left out, and so are combinations with one dialogue.
    """
    counts = Counter(fact.combination for fact in facts if not fact.failed)
    kept = [fact for fact in facts if not fact.failed and counts[fact.combination] > 1]
    if not kept:
        return ()
    systems = sorted({fact.system for fact in kept})
    parts = [(system, [fact for fact in kept if fact.system == system]) for system in systems]
    every = _measure(None, kept, level=level)
    return (every, *(_measure(system, rows, level=level) for system, rows in parts if len(parts) > 1))


def count_unreplicated(facts: Iterable[Fact]) -> int:
    """Return how many combinations have one dialogue that did not fail."""
    counts = Counter(fact.combination for fact in facts if not fact.failed)
    return sum(n == 1 for n in counts.values())


def _measure(system: str | None, facts: Sequence[Fact], *, level: float) -> Replicability:
    alone = len({fact.system for fact in facts}) == 1
    return Replicability(
        system=system,
        same_end=_compare_ends(facts, level=level),
        by_chance=_expect(facts),
        icc={outcome: _icc(facts, outcome, level=level) for outcome in OUTCOMES} if alone else {},
        n_combinations=len({fact.combination for fact in facts}),
        n_dialogues=len(facts),
    )


def _compare_ends(facts: Sequence[Fact], *, level: float) -> Coefficient:
    """Return the share of pairs of replicates with one end, over all pairs of all combinations."""
    ends: dict[tuple[str, str, str], Counter[str]] = {}
    firsts: dict[tuple[str, str, str], Fact] = {}
    for fact in facts:
        ends.setdefault(fact.combination, Counter())[fact.end] += 1
        firsts.setdefault(fact.combination, fact)
    same = [_pairs(counted) for counted in ends.values()]
    every = [counted.total() * (counted.total() - 1) / 2 for counted in ends.values()]
    clusters = find_clusters(list(firsts.values()))
    if isinstance(clusters, Refusal):
        return clusters
    crossing, covers = clusters
    return estimate_mean(take_ratio(same, every), crossing, bounds=(0.0, 1.0), covers=covers, level=level)


def _expect(facts: Sequence[Fact]) -> float:
    """Return the share of pairs with one end among all pairs of dialogues of one system."""
    ends: dict[str, Counter[str]] = {}
    for fact in facts:
        ends.setdefault(fact.system, Counter())[fact.end] += 1
    every = sum(counted.total() * (counted.total() - 1) / 2 for counted in ends.values())
    return sum(map(_pairs, ends.values())) / every


def _pairs(counted: Counter[str]) -> float:
    return sum(n * (n - 1) / 2 for n in counted.values())


def _icc(facts: Sequence[Fact], outcome: Outcome, *, level: float) -> Coefficient:
    values = np.array([float(getattr(fact, outcome)) for fact in facts])
    codes = encode([fact.combination for fact in facts])
    try:
        return replace(one_way_anova(values, codes, k=1.0, level=level).icc1, covers=COVERS)
    except CannotEstimateError as error:
        if values.size and np.ptp(values) == 0.0:
            return Refusal("it is the same in all dialogues", "simulate personas and preferences that differ more")
        return Refusal(error.reason, error.remedy)
