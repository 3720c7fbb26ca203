"""What one dialogue, or one pair of replies, contributes to the CONCEPT measures (Huang et al. 2024)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dialgauge.errors import InputError


def recall_at(ranking: Sequence[str], targets: Collection[str], *, k: int) -> float:
    """Return the share of ``targets`` (each counted once) among the first ``k`` of ``ranking``, 0 to 1.

    It is at most k / |targets|, see `recall_ceiling`. Raises InputError without targets, and for k below 1.
    """
    wanted = _check(targets, k)
    return len(wanted.intersection(ranking[:k])) / len(wanted)


def recall_ceiling(targets: Collection[str], *, k: int) -> float:
    """Return the greatest recall that ``k`` places allow: min(1, k / |targets|)."""
    return min(1.0, k / len(_check(targets, k)))


def first_turn(hits: Sequence[bool]) -> int | None:
    """Return the number of the first hit, counted from 1; None without one."""
    return next((number for number, hit in enumerate(hits, start=1) if hit), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCounts:
    """What a pair of replies to one wish in two wordings adds to each numerator and denominator, 0 or 1.

    ``acts``: both decide alike whether to recommend (of 1 pair). ``both``: both recommend, and their items are known.
    Of these, ``same``: the same items; ``changed``: other items; of the changed, ``diverse``: all items of both fit the
    preference; ``sensitive``: not all do.
    """

    acts: int
    both: int = 0
    same: int = 0
    changed: int = 0
    diverse: int = 0
    sensitive: int = 0


def compare_replies(
    first: Collection[str] | None, second: Collection[str] | None, *, targets: Collection[str]
) -> PairCounts:
    """Compare the items that two replies recommend: None where one does not recommend, empty where they are unknown."""
    if first is None or second is None:
        return PairCounts(acts=int(first is second))
    if not first or not second:
        return PairCounts(acts=1)
    if set(first) == set(second):
        return PairCounts(acts=1, both=1, same=1)
    fits = set(first) | set(second) <= set(targets)
    return PairCounts(acts=1, both=1, changed=1, diverse=int(fits), sensitive=int(not fits))


def _check(targets: Collection[str], k: int) -> frozenset[str]:
    if k < 1:
        raise InputError(f"recall is taken among the first 1 or more, got {k}")
    if not targets:
        raise InputError("recall needs at least one target; give a preference that some item fits")
    return frozenset(targets)
