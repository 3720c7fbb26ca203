"""People who rate: who entered, who holds or has done which target, and every answer that was given."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_KEYS = {
    "people": "id = NEW.id OR rater = NEW.rater OR code = NEW.code",
    "assignments": "id = NEW.id OR (rater = NEW.rater AND target = NEW.target)",
    "answers": (
        "id = NEW.id OR (rater = NEW.rater AND target = NEW.target"
        " AND dimension = NEW.dimension AND revision = NEW.revision)"
    ),
}
"""SQLite only: REPLACE deletes the old row without asking the trigger on DELETE."""

_CHANGES = {
    "assignments": (
        "NEW.id <> OLD.id OR NEW.rater <> OLD.rater OR NEW.target <> OLD.target OR NEW.reserved <> OLD.reserved",
        "OLD.state = 'completed'",
    ),
    "raters": (
        "NEW.name <> OLD.name",
        "EXISTS (SELECT 1 FROM ratings WHERE rater = OLD.name)",
        "EXISTS (SELECT 1 FROM people WHERE rater = OLD.name)",
    ),
    "targets": (
        "NEW.id <> OLD.id OR NEW.position <> OLD.position OR NEW.purpose <> OLD.purpose",
        "EXISTS (SELECT 1 FROM ratings WHERE target = OLD.id)",
        "EXISTS (SELECT 1 FROM simulations WHERE dialogue = OLD.id)",
        "EXISTS (SELECT 1 FROM assignments WHERE target = OLD.id)",
    ),
}
"""The changes that are refused where others are allowed: to what a task is of, what is done, and what people rated."""


def upgrade() -> None:
    """Make the tables of people, their triggers, and narrower ones for what people rate."""
    _make_tables()
    for table in _KEYS:
        _guard(table)
    for table, refused in _CHANGES.items():
        _limit_changes(table, " OR ".join(f"({part})" for part in refused))


def _make_tables() -> None:
    op.create_table(
        "people",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("rater", sa.Text, sa.ForeignKey("raters.name"), nullable=False, unique=True),
        sa.Column("code", sa.Text, nullable=False, unique=True),
        sa.Column("entered", sa.DateTime, nullable=False),
    )
    op.create_table(
        "assignments",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("target", sa.Text, sa.ForeignKey("targets.id"), nullable=False),
        sa.Column("rater", sa.Text, sa.ForeignKey("people.rater"), nullable=False),
        sa.Column("reserved", sa.DateTime, nullable=False),
        sa.Column("expires", sa.DateTime, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("ended", sa.DateTime),
        sa.UniqueConstraint("rater", "target", name="assignments_key"),
        sa.CheckConstraint("(state = 'reserved') = (ended IS NULL)", name="assignments_reserved_or_ended"),
    )
    op.create_index("assignments_of_target", "assignments", ["target"])
    op.create_table(
        "answers",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("rater", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("dimension", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("missing", sa.Text),
        sa.Column("text", sa.Text),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.ForeignKeyConstraint(["rater", "target"], ["assignments.rater", "assignments.target"]),
        sa.UniqueConstraint("rater", "target", "dimension", "revision", name="answers_key"),
        sa.CheckConstraint("(value IS NULL) <> (missing IS NULL)", name="answers_value_or_reason"),
    )


def _guard(table: str) -> None:
    """Refuse to delete rows, and to change those of a table in which no change is allowed."""
    changes = ("DELETE",) if table in _CHANGES else ("UPDATE", "DELETE")
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE {' OR '.join((*changes, 'TRUNCATE'))} ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION dialgauge_refuse_change()"
        )
        return
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    for change in changes:
        op.execute(f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {refuse}")
    op.execute(
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608 (names of this file only)
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {_KEYS[table]}) {refuse}"
    )


def _limit_changes(table: str, condition: str) -> None:
    """Refuse the changes of rows for which ``condition`` is true; in the place of what was refused before."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE OR REPLACE FUNCTION dialgauge_refuse_change_of_{table}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN IF {condition} THEN RAISE EXCEPTION '{table} is append-only'; END IF; RETURN NEW; END $$"
        )
        if table in _KEYS:
            op.execute(
                f"CREATE TRIGGER {table}_done_stay BEFORE UPDATE ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION dialgauge_refuse_change_of_{table}()"
            )
        return
    op.execute(f"DROP TRIGGER IF EXISTS {table}_no_update")
    op.execute(
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    )
