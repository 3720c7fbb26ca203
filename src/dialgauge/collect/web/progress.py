"""How far the people of a study are, in a few numbers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.collect.people import TargetProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Counts over all targets.

    ``done`` of the ``wanted`` tasks (one rater on one target) are completed; ``beyond`` are those on targets that had
    all their raters. ``unanswered`` are completed without an answer to a question that came later. ``reserved`` are
    held just now. ``finished`` targets have all their raters. ``by_count`` holds how
    many targets so many raters have completed, by the number of raters.
    """

    targets: int
    wanted: int
    done: int
    beyond: int
    unanswered: int
    reserved: int
    finished: int
    by_count: tuple[tuple[int, int], ...]


def sum_up(targets: Sequence[TargetProgress]) -> Progress:
    """Return the counts over ``targets``."""
    return Progress(
        targets=len(targets),
        wanted=sum(one.wanted for one in targets),
        done=sum(min(one.completed, one.wanted) for one in targets),
        beyond=sum(max(one.completed - one.wanted, 0) for one in targets),
        unanswered=sum(one.unanswered for one in targets),
        reserved=sum(one.reserved for one in targets),
        finished=sum(one.completed >= one.wanted for one in targets),
        by_count=tuple(sorted(Counter(one.completed for one in targets).items())),
    )


def say_unanswered(n: int) -> str:
    """Say that ``n`` completed tasks lack an answer to a question that came into the study later."""
    lack = "1 completed task lacks" if n == 1 else f"{n:,} completed tasks lack"
    return f"{lack} an answer to a question that is asked now; those who completed them are offered them again."
