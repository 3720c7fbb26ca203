"""How far each person is, and how fast: counted from the log of what they did."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

import sqlalchemy as sa

from dialgauge.io.store.people_tables import answers, assignments, people, withdrawals
from dialgauge.io.store.people_will import show_code

Task = tuple[str, str]
"""Rater and target."""


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """How far one person is.

    ``code`` is what they entered with, "" once it was blanked. ``completed``, ``reserved`` and ``given_back`` count
    dialogues, ``revised`` answers that took the place of an earlier one. ``seconds`` is the median over the dialogues
    that they completed without a pause as long as a reservation: from the moment at which they were given one to its
    completion; None where there is none. ``first_seen`` is when they entered, ``last_seen`` the last change they made,
    ``withdrew`` when they withdrew, if they did: all in UTC.
    """

    rater: str
    code: str
    completed: int
    reserved: int
    last_seen: datetime
    first_seen: datetime
    seconds: float | None
    given_back: int
    revised: int
    withdrew: datetime | None


def read_progress(connection: sa.Connection, *, at: datetime, pause: timedelta) -> tuple[PersonProgress, ...]:
    """Return how far each person is at a moment, by name; a ``pause`` of that length interrupts a dialogue."""
    named = sa.select(people, withdrawals.c.at.label("withdrew")).join_from(
        people, withdrawals, withdrawals.c.rater == people.c.rater, isouter=True
    )
    rows = connection.execute(named).mappings().all()
    tasks = _read_tasks(connection)
    moments = _read_moments(connection)
    revised = _count_revised(connection)
    found = [
        _sum_up(row, tasks[row["rater"]], moments, at=at, pause=pause, revised=revised.get(row["rater"], 0))
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: (len(one.rater), one.rater)))


def _sum_up(
    person: sa.RowMapping,
    tasks: Sequence[sa.RowMapping],
    moments: dict[Task, list[datetime]],
    *,
    at: datetime,
    pause: timedelta,
    revised: int,
) -> PersonProgress:
    rater = person["rater"]
    done = [task for task in tasks if task["state"] == "completed"]
    seconds = [_measure(task, moments[rater, task["target"]], pause) for task in done]
    kept = [one for one in seconds if one is not None]
    signs = [person["entered"], *(task["reserved"] for task in tasks), *(task["ended"] for task in done)]
    signs += [moments[rater, task["target"]][-1] for task in tasks if moments[rater, task["target"]]]
    return PersonProgress(
        rater=rater,
        code=show_code(person["code"]),
        completed=len(done),
        reserved=sum(task["state"] == "reserved" and task["expires"] > at for task in tasks),
        last_seen=max(signs),
        first_seen=person["entered"],
        seconds=median(kept) if kept else None,
        given_back=sum(task["state"] == "given-back" for task in tasks),
        revised=revised,
        withdrew=person["withdrew"],
    )


def _measure(task: sa.RowMapping, answered: Sequence[datetime], pause: timedelta) -> float | None:
    """Return the seconds from the first moment of a completed task to its end; None where it was interrupted."""
    signs = [task["reserved"], *(moment for moment in answered if moment <= task["ended"]), task["ended"]]
    if any(later - earlier >= pause for earlier, later in pairwise(signs)):
        return None
    return float((task["ended"] - task["reserved"]).total_seconds())


def _read_tasks(connection: sa.Connection) -> dict[str, list[sa.RowMapping]]:
    found: dict[str, list[sa.RowMapping]] = defaultdict(list)
    for row in connection.execute(sa.select(assignments).order_by(assignments.c.id)).mappings():
        found[row["rater"]].append(row)
    return found


def _read_moments(connection: sa.Connection) -> dict[Task, list[datetime]]:
    """Return the moments of all answers to each task, in their order."""
    found: dict[Task, list[datetime]] = defaultdict(list)
    query = sa.select(answers.c.rater, answers.c.target, answers.c.at).order_by(answers.c.id)
    for rater, target, moment in connection.execute(query):
        found[rater, target].append(moment)
    return found


def _count_revised(connection: sa.Connection) -> dict[str, int]:
    query = sa.select(answers.c.rater, sa.func.count()).where(answers.c.revision > 1).group_by(answers.c.rater)
    return {row[0]: row[1] for row in connection.execute(query)}
