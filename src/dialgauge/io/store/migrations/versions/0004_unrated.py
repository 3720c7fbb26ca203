"""What nobody has rated, or been rated by, is not recorded yet: such targets and raters may be changed in place."""

from alembic import op

revision = "0004"
down_revision = "0003"

_CHANGES = {
    "raters": (
        "NEW.name <> OLD.name",
        "EXISTS (SELECT 1 FROM ratings WHERE rater = OLD.name)",
    ),
    "targets": (
        "NEW.id <> OLD.id OR NEW.position <> OLD.position OR NEW.purpose <> OLD.purpose",
        "EXISTS (SELECT 1 FROM ratings WHERE target = OLD.id)",
        "EXISTS (SELECT 1 FROM simulations WHERE dialogue = OLD.id)",
    ),
}
"""The changes that are still refused. The first of each table keeps what other tables refer to."""


def upgrade() -> None:
    """Put narrower triggers in the place of those that refuse every change."""
    for table, refused in _CHANGES.items():
        condition = " OR ".join(f"({part})" for part in refused)
        if op.get_bind().dialect.name == "postgresql":
            _guard_postgresql(table, condition)
        else:
            _guard_sqlite(table, condition)


def _guard_sqlite(table: str, condition: str) -> None:
    op.execute(f"DROP TRIGGER {table}_no_update")
    op.execute(
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    )


def _guard_postgresql(table: str, condition: str) -> None:
    op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION dialgauge_refuse_change()"
    )
    op.execute(
        f"CREATE FUNCTION dialgauge_refuse_change_of_{table}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF {condition} THEN RAISE EXCEPTION '{table} is append-only'; END IF; RETURN NEW; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_rated_stay BEFORE UPDATE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION dialgauge_refuse_change_of_{table}()"
    )
