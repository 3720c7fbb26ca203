"""The queue of tasks in the store: which of them somebody is given next, and for how long."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import sqlalchemy as sa

from dialgauge.io.store.people_tables import answers, assignments, stays
from dialgauge.io.store.tables import targets
from dialgauge.model.people import Assignment

_TASK = ("rater", "target", "state", "reserved", "expires", "ended")
_OPEN = ("reserved", "completed")
"""The states of tasks that count towards the number of raters wanted for a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRules:
    """How tasks are given out: ``per_target`` raters for each target, held for ``hold`` after the last answer.

    ``most_per_rater`` limits the tasks of one rater (None: no limit). Targets in ``without`` are not given out, and
    count for nobody. ``consent`` is the hash of the text to which raters agree before they are given anything; None
    where there is none. Completed tasks without an answer to one of ``dimensions`` are offered to their raters again.
    """

    per_target: int
    hold: timedelta
    most_per_rater: int | None = None
    without: frozenset[str] = frozenset()
    consent: str | None = None
    dimensions: tuple[str, ...] = ()


def find_task(
    connection: sa.Connection, rater: str, rules: QueueRules, *, choose: Callable[[Sequence[str]], str], at: datetime
) -> Assignment | None:
    """Return the task that ``rater`` is to do from a moment on, held for them unless they completed it."""
    own = [one for one in _read_own(connection, rater) if one.target not in rules.without]
    found = next((one for one in own if one.state == "reserved"), None)
    if found is None:
        unanswered = {target for _, target in read_unanswered(connection, rules.dimensions, rater=rater)}
        again = next((one for one in own if one.target in unanswered), None)
        if again is not None:
            return again
        if sum(one.state in _OPEN for one in own) >= (rules.most_per_rater or float("inf")):
            return None
        lacking = read_lacking(connection, rules)
        found = next((one for one in own if one.state == "expired" and one.target in lacking), None)
        if found is None:
            return _give_new(connection, rater, _find_fewest(lacking, own), choose, (at, at + rules.hold))
    return hold(connection, found, at + rules.hold)


def read_lacking(connection: sa.Connection, rules: QueueRules) -> dict[str, int]:
    """Return the targets that lack raters, with how many have completed or hold them."""
    open_ = sa.and_(assignments.c.target == targets.c.id, assignments.c.state.in_(_OPEN), stays())
    n = sa.func.count(assignments.c.id)
    query = sa.select(targets.c.id, n).join_from(targets, assignments, open_, isouter=True)
    query = query.where(targets.c.purpose == "study")
    rows = connection.execute(query.group_by(targets.c.id).having(n < rules.per_target))
    return {target: n_open for target, n_open in rows if target not in rules.without}


def read_unanswered(
    connection: sa.Connection, dimensions: Collection[str], *, rater: str | None = None
) -> list[tuple[str, str]]:
    """Return rater and target of completed tasks (those of ``rater``, or all) that lack one of ``dimensions``."""
    own = sa.and_(answers.c.rater == assignments.c.rater, answers.c.target == assignments.c.target)
    said = sa.select(sa.func.count(answers.c.dimension.distinct())).where(own, answers.c.dimension.in_(dimensions))
    query = sa.select(assignments.c.rater, assignments.c.target).where(
        assignments.c.state == "completed", stays(), said.scalar_subquery() < len(dimensions)
    )
    if rater is not None:
        query = query.where(assignments.c.rater == rater)
    return [(who, target) for who, target in connection.execute(query.order_by(assignments.c.id))]


def hold(connection: sa.Connection, task: Assignment, until: datetime) -> Assignment:
    """Hold a task for its rater until a moment."""
    update_task(connection, task.rater, task.target, state="reserved", expires=until, ended=None)
    return replace(task, state="reserved", expires=until, ended=None)


def shorten(connection: sa.Connection, until: datetime) -> None:
    """Let no reservation last beyond a moment: a clock that was wrong may have made some that do."""
    held = sa.update(assignments).where(assignments.c.state == "reserved", assignments.c.expires > until)
    connection.execute(held.values(expires=until))


def to_task(row: sa.RowMapping) -> Assignment:
    """Return the task of a row."""
    return Assignment(**{name: row[name] for name in _TASK})


def update_task(connection: sa.Connection, rater: str, target: str, **values: object) -> None:
    """Put ``values`` into the columns of a task."""
    own = sa.update(assignments).where(assignments.c.rater == rater, assignments.c.target == target)
    connection.execute(own.values(values))


def _read_own(connection: sa.Connection, rater: str) -> list[Assignment]:
    query = sa.select(assignments).where(assignments.c.rater == rater).order_by(assignments.c.id)
    return [to_task(row) for row in connection.execute(query).mappings()]


def _find_fewest(lacking: dict[str, int], own: Sequence[Assignment]) -> list[str]:
    """Return those of the targets that are new to a rater which the fewest raters have, in the order of their names."""
    had = {one.target for one in own}
    new = {target: n for target, n in lacking.items() if target not in had}
    fewest = min(new.values(), default=0)
    return sorted(target for target, n in new.items() if n == fewest)


def _give_new(
    connection: sa.Connection,
    rater: str,
    candidates: Sequence[str],
    choose: Callable[[Sequence[str]], str],
    span: tuple[datetime, datetime],
) -> Assignment | None:
    if not candidates:
        return None
    given = Assignment(
        rater=rater, target=choose(candidates), state="reserved", reserved=span[0], expires=span[1], ended=None
    )
    connection.execute(sa.insert(assignments), {name: getattr(given, name) for name in _TASK})
    return given
