"""The store of a study: what was registered, and every attempt and rating, for good."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import polars as pl
import sqlalchemy as sa

from dialgauge.io.store import frames
from dialgauge.io.store.backup import copy_database
from dialgauge.io.store.engine import ConstraintError, begin, make_engine, show_location
from dialgauge.io.store.lock import hold_lock
from dialgauge.io.store.people import PeopleTables
from dialgauge.io.store.records import (
    CallKey,
    RaterCounts,
    RaterEntry,
    RatingKey,
    Spent,
    describe_rater,
    to_canonical,
)
from dialgauge.io.store.registering import (
    in_batches,
    read_scales,
    read_snapshots,
    register_instrument,
    register_rater,
    register_targets,
)
from dialgauge.io.store.schema import prepare
from dialgauge.io.store.simulated_tables import simulations
from dialgauge.io.store.simulations import SimulationTables
from dialgauge.io.store.spending import sum_spent
from dialgauge.io.store.tables import attempts, prompts, raters, ratings, runs, targets
from dialgauge.io.store.writing import TERMINAL, Item, RatingOf, explain_refusal, key_of, write_items
from dialgauge.model import Dialogue, Instrument, Purpose, Ratings, Scale, Study

PAGE = 200
"""Dialogues that are in memory at a time while all are read."""


def open_store(location: str | Path, *, create: bool = False) -> "Store":
    """Open the store in a SQLite file or behind a ``postgresql://`` URL; with ``create`` an empty one is made.

    Tables of an older version are brought up to date. Raises StoreError where there is none, where it holds something
    else or was written by a newer version, and where the driver is missing.
    """
    engine = make_engine(location, create=create)
    try:
        prepare(engine, create=create)
    except BaseException:
        engine.dispose()
        raise
    return Store(engine)


class Store:
    """What a study has collected so far. Records are added, never changed; made by `open_store`.

    Every method raises StoreError where the database cannot be read or written.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._prompts: dict[str, str] | None = None
        self._rehearsal: sa.Connection | None = None
        self._check_lock: Callable[[], None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @property
    def location(self) -> str:
        """The file or the URL of the database, without a password."""
        return show_location(self._engine.url)

    @property
    def simulated(self) -> SimulationTables:
        """The simulated dialogues of the study: iterate over it, or see its methods."""
        return SimulationTables(self._engine)

    @property
    def people(self) -> PeopleTables:
        """The people who rate, what they hold and what they answered; see `dialgauge.collect.people`."""
        return PeopleTables(self._engine)

    def back_up(self, path: str | Path) -> None:
        """Copy the database to a new file, also while others write to it; raises what `copy_database` does."""
        copy_database(self._engine, Path(path))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let no other process hold the same lock in the block; StudyError where one does."""
        with hold_lock(self._engine) as check:
            self._check_lock = check
            try:
                yield
            finally:
                self._check_lock = None

    def check_lock(self) -> None:
        """Take the lock again where it was lost inside its block; StudyError where another process has it by then."""
        if self._check_lock is not None:
            self._check_lock()

    @contextmanager
    def rehearse(self) -> Iterator[None]:
        """Take back at the end of the block whatever was registered in it: all in one transaction that is undone."""
        with begin(self._engine, write=True) as connection:
            self._rehearsal = connection
            try:
                yield
            finally:
                self._rehearsal = self._prompts = None
                connection.rollback()

    # ------------------------------------------------------------------------------------------ what the study is

    def register(
        self,
        study: Study,
        instrument: Instrument,
        *others: RaterEntry,
        measures: Instrument | None = None,
        template: str | None = None,
        code: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Keep what is rated by whom, or check that it is as it was: all of it, or nothing.

        ``instrument`` is the study's, ``measures`` that of code raters without a function. ``template`` is the text of
        the prompt for the language models of ``study``, ``code`` the hash of the source of its code raters by name.
        ``others`` are raters beyond those of ``study.toml``, such as variants for a check. New raters and dimensions
        are added, those without a rating are replaced; raises StoreError, naming what was and is and the remedy, for a
        rater, a prompt or a dimension that has changed under its name since there are ratings.
        """
        entries = [describe_rater(one, study.prompt, template, code=code.get(one.name)) for one in study.raters]
        with self._begin(write=True) as connection:
            register_instrument(connection, study.name, instrument, role="study")
            if measures is not None:
                register_instrument(connection, study.name, measures, role="measures")
            for entry in (*entries, *others):
                register_rater(connection, entry)
        self._prompts = None

    def add_targets(self, dialogues: Iterable[Dialogue], *, purpose: Purpose = "study") -> int:
        """Keep dialogues as targets, and return how many were new: all of them, or none.

        One that nobody has rated is replaced. Raises StoreError for a target whose content has changed since it was
        rated or simulated, and for one whose purpose is not as it was.
        """
        with self._begin(write=True) as connection:
            return register_targets(connection, dialogues, purpose)

    def targets(self, *, purpose: Purpose | None = "study") -> Iterator[Dialogue]:
        """Yield the targets (of every purpose with None) in the order in which they came, some at a time."""
        last = 0
        query = sa.select(targets.c.position, targets.c.dialogue).order_by(targets.c.position).limit(PAGE)
        if purpose is not None:
            query = query.where(targets.c.purpose == purpose)
        while True:
            with self._begin() as connection:
                rows = connection.execute(query.where(targets.c.position > last)).all()
            if not rows:
                return
            for last, dialogue in rows:  # noqa: B007 (the next page goes on from it)
                yield Dialogue.model_validate_json(dialogue)

    def given_targets(self) -> frozenset[str]:
        """Return the ids of the targets of the study that were given to it, not simulated in it."""
        own = sa.select(targets.c.id).where(targets.c.purpose == "study")
        with self._begin() as connection:
            return frozenset(connection.scalars(own.where(targets.c.id.not_in(sa.select(simulations.c.dialogue)))))

    def count_targets(self, *, purpose: Purpose | None = "study") -> int:
        """Return the number of targets (of every purpose with None)."""
        query = sa.select(sa.func.count()).select_from(targets)
        if purpose is not None:
            query = query.where(targets.c.purpose == purpose)
        with self._begin() as connection:
            return connection.scalar(query) or 0

    def instrument(self) -> Instrument | None:
        """Return the instrument of the study as it was registered last; None before that."""
        with self._begin() as connection:
            return next((i for role, i in reversed(read_snapshots(connection)) if role == "study"), None)

    def scales(self) -> Mapping[str, Scale]:
        """Return the scale of every dimension that was ever registered."""
        with self._begin() as connection:
            return read_scales(read_snapshots(connection))

    def raters(self) -> tuple[RaterEntry, ...]:
        """Return the raters that were registered, with their settings and prompts, by name."""
        query = sa.select(raters, prompts.c.template).join(prompts, isouter=True).order_by(raters.c.name)
        with self._begin() as connection:
            return tuple(
                RaterEntry(
                    name=row.name,
                    kind=row.kind,
                    settings=json.loads(row.settings),
                    template=row.template,
                    base=row.base,
                    variant=row.variant,
                )
                for row in connection.execute(query)
            )

    # ------------------------------------------------------------------------------------------ what is to be done

    def done(self, rater: str, targets: Iterable[str] | None = None) -> set[RatingKey]:
        """Return what ``rater`` has rated, with a value or missing for good, of ``targets`` (all with None)."""
        columns = (ratings.c.target, ratings.c.dimension, ratings.c.replicate)
        query = sa.select(*columns).where(ratings.c.rater == rater)
        rows = self._select(query, ratings.c.target, targets)
        return {(target, dimension, replicate) for target, dimension, replicate in rows}

    def attempted(self, rater: str, targets: Iterable[str] | None = None) -> dict[CallKey, int]:
        """Return the number of the last attempt at each set of ratings that ``rater`` was asked for."""
        key = (attempts.c.target, attempts.c.replicate, attempts.c.dimensions)
        query = sa.select(*key, sa.func.max(attempts.c.number)).where(attempts.c.rater == rater).group_by(*key)
        rows = self._select(query, attempts.c.target, targets)
        return {(target, replicate, tuple(json.loads(names))): n for target, replicate, names, n in rows}

    # ------------------------------------------------------------------------------------------ what was done

    def begin_run(self, config: Mapping[str, object], *, seed: int, occasion: int = 0) -> int:
        """Note that a run begins, and return its number. ``config`` holds JSON types that name no machine."""
        row = {
            "started": datetime.now(UTC),
            "config": to_canonical(dict(config)),
            "seed": seed,
            "occasion": occasion,
            "version": version("dialgauge"),
        }
        with self._begin(write=True) as connection:
            return int(connection.execute(sa.insert(runs).returning(runs.c.id), row).scalar_one())

    def end_run(self, run: int, state: str) -> None:
        """Note how a run ended ("done", "interrupted", ...) and what it cost; unknown where one call's cost is."""
        with self._begin(write=True) as connection:
            spent = sum_spent(connection, run=run)
            cost = None if spent.calls_of_unknown_cost else spent.cost
            values = {"ended": datetime.now(UTC), "state": state, "cost": cost}
            connection.execute(sa.update(runs).where(runs.c.id == run).values(values))

    def write(self, run: int, items: Sequence[Item], *, skip_existing: bool = False) -> int:
        """Write attempts with their ratings in one transaction, and return how many ratings were new.

        Once it returns they survive a crash of the process and of the machine. An attempt that failed comes without
        ratings. Raises StoreError for a rating whose key is there (nothing of ``items`` is written then); with
        ``skip_existing`` the attempt is kept and the rating that was there first stays.
        """
        return len(self._write(run, items, skip_existing=skip_existing))

    def record(self, run: int, items: Sequence[Item]) -> list[Item]:
        """Write as `write` does with ``skip_existing``, and return the attempts with those ratings that were new."""
        new = self._write(run, items, skip_existing=True)
        return [(attempt, [one for one in given if new.pop(key_of(one), None)]) for attempt, given in items]

    def _write(self, run: int, items: Sequence[Item], *, skip_existing: bool) -> dict[RatingOf, bool]:
        try:
            with self._begin(write=True) as connection:
                prompt_of = self._read_prompts(connection)
                return write_items(connection, run, items, prompt_of=prompt_of, skip_existing=skip_existing)
        except ConstraintError as error:
            reason = str(error)
        with self._begin() as connection:
            raise explain_refusal(connection, run, items, reason)

    # ------------------------------------------------------------------------------------------ what came of it

    def spent(self) -> Spent:
        """Return what all calls of language models, as raters and as users, have used so far, over all runs."""
        with self._begin() as connection:
            return sum_spent(connection)

    def counts(self, *, purpose: Purpose | None = None) -> tuple[RaterCounts, ...]:
        """Return for each rater, by name, how many ratings have a value and how many are missing for which reason."""
        with self._begin() as connection:
            frame = frames.read_ratings(connection, self.location, purpose=purpose, occasion=None, variants=True).frame
            names = connection.scalars(sa.select(raters.c.name).order_by(raters.c.name)).all()
        reasons: dict[str, dict[Any, int]] = {name: {} for name in names}
        for name, reason, n in frame.group_by("rater", "missing").len().sort("rater", "missing").iter_rows():
            reasons[name][reason] = n
        return tuple(RaterCounts(rater=name, with_value=of.pop(None, 0), missing=of) for name, of in reasons.items())

    def ratings(
        self, *, purpose: Purpose | None = "study", occasion: int | None = None, variants: bool = False
    ) -> Ratings:
        """Return the ratings of one purpose and one occasion (all with None), on their declared scales.

        Where only calls that failed were made, the rating is missing with the last reason, "error" or "timeout".
        Raters that check another are left out without ``variants``. People's ratings are their current answers on the
        targets that they completed, as replicate 1 on occasion 0; a note counts the answers on those that they did not.
        """
        with self._begin() as connection:
            return frames.read_ratings(connection, self.location, purpose=purpose, occasion=occasion, variants=variants)

    def rating_details(self, *, purpose: Purpose | None = None, texts: bool = False) -> pl.DataFrame:
        """Return one row a rating with all that is known of it; with ``texts`` also the raw exchange.

        For ratings by people ``revisions`` is how often the answer was changed, and ``at`` its moment.
        """
        with self._begin() as connection:
            return frames.read_details(connection, purpose=purpose, texts=texts)

    def answer_log(self, *, purpose: Purpose | None = "study") -> pl.DataFrame:
        """Return one row an answer of people; ``revision`` is 0 for the first to a dimension, ``current`` for the last.

        Answers of tasks that are not ``completed`` are there too; they are no ratings yet.
        """
        with self._begin() as connection:
            return frames.read_answer_log(connection, purpose=purpose)

    def attempts(self, *, texts: bool = False) -> pl.DataFrame:
        """Return one row an attempt; with ``texts`` also the raw exchange."""
        with self._begin() as connection:
            return frames.read_attempts(connection, texts=texts)

    def fingerprints(self) -> pl.DataFrame:
        """Return which model answered for each rater: model, fingerprint, calls, first and last moment."""
        with self._begin() as connection:
            return frames.read_fingerprints(connection)

    def copies(self) -> dict[str, int]:
        """Return for each rater how many answers are, byte for byte, those of another replicate.

        Only answers with an id count: two calls have two ids, so such an answer was not given twice but kept.
        """
        key = (attempts.c.rater, attempts.c.target, attempts.c.dimensions)
        same = sa.func.count() - sa.func.count(attempts.c.answer.distinct())
        query = sa.select(attempts.c.rater, same.label("n")).where(
            attempts.c.answer.like('%"id"%'), attempts.c.state.not_in(TERMINAL)
        )
        groups = query.group_by(*key).having(same > 0).subquery()
        with self._begin() as connection:
            rows = connection.execute(sa.select(groups.c.rater, sa.func.sum(groups.c.n)).group_by(groups.c.rater))
            return {rater: int(n) for rater, n in rows}

    def runs(self) -> pl.DataFrame:
        """Return one row a run."""
        with self._begin() as connection:
            return frames.read_frame(connection, sa.select(runs).order_by(runs.c.id))

    @contextmanager
    def _begin(self, *, write: bool = False) -> Iterator[sa.Connection]:
        if self._rehearsal is not None:
            with self._rehearsal.begin_nested():
                yield self._rehearsal
            return
        with begin(self._engine, write=write) as connection:
            yield connection

    def _select(
        self, query: sa.Select[Any], column: sa.Column[Any], names: Iterable[str] | None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of ``query``, only those where ``column`` is among ``names`` if there are any."""
        with self._begin() as connection:
            if names is None:
                yield from map(tuple, connection.execute(query))
                return
            for batch in in_batches(names):
                yield from map(tuple, connection.execute(query.where(column.in_(batch))))

    def _read_prompts(self, connection: sa.Connection) -> Mapping[str, str]:
        if self._prompts is None:
            query = sa.select(raters.c.name, raters.c.prompt_hash).where(raters.c.prompt_hash.is_not(None))
            self._prompts = {row.name: row.prompt_hash for row in connection.execute(query)}
        return self._prompts
