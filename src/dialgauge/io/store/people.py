"""People in the store: who entered, which task is whose until when, and every answer. One transaction a change."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Lock

import sqlalchemy as sa

from dialgauge.errors import InputError
from dialgauge.io.store.engine import begin
from dialgauge.io.store.people_progress import PersonProgress, read_progress
from dialgauge.io.store.people_queue import (
    QueueRules,
    find_task,
    hold,
    read_lacking,
    read_unanswered,
    shorten,
    to_task,
    update_task,
)
from dialgauge.io.store.people_tables import answers, assignments, people, stays
from dialgauge.io.store.people_will import (
    ConsentError,
    blank_codes,
    check_entered,
    check_stays,
    empty_log,
    find_code,
    has_agreed,
    note_agreement,
    note_withdrawal,
    show_code,
)
from dialgauge.io.store.records import RaterEntry
from dialgauge.io.store.registering import register_rater
from dialgauge.io.store.tables import AnyText, raters, targets
from dialgauge.io.words import clip
from dialgauge.model import Dialogue, Missing
from dialgauge.model.people import Answer, Assignment

_SAID = ("value", "missing", "text", "revision", "at")
Clock = Callable[[], datetime]
"""Gives the moment, with a time zone."""


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
        """Return the name of the rater with ``code``; a new one is registered, and named by the order of entering.

        Large and small letters are the same; the code stays as it was first written.
        """
        with self._write() as connection:
            at = now()
            known = find_code(connection, code)
            if known is not None:
                return known
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

        It is the one they hold already; else one that they completed and that lacks an answer to a dimension of
        ``rules``, which stays completed; else one of theirs that expired and still lacks raters; else a new one of the
        targets with the fewest raters, of which ``choose`` takes one. A target that they gave back is never given to
        them again. Raises WithdrawnError for somebody who withdrew, and ConsentError where there is one
        for them and they have not agreed to the text of ``rules``.
        """
        with self._write() as connection:
            at = now()
            check_entered(connection, rater)
            _expire(connection, at)
            shorten(connection, at + rules.hold)
            given = find_task(connection, rater, rules, choose=choose, at=at)
            agreed = given is None or rules.consent is None or has_agreed(connection, rater, rules.consent)
            if not agreed:
                raise ConsentError(f"{clip(rater)!r} has not agreed to the text of the study; let them agree first")
        return given

    def task(self, rater: str, target: str, *, now: Clock) -> Assignment:
        """Return what became of the task of ``rater`` on ``target``; InputError where they were never given it."""
        with begin(self._engine) as connection:
            found = _read_one(connection, rater, target)
            check_stays(connection, rater)
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
        seen: int | None = None,
    ) -> Answer:
        """Append what was ``said`` (value, missing reason, remark) to the log, and return the current answer.

        Nothing is appended where it is the same as before, and where the current answer is of a newer revision than the
        one that was ``seen`` (0: none; None: do not look). A reservation is renewed; one that expired is taken up again
        where the target still lacks raters. InputError where ``rater`` was never given ``target``.
        """
        value, missing, text = said[0], said[1], AnyText().process_bind_param(said[2], self._engine.dialect)
        with self._write() as connection:
            at = now()
            _expire(connection, at)
            task = _read_one(connection, rater, target)
            check_stays(connection, rater)
            if task.state == "reserved" or (task.state == "expired" and target in read_lacking(connection, rules)):
                hold(connection, task, at + rules.hold)
            before = _read_current(connection, rater, target).get(dimension)
            newer = before is not None and seen is not None and before.revision > seen
            if before is not None and (newer or before.says(value, missing, text)):
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
            check_stays(connection, rater)
            answered = _read_current(connection, rater, target)
            lacking = [name for name in dimensions if name not in answered]
            if lacking:
                named = ", ".join(map(repr, lacking))
                raise InputError(f"the task on {clip(target)!r} lacks an answer to {named}; answer it, then complete")
            update_task(connection, rater, target, state="completed", ended=at)

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
                update_task(connection, rater, target, state="given-back", ended=at)

    def stop(self, rater: str, *, now: Clock) -> None:
        """Let go of all that ``rater`` holds, as if its time had run out just now: they may take it up again."""
        with self._write() as connection:
            at = now()
            _expire(connection, at)
            held = sa.update(assignments).where(_is("reserved"), assignments.c.rater == rater)
            connection.execute(held.values(state="expired", expires=at, ended=at))

    def completed(self, rater: str) -> tuple[tuple[str, datetime], ...]:
        """Return the targets that ``rater`` completed and the moments of that, the newest first."""
        query = sa.select(assignments.c.target, assignments.c.ended).where(_is("completed"))
        query = query.where(assignments.c.rater == rater)
        with begin(self._engine) as connection:
            rows = connection.execute(query.order_by(assignments.c.ended.desc(), assignments.c.id.desc()))
            return tuple((target, ended) for target, ended in rows)

    def given_back(self, rater: str) -> tuple[str, ...]:
        """Return the targets that ``rater`` gave back."""
        query = sa.select(assignments.c.target).where(_is("given-back"), assignments.c.rater == rater)
        with begin(self._engine) as connection:
            return tuple(connection.scalars(query.order_by(assignments.c.id)))

    def held(self, rater: str, *, now: Clock) -> tuple[str, ...]:
        """Return the targets that ``rater`` holds."""
        held = sa.and_(_is("reserved"), assignments.c.expires > now(), assignments.c.rater == rater)
        with begin(self._engine) as connection:
            return tuple(connection.scalars(sa.select(assignments.c.target).where(held).order_by(assignments.c.id)))

    def count_by_target(self, *, now: Clock) -> tuple[tuple[str, int, int], ...]:
        """Return for each target of the study, in their order, how many completed it and how many hold it."""
        of_target = sa.and_(assignments.c.target == targets.c.id, stays())
        query = sa.select(targets.c.id, *_tally(now())).join_from(targets, assignments, of_target, isouter=True)
        query = query.where(targets.c.purpose == "study").group_by(targets.c.id, targets.c.position)
        with begin(self._engine) as connection:
            rows = connection.execute(query.order_by(targets.c.position))
            return tuple((name, done, held) for name, done, held in rows)

    def count_unanswered(self, dimensions: Collection[str]) -> dict[str, int]:
        """Return for targets how many completed it without an answer to one of ``dimensions``, which came later."""
        with begin(self._engine) as connection:
            return dict(Counter(target for _, target in read_unanswered(connection, dimensions)))

    def count_by_person(self, *, now: Clock, pause: timedelta) -> tuple[PersonProgress, ...]:
        """Return how far each person is, by name; a ``pause`` of that length interrupts a dialogue."""
        with begin(self._engine) as connection:
            return read_progress(connection, at=now(), pause=pause)

    def codes(self) -> dict[str, str]:
        """Return the code of each rater who entered, "" where it was blanked."""
        with begin(self._engine) as connection:
            rows = connection.execute(sa.select(people.c.rater, people.c.code).order_by(people.c.id))
            return {rater: show_code(code) for rater, code in rows}

    def find(self, code: str) -> str | None:
        """Return the rater who entered with ``code``, None where nobody did."""
        with begin(self._engine) as connection:
            return find_code(connection, code)

    def agree(self, rater: str, text_hash: str, *, now: Clock) -> None:
        """Keep that ``rater`` agreed to the text with this SHA-256; the first moment stays."""
        with self._write() as connection:
            note_agreement(connection, rater, text_hash, at=now())

    def withdraw(self, rater: str, *, now: Clock) -> bool:
        """Keep that ``rater`` withdrew, and return whether that is new: nothing of theirs counts from now on."""
        with self._write() as connection:
            at = now()
            _expire(connection, at)
            return note_withdrawal(connection, rater, at=at)

    def erase_codes(self, rater: str | None = None) -> int:
        """Blank the code of ``rater``, or all codes, for good; return how many there were."""
        with self._write() as connection:
            n = blank_codes(connection, rater)
        empty_log(self._engine)
        return n

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


def _expire(connection: sa.Connection, at: datetime) -> None:
    over = sa.update(assignments).where(_is("reserved"), assignments.c.expires <= at)
    connection.execute(over.values(state="expired", ended=assignments.c.expires))


def _read_one(connection: sa.Connection, rater: str, target: str) -> Assignment:
    query = sa.select(assignments).where(assignments.c.rater == rater, assignments.c.target == target)
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        raise InputError(f"the target {clip(target)!r} is no task of {clip(rater)!r}; ask for the next task")
    return to_task(row)


def _read_log(connection: sa.Connection, rater: str, target: str) -> list[tuple[str, Answer]]:
    query = sa.select(answers).where(answers.c.rater == rater, answers.c.target == target).order_by(answers.c.id)
    rows = connection.execute(query).mappings()
    return [(row["dimension"], Answer(**{name: row[name] for name in _SAID})) for row in rows]


def _read_current(connection: sa.Connection, rater: str, target: str) -> dict[str, Answer]:
    return dict(_read_log(connection, rater, target))
