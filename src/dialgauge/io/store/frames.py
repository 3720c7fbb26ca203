"""From the store to tables: read in chunks, so that the rows are never there twice."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl
import sqlalchemy as sa

from dialgauge.io.store.people_tables import answers, assignments, who_withdrew, withdrawals
from dialgauge.io.store.registering import read_scales, read_snapshots
from dialgauge.io.store.tables import attempts, raters, ratings, runs, targets
from dialgauge.io.store.writing import TERMINAL
from dialgauge.io.words import count
from dialgauge.model import RATING_SCHEMA, Purpose, Ratings, Scale

CHUNK = 20_000
FIRST_ROW = 2

_TEXTS = ("request", "answer")
_TYPES: tuple[tuple[type[sa.types.TypeEngine[Any]], pl.DataType], ...] = (
    (sa.Text, pl.String()),
    (sa.Integer, pl.Int64()),
    (sa.Double, pl.Float64()),
    (sa.Boolean, pl.Boolean()),
    (sa.DateTime, pl.Datetime("us", "UTC")),
)


def read_frame(connection: sa.Connection, query: sa.Select[Any]) -> pl.DataFrame:
    """Return the rows of ``query`` as a table, with a type for each column even where there is no row."""
    schema = {column.name: _type_of(column.type) for column in query.selected_columns}
    result = connection.execution_options(yield_per=CHUNK).execute(query)
    parts = [pl.DataFrame(schema=schema)]
    for rows in result.partitions():
        cells = zip(schema.items(), zip(*rows, strict=True), strict=True)
        parts.append(pl.DataFrame([pl.Series(name, values, dtype=dtype) for (name, dtype), values in cells]))
    return pl.concat(parts)


def read_ratings(
    connection: sa.Connection, source: str, *, purpose: Purpose | None, occasion: int | None, variants: bool
) -> Ratings:
    """Return the ratings, and a missing one for each that only has calls that failed."""
    failed = read_failed(connection, purpose=purpose, occasion=occasion)
    key = [ratings.c.target, ratings.c.rater, ratings.c.dimension, ratings.c.replicate]
    query = sa.select(*key, ratings.c.value, ratings.c.missing, targets.c.position, ratings.c.expected)
    query = query.join_from(ratings, targets, ratings.c.target == targets.c.id)
    if purpose is not None:
        query = query.where(targets.c.purpose == purpose)
    if occasion is not None:
        query = query.where(ratings.c.occasion == occasion)
    given = read_frame(connection, query)
    names = [column.name for column in key]
    lacking = failed.join(given, on=names, how="anti").with_columns(expected=pl.lit(value=False))
    answered = read_answers(connection, purpose=purpose, occasion=occasion)
    done = answered.filter("completed")
    frame = pl.concat([given, lacking.select(given.columns), done.select(given.columns)])
    if not variants:
        bases = connection.scalars(sa.select(raters.c.name).where(raters.c.base.is_(None)))
        frame = frame.filter(pl.col("rater").is_in(list(bases)))
    snapshots = read_snapshots(connection)
    instrument = next((i for role, i in reversed(snapshots) if role == "study"), None)
    means = {*frame.filter("expected")["dimension"].unique()}
    frame, scales = _put_in_order(frame, read_scales(snapshots))
    notes = (*_count(frame, len(scales)), *_note_unfinished(answered), *_note_withdrawn(connection))
    if means:
        notes = (*notes, f"Expected scores are means of points: {count(len(means), 'dimension')} taken as continuous.")
    scales = {name: scale.over_its_range() if name in means else scale for name, scale in scales.items()}
    return Ratings(frame=frame, scales=scales, instrument=instrument, source=source, notes=notes)


def read_failed(connection: sa.Connection, *, purpose: Purpose | None, occasion: int | None) -> pl.DataFrame:
    """Return the key and the last reason of everything for which a call failed, whether or not one succeeded later."""
    columns = [attempts.c.target, attempts.c.rater, attempts.c.dimensions, attempts.c.replicate, attempts.c.state]
    query = sa.select(*columns, targets.c.position).join(targets, attempts.c.target == targets.c.id)
    query = query.where(attempts.c.state.in_(TERMINAL)).order_by(attempts.c.id)
    if purpose is not None:
        query = query.where(targets.c.purpose == purpose)
    if occasion is not None:
        query = query.join(runs, attempts.c.run == runs.c.id).where(runs.c.occasion == occasion)
    frame = read_frame(connection, query).rename({"state": "missing"})
    frame = _split_dimensions(frame).explode("dimensions").rename({"dimensions": "dimension"})
    frame = frame.unique(["target", "rater", "dimension", "replicate"], keep="last", maintain_order=True)
    return frame.with_columns(value=pl.lit(None, pl.Float64))


def read_answers(connection: sa.Connection, *, purpose: Purpose | None, occasion: int | None) -> pl.DataFrame:
    """Return the current answers of people as ratings, and for each whether its task is completed.

    Those of tasks that are not are no ratings yet; what somebody answered who withdrew is left out. People answer on no
    other occasion than 0.
    """
    key = [answers.c.rater, answers.c.target, answers.c.dimension]
    last = sa.select(*key, sa.func.max(answers.c.revision).label("revisions")).group_by(*key).subquery()
    same = [answers.c[column.name] == last.c[column.name] for column in key]
    query = sa.select(*key, answers.c.value, answers.c.missing, answers.c.text, answers.c.at)
    query = query.add_columns((last.c.revisions - 1).label("revisions"))
    query = query.add_columns(assignments.c.state, targets.c.position, targets.c.purpose)
    query = query.join(last, sa.and_(*same, answers.c.revision == last.c.revisions))
    task = sa.and_(assignments.c.rater == answers.c.rater, assignments.c.target == answers.c.target)
    query = query.join(assignments, task).join(targets, targets.c.id == answers.c.target)
    query = query.where(answers.c.rater.not_in(who_withdrew()))
    if purpose is not None:
        query = query.where(targets.c.purpose == purpose)
    if occasion not in {None, 0}:
        query = query.where(sa.false())
    frame = read_frame(connection, query.order_by(answers.c.id))
    return frame.with_columns(
        completed=pl.col("state") == "completed",
        replicate=pl.lit(1, pl.Int64),
        expected=pl.lit(value=False),
        occasion=pl.lit(0, pl.Int64),
        kind=pl.lit("human"),
    )


def read_answer_log(connection: sa.Connection, *, purpose: Purpose | None) -> pl.DataFrame:
    """Return every answer of people in the order in which they were given, those of tasks not completed too.

    What somebody answered who withdrew is left out.
    """
    key = [answers.c.rater, answers.c.target, answers.c.dimension]
    last = sa.func.max(answers.c.revision).over(partition_by=key)
    said = [answers.c.value, answers.c.missing, answers.c.text, answers.c.at]
    query = sa.select(*key, (answers.c.revision - 1).label("revision"), *said, assignments.c.state)
    query = query.add_columns((last - 1).label("last"))
    task = sa.and_(assignments.c.rater == answers.c.rater, assignments.c.target == answers.c.target)
    query = query.join(assignments, task).join(targets, targets.c.id == answers.c.target)
    query = query.where(answers.c.rater.not_in(who_withdrew()))
    if purpose is not None:
        query = query.where(targets.c.purpose == purpose)
    frame = read_frame(connection, query.order_by(answers.c.id))
    return frame.with_columns(
        current=pl.col("revision") == pl.col("last"), completed=pl.col("state") == "completed"
    ).drop("state", "last")


def read_attempts(connection: sa.Connection, *, texts: bool) -> pl.DataFrame:
    """Return one row an attempt in the order in which they were written; the raw exchange only with ``texts``."""
    columns = [column for column in attempts.c if texts or column.name not in _TEXTS]
    query = sa.select(*columns, targets.c.purpose).join(targets, attempts.c.target == targets.c.id)
    return _split_dimensions(read_frame(connection, query.order_by(attempts.c.id)))


def read_details(connection: sa.Connection, *, purpose: Purpose | None, texts: bool) -> pl.DataFrame:
    """Return one row a rating with all that is known of it, in the order in which they were written; people's last."""
    of_attempt = ["started", "seconds", "finish_reason", "model", "fingerprint", *(_TEXTS if texts else ())]
    columns = [column for column in ratings.c if column is not ratings.c.id]
    columns += [raters.c.kind, raters.c.base, raters.c.variant, targets.c.purpose]
    query = sa.select(*columns, *(attempts.c[name] for name in of_attempt))
    query = query.join(attempts, ratings.c.attempt == attempts.c.id).join(raters, ratings.c.rater == raters.c.name)
    query = query.join(targets, ratings.c.target == targets.c.id)
    if purpose is not None:
        query = query.where(targets.c.purpose == purpose)
    given = read_frame(connection, query.order_by(ratings.c.id))
    answered = read_answers(connection, purpose=purpose, occasion=None).filter("completed")
    names = [name for name in (*given.columns, "revisions", "at") if name in answered.columns]
    return pl.concat([given, answered.select(names)], how="diagonal")


