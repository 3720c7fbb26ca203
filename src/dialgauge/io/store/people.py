"""People in the store: who entered, which task is whose until when, and every answer. One transaction a change."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock

import sqlalchemy as sa

from dialgauge.errors import InputError
from dialgauge.io.store.engine import begin
from dialgauge.io.store.people_tables import answers, assignments, people
from dialgauge.io.store.records import RaterEntry
from dialgauge.io.store.registering import register_rater
from dialgauge.io.store.tables import AnyText, raters, targets
from dialgauge.io.words import clip
from dialgauge.model import Dialogue, Missing
from dialgauge.model.people import Answer, Assignment

_TASK = ("rater", "target", "state", "reserved", "expires", "ended")
_SAID = ("value", "missing", "text", "revision", "at")
Clock = Callable[[], datetime]
"""Gives the moment, with a time zone."""

_OPEN = ("reserved", "completed")
"""The states of tasks that count towards the number of raters wanted for a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRules:
    """How tasks are given out: ``per_target`` raters for each target, held for ``hold`` after the last answer.

    ``most_per_rater`` limits the tasks of one rater (None: no limit). Targets in ``without`` are not given out.
    """

    per_target: int
    hold: timedelta
    most_per_rater: int | None = None
    without: frozenset[str] = frozenset()


