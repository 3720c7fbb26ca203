"""Study 2, universality: the same classes, whoever rates."""

from collections.abc import Sequence
from itertools import combinations

from dialgauge.analyse.retest.classes import CLASSES, ReliabilityClass
from dialgauge.analyse.retest.records import Correspondence, GroupConcordance, Part, Repeat, Universality
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.retest.shares import share_estimate

COVERS = "dimensions, as if drawn from more of their kind"

HIGH: tuple[ReliabilityClass, ...] = ("perfect", "excellent")
"""The classes at or above .90."""


def compare_classes(
    repeats: Sequence[Repeat], raters: Sequence[str], *, part: Part, level: float = 0.95
) -> Universality | None:
    """Return Study 2 for one coefficient; ``None`` for a single rater, whom nobody can be compared with."""
    if len(raters) < 2:
        return None
    by_dimension: dict[str, list[Repeat]] = {}
    for repeat in repeats:
        by_dimension.setdefault(repeat.dimension, []).append(repeat)
    whole = list(by_dimension.values())
    groups = list(dict.fromkeys(rows[0].group for rows in whole))
    split = [(g, [rows for rows in whole if rows[0].group == g]) for g in groups if any(groups)]
    concordance = [_concordance(members, group, part) for group, members in [*split, (None, whole)]]
    known = [rows for rows in whole if _classes(rows, part) is not None]
    excellent = tuple(rows[0].dimension for rows in known if _all_high(rows, part))
    return Universality(
        part=part,
        pairs=[_correspond(whole, (a, b), raters, part=part, level=level) for a, b in combinations(raters, 2)],
        groups=concordance,
        excellent=excellent,
        share=_share(len(excellent), len(known), level),
    )


def _classes(rows: Sequence[Repeat], part: Part) -> list[ReliabilityClass] | None:
    """Return the class by every rater; ``None`` where one of them has none."""
    found = [name for r in rows if (name := r.class_of(part)) is not None]
    return found if len(found) == len(rows) else None


def _all_high(rows: Sequence[Repeat], part: Part) -> bool:
    return all(r.class_of(part) in HIGH for r in rows)


def _concordance(members: Sequence[Sequence[Repeat]], group: str | None, part: Part) -> GroupConcordance:
    known = [rows for rows in members if _classes(rows, part) is not None]
    n_pairs = len(list(combinations(members[0], 2))) if members else 0
    counts = [0] * (n_pairs + 1)
    for rows in known:
        counts[sum(a == b for a, b in combinations(_classes(rows, part) or (), 2))] += 1
    high = [rows for rows in known if _all_high(rows, part)]
    return GroupConcordance(
        group=group,
        n=len(known),
        n_left_out=len(members) - len(known),
        counts=tuple(counts),
        excellent=len(high),
        supported=sum(all(r.supports(part) for r in rows) for rows in high),
    )


def _correspond(
    whole: Sequence[Sequence[Repeat]], pair: tuple[str, str], raters: Sequence[str], *, part: Part, level: float
) -> Correspondence:
    first, second = (raters.index(name) for name in pair)
    table = [[0] * len(CLASSES) for _ in CLASSES]
    for rows in whole:
        a, b = rows[first].class_of(part), rows[second].class_of(part)
        if a is not None and b is not None:
            table[CLASSES.index(a)][CLASSES.index(b)] += 1
    n, same = sum(map(sum, table)), sum(table[i][i] for i in range(len(CLASSES)))
    return Correspondence(*pair, tuple(map(tuple, table)), n, same, _share(same, n, level))


def _share(count: int, n: int, level: float) -> Estimate | None:
    return share_estimate(count, n, covers=COVERS, level=level) if n else None