def read_fingerprints(connection: sa.Connection) -> pl.DataFrame:
    """Return which model answered in which version: calls, and the first and the last moment, for each rater."""
    kind = [attempts.c.rater, attempts.c.model, attempts.c.fingerprint]
    first = sa.func.min(attempts.c.started).label("first")
    last = sa.func.max(attempts.c.started).label("last")
    query = sa.select(*kind, sa.func.count().label("calls"), first, last).where(attempts.c.answer.is_not(None))
    return read_frame(connection, query.group_by(*kind).order_by(attempts.c.rater, first))


def _put_in_order(frame: pl.DataFrame, declared: Mapping[str, Scale]) -> tuple[pl.DataFrame, dict[str, Scale]]:
    """Sort by target, rater, dimension and replicate, whatever the order in which answers came, and number the rows."""
    present = {*frame["dimension"].unique()}
    scales = {name: scale for name, scale in declared.items() if name in present}
    place = pl.col("dimension").replace_strict(list(scales), range(len(scales)), default=None, return_dtype=pl.Int64)
    frame = frame.sort("position", "rater", place, "replicate")
    rows = pl.int_range(FIRST_ROW, pl.len() + FIRST_ROW, dtype=pl.Int64)
    return frame.with_columns(row=rows).select(list(RATING_SCHEMA)), scales


