"""What is recorded stays: the database itself refuses to change or delete it."""

from alembic import op

revision = "0002"
down_revision = "0001"

_TABLES = ("study", "targets", "prompts", "raters", "attempts", "ratings")

_KEYS = {
    "attempts": "id = NEW.id",
    "ratings": (
        "id = NEW.id OR (rater = NEW.rater AND target = NEW.target"
        " AND dimension = NEW.dimension AND replicate = NEW.replicate)"
    ),
}
"""SQLite only: REPLACE deletes the old row without asking the trigger on DELETE."""


def upgrade() -> None:
    """Make the triggers."""
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def _guard_sqlite() -> None:
    for table in _TABLES:
        refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for change in ("UPDATE", "DELETE"):
            op.execute(f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {refuse}")
        if table in _KEYS:
            op.execute(
                f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608 (names of this file only)
                f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {_KEYS[table]}) {refuse}"
            )


def _guard_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION dialgauge_refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in _TABLES:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION dialgauge_refuse_change()"
        )