class PeopleTables:
    """The people who rate for one study; the property ``people`` of its store.

    ``now`` is the clock throughout; writers take turns and look at it when theirs has come, so that moments rise as the
    log does, and two never get the same place. A reservation whose time has run out counts as expired everywhere, and
    is noted as such by what is written next.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._turn = Lock()

    def enter(self, code: str, *, now: Clock) -> str:
        """Return the name of the rater with ``code``; a new one is registered, and named by the order of entering."""
        with self._write() as connection:
            at = now()
            known = connection.scalar(sa.select(people.c.rater).where(people.c.code == code))
            if known is not None:
                return str(known)
            taken = {*connection.scalars(sa.select(raters.c.name))}
            number = (connection.scalar(sa.select(sa.func.count()).select_from(people)) or 0) + 1
            while (name := f"person-{number:03d}") in taken:
                number += 1
            register_rater(connection, RaterEntry(name=name, kind="human"))
            connection.execute(sa.insert(people), {"rater": name, "code": code, "entered": at})
        return name

    def reserve(
        self, rater: str, rules: QueueRules, *, choose: Callable[[Sequence[str]], str], now: Clock
    ) -> Assignment | None:
        """Return the task that ``rater`` is to do, held for them from now on; None where there is none for them.

        It is the one they hold already; else one of theirs that expired and still lacks raters; else a new one of the
        targets with the fewest raters, of which ``choose`` takes one. A target that they completed or gave back is
        never given to them again.
        """
        with self._write() as connection:
            at = now()
            _check_entered(connection, rater)
            _expire(connection, at)
            own = [one for one in _read_own(connection, rater) if one.target not in rules.without]
            found = next((one for one in own if one.state == "reserved"), None)
            if found is None and _count_open(connection, rater) >= (rules.most_per_rater or float("inf")):
                return None
            if found is None:
                lacking = _read_lacking(connection, rules)
                found = next((one for one in own if one.state == "expired" and one.target in lacking), None)
                if found is None:
                    return _give_new(connection, rater, _find_fewest(lacking, own), choose, (at, at + rules.hold))
            return _hold(connection, found, at + rules.hold)

    def find(self, rater: str, target: str, *, now: Clock) -> Assignment:
        """Return what became of the task of ``rater`` on ``target``; InputError where they were never given it."""
        with begin(self._engine) as connection:
            found = _read_one(connection, rater, target)
        over = found.state == "reserved" and found.expires <= now()
        return replace(found, state="expired", ended=found.expires) if over else found

    def dialogue(self, target: str) -> Dialogue:
        """Return the content of a target."""
        with begin(self._engine) as connection:
            text = connection.execute(sa.select(targets.c.dialogue).where(targets.c.id == target)).scalar_one()
        return Dialogue.model_validate_json(text)

    def answer(
        self,
        rater: str,
        target: str,
        dimension: str,
        said: tuple[float | None, Missing | None, str | None],
        *,
        rules: QueueRules,
        now: Clock,
    ) -> Answer:
        """Append what was ``said`` (value, missing reason, remark) to the log, and return the current answer.

        Nothing is appended where it is the same as before. A reservation is renewed; one that expired is taken up again
        where the target still lacks raters. InputError where ``rater`` was never given ``target``.
        """
        value, missing, text = said[0], said[1], AnyText().process_bind_param(said[2], self._engine.dialect)
        with self._write() as connection:
            at = now()
            _expire(connection, at)
            task = _read_one(connection, rater, target)
            if task.state == "reserved" or (task.state == "expired" and target in _read_lacking(connection, rules)):
                _hold(connection, task, at + rules.hold)
            before = _read_current(connection, rater, target).get(dimension)
            if before is not None and before.says(value, missing, text):
                return before
            revision = 1 if before is None else before.revision + 1
            answer = Answer(value=value, missing=missing, text=text, revision=revision, at=at)
            row = {"rater": rater, "target": target, "dimension": dimension}
            connection.execute(sa.insert(answers), {**row, **{name: getattr(answer, name) for name in _SAID}})
        return answer

    def answers(self, rater: str, target: str) -> dict[str, Answer]:
        """Return the current answers of ``rater`` on ``target`` by dimension."""
        with begin(self._engine) as connection:
            return _read_current(connection, rater, target)

    def log(self, rater: str, target: str) -> tuple[tuple[str, Answer], ...]:
        """Return every answer of ``rater`` on ``target`` with its dimension, in the order in which they came."""
        with begin(self._engine) as connection:
            return tuple(_read_log(connection, rater, target))

    def complete(self, rater: str, target: str, *, dimensions: Collection[str], now: Clock) -> None:
        """Note that a task is done, also one that had expired or was given back; once done it stays so.

        Raises InputError naming those of ``dimensions`` that have no answer, and where it was never given to ``rater``.
        """
        with self._write() as connection:
            at = now()
            _expire(connection, at)
            if _read_one(connection, rater, target).state == "completed":
                return
            answered = _read_current(connection, rater, target)
            lacking = [name for name in dimensions if name not in answered]
            if lacking:
                named = ", ".join(map(repr, lacking))
                raise InputError(f"the task on {clip(target)!r} lacks an answer to {named}; answer it, then complete")
            _end(connection, rater, target, state="completed", at=at)

    def give_back(self, rater: str, target: str, *, now: Clock) -> None:
        """Free the place that ``rater`` holds on ``target``; its answers stay in the log.

        Raises InputError where it is completed, or was never given to them.
        """
        with self._write() as connection:
            at = now()
            _expire(connection, at)
            state = _read_one(connection, rater, target).state
            if state == "completed":
                raise InputError(
                    f"the task on {clip(target)!r} is completed and cannot be given back; revise its answers"
                )
            if state != "given-back":
                _end(connection, rater, target, state="given-back", at=at)

    def completed(self, rater: str) -> tuple[str, ...]:
        """Return the targets that ``rater`` completed, the newest first."""
        query = sa.select(assignments.c.target).where(assignments.c.rater == rater, assignments.c.state == "completed")
        with begin(self._engine) as connection:
            return tuple(connection.scalars(query.order_by(assignments.c.ended.desc(), assignments.c.id.desc())))

    def held(self, rater: str, *, now: Clock) -> tuple[str, ...]:
        """Return the targets that ``rater`` holds."""
        held = sa.and_(_is("reserved"), assignments.c.expires > now(), assignments.c.rater == rater)
        with begin(self._engine) as connection:
            return tuple(connection.scalars(sa.select(assignments.c.target).where(held).order_by(assignments.c.id)))

    def count_by_target(self, *, now: Clock) -> tuple[tuple[str, int, int], ...]:
        """Return for each target of the study, in their order, how many completed it and how many hold it."""
        query = sa.select(targets.c.id, *_tally(now())).join(
            assignments, assignments.c.target == targets.c.id, isouter=True
        )
        query = query.where(targets.c.purpose == "study").group_by(targets.c.id, targets.c.position)
        with begin(self._engine) as connection:
            rows = connection.execute(query.order_by(targets.c.position))
            return tuple((name, done, held) for name, done, held in rows)

    def count_by_person(self, *, now: Clock) -> tuple[tuple[str, str, int, int, datetime], ...]:
        """Return name, code, tasks completed, tasks held and the last sign of each person, as they entered."""
        seen = sa.func.max(assignments.c.reserved), sa.func.max(assignments.c.ended).filter(_is("completed"))
        query = sa.select(people.c.rater, people.c.code, people.c.entered, *_tally(now()), *seen)
        query = query.join(assignments, assignments.c.rater == people.c.rater, isouter=True).group_by(*people.c)
        last = sa.select(answers.c.rater, sa.func.max(answers.c.at)).group_by(answers.c.rater)
        with begin(self._engine) as connection:
            answered = {row[0]: row[1] for row in connection.execute(last)}
            rows = connection.execute(query.order_by(people.c.id)).all()
        return tuple(
            (rater, code, done, held, max(filter(None, (*moments, entered, answered.get(rater)))))
            for rater, code, entered, done, held, *moments in rows
        )

    @contextmanager
    def _write(self) -> Iterator[sa.Connection]:
        """Open a writing transaction; threads wait here, in turn, which is quicker than each asking the database."""
        with self._turn, begin(self._engine, write=True) as connection:
            yield connection


def _is(state: str) -> sa.ColumnElement[bool]:
    return assignments.c.state == state


def _tally(at: datetime) -> tuple[sa.ColumnElement[int], sa.ColumnElement[int]]:
    """Return how many tasks of a group are completed, and how many are held at that moment."""
    held = sa.and_(_is("reserved"), assignments.c.expires > at)
    return tuple(sa.func.count(assignments.c.id).filter(one) for one in (_is("completed"), held))  # type: ignore[return-value]


def _check_entered(connection: sa.Connection, rater: str) -> None:
    if connection.scalar(sa.select(people.c.id).where(people.c.rater == rater)) is None:
        raise InputError(f"nobody has entered as {clip(rater)!r}; enter with a code first")


def _expire(connection: sa.Connection, at: datetime) -> None:
    over = sa.update(assignments).where(_is("reserved"), assignments.c.expires <= at)
    connection.execute(over.values(state="expired", ended=assignments.c.expires))


def _to_task(row: sa.RowMapping) -> Assignment:
    return Assignment(**{name: row[name] for name in _TASK})


def _read_own(connection: sa.Connection, rater: str) -> list[Assignment]:
    query = sa.select(assignments).where(assignments.c.rater == rater).order_by(assignments.c.id)
    return [_to_task(row) for row in connection.execute(query).mappings()]


def _read_one(connection: sa.Connection, rater: str, target: str) -> Assignment:
    query = sa.select(assignments).where(assignments.c.rater == rater, assignments.c.target == target)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise InputError(f"the target {clip(target)!r} is no task of {clip(rater)!r}; ask for the next task")
    return _to_task(row)


def _count_open(connection: sa.Connection, rater: str) -> int:
    query = sa.select(sa.func.count()).where(assignments.c.rater == rater, assignments.c.state.in_(_OPEN))
    return connection.scalar(query) or 0


def _read_lacking(connection: sa.Connection, rules: QueueRules) -> dict[str, int]:
    """Return the targets that lack raters, with how many have completed or hold them."""
    open_ = sa.and_(assignments.c.target == targets.c.id, assignments.c.state.in_(_OPEN))
    n = sa.func.count(assignments.c.id)
    query = sa.select(targets.c.id, n).join(assignments, open_, isouter=True).where(targets.c.purpose == "study")
    rows = connection.execute(query.group_by(targets.c.id).having(n < rules.per_target))
    return {target: n_open for target, n_open in rows if target not in rules.without}


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


def _hold(connection: sa.Connection, task: Assignment, until: datetime) -> Assignment:
    """Hold a task for its rater, for longer or again; never for shorter than before."""
    until = max(until, task.expires)
    _update(connection, task.rater, task.target, state="reserved", expires=until, ended=None)
    return replace(task, state="reserved", expires=until, ended=None)


def _end(connection: sa.Connection, rater: str, target: str, *, state: str, at: datetime) -> None:
    _update(connection, rater, target, state=state, ended=at)


def _update(connection: sa.Connection, rater: str, target: str, **values: object) -> None:
    own = sa.update(assignments).where(assignments.c.rater == rater, assignments.c.target == target)
    connection.execute(own.values(values))


def _read_log(connection: sa.Connection, rater: str, target: str) -> list[tuple[str, Answer]]:
    query = sa.select(answers).where(answers.c.rater == rater, answers.c.target == target).order_by(answers.c.id)
    rows = connection.execute(query).mappings()
    return [(row["dimension"], Answer(**{name: row[name] for name in _SAID})) for row in rows]


def _read_current(connection: sa.Connection, rater: str, target: str) -> dict[str, Answer]:
    return dict(_read_log(connection, rater, target))