def _count(frame: pl.DataFrame, n_dimensions: int) -> tuple[str, ...]:
    """Return how many ratings of what by whom there are, and how many are missing why."""
    n_targets, n_raters = frame["target"].n_unique(), frame["rater"].n_unique()
    sizes = " × ".join([count(n_targets, "target"), count(n_raters, "rater"), count(n_dimensions, "dimension")])
    line = f"Read {count(frame.height, 'rating')}: {sizes}."
    missing = frame.drop_nulls("missing").group_by("missing").len("n").sort("n", "missing", descending=[True, False])
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in missing.iter_rows())
    return (line, f"Missing values, left as they are: {reasons}.") if reasons else (line,)


def _note_unfinished(answered: pl.DataFrame) -> tuple[str, ...]:
    """Return what was answered by people and is no rating, if anything."""
    left = answered.filter(~pl.col("completed"))
    if not left.height:
        return ()
    tasks = count(left.select("rater", "target").n_unique(), "task")
    verb = "is" if left.height == 1 else "are"
    return (f"{count(left.height, 'answer')} by people {verb} left out, in {tasks} not completed.",)


def _note_withdrawn(connection: sa.Connection) -> tuple[str, ...]:
    """Return how many people withdrew, if any did."""
    n = connection.scalar(sa.select(sa.func.count()).select_from(withdrawals)) or 0
    return (f"Left out: all answers by {n:,} {'person' if n == 1 else 'people'} who withdrew.",) if n else ()


def _split_dimensions(frame: pl.DataFrame) -> pl.DataFrame:
    lists = [json.loads(text) for text in frame["dimensions"]]
    return frame.with_columns(pl.Series("dimensions", lists, dtype=pl.List(pl.String)))


def _type_of(column: sa.types.TypeEngine[Any]) -> pl.DataType:
    """Return the type of a table for that of a database."""
    plain = column.impl if isinstance(column, sa.types.TypeDecorator) else column
    return next(dtype for kind, dtype in _TYPES if isinstance(plain, kind))
