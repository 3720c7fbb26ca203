"""The tables of people who rate, as the program sees them; migrations 0006 and 0008 make them in a database."""

import sqlalchemy as sa

from dialgauge.io.store.tables import AnyText, BigId, Utc, metadata

people = sa.Table(
    "people",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("rater", sa.Text, sa.ForeignKey("raters.name"), nullable=False, unique=True),
    sa.Column("code", sa.Text, nullable=False, unique=True),
    sa.Column("entered", Utc, nullable=False),
)

assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("target", sa.Text, sa.ForeignKey("targets.id"), nullable=False),
    sa.Column("rater", sa.Text, sa.ForeignKey("people.rater"), nullable=False),
    sa.Column("reserved", Utc, nullable=False),
    sa.Column("expires", Utc, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("ended", Utc),
    sa.UniqueConstraint("rater", "target", name="assignments_key"),
    sa.CheckConstraint("(state = 'reserved') = (ended IS NULL)", name="assignments_reserved_or_ended"),
    sa.Index("assignments_of_target", "target"),
)

answers = sa.Table(
    "answers",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("rater", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("dimension", sa.Text, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("value", sa.Double),
    sa.Column("missing", sa.Text),
    sa.Column("text", AnyText),
    sa.Column("at", Utc, nullable=False),
    sa.ForeignKeyConstraint(["rater", "target"], ["assignments.rater", "assignments.target"]),
    sa.UniqueConstraint("rater", "target", "dimension", "revision", name="answers_key"),
    sa.CheckConstraint("(value IS NULL) <> (missing IS NULL)", name="answers_value_or_reason"),
)

consents = sa.Table(
    "consents",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("rater", sa.Text, sa.ForeignKey("people.rater"), nullable=False),
    sa.Column("text_hash", sa.Text, nullable=False),
    sa.Column("at", Utc, nullable=False),
    sa.UniqueConstraint("rater", "text_hash", name="consents_key"),
)

withdrawals = sa.Table(
    "withdrawals",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("rater", sa.Text, sa.ForeignKey("people.rater"), nullable=False, unique=True),
    sa.Column("at", Utc, nullable=False),
)


def stays() -> sa.ColumnElement[bool]:
    """Return whether a task counts, for use in a query: its rater has not withdrawn."""
    return assignments.c.rater.not_in(who_withdrew())


def who_withdrew() -> sa.ScalarSelect[str]:
    """Return the raters who withdrew, for use in a query: what they answered counts nowhere."""
    return sa.select(withdrawals.c.rater).scalar_subquery()
