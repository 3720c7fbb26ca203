"""What people agreed to, and that somebody withdrew; a code may be blanked, and nothing else of a person changed."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_KEYS = {
    "consents": "id = NEW.id OR (rater = NEW.rater AND text_hash = NEW.text_hash)",
    "withdrawals": "id = NEW.id OR rater = NEW.rater",
}
"""SQLite only: REPLACE deletes the old row without asking the trigger on DELETE."""

_OTHER_THAN_BLANKING = (
    "NEW.id <> OLD.id OR NEW.rater <> OLD.rater OR NEW.entered <> OLD.entered OR NEW.code <> {char}(31) || OLD.rater"
)
"""A blanked code is a character that no code can have, and the name, as codes are to differ."""


def upgrade() -> None:
    """Make the two tables with their triggers, and narrow that on changes of people."""
    op.create_table(
        "consents",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("rater", sa.Text, sa.ForeignKey("people.rater"), nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.UniqueConstraint("rater", "text_hash", name="consents_key"),
    )
    op.create_table(
        "withdrawals",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("rater", sa.Text, sa.ForeignKey("people.rater"), nullable=False, unique=True),
        sa.Column("at", sa.DateTime, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def _guard_sqlite() -> None:
    for table, same in _KEYS.items():
        refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for change in ("UPDATE", "DELETE"):
            op.execute(f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {refuse}")
        op.execute(
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608 (names of this file only)
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) {refuse}"
        )
    op.execute("DROP TRIGGER people_no_update")
    op.execute(
        f"CREATE TRIGGER people_no_update BEFORE UPDATE ON people WHEN {_OTHER_THAN_BLANKING.format(char='char')} "
        "BEGIN SELECT RAISE(ABORT, 'people is append-only'); END"
    )


def _guard_postgresql() -> None:
    for table in _KEYS:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION dialgauge_refuse_change()"
        )
    op.execute("DROP TRIGGER people_append_only ON people")
    op.execute(
        "CREATE TRIGGER people_append_only BEFORE DELETE OR TRUNCATE ON people "
        "FOR EACH STATEMENT EXECUTE FUNCTION dialgauge_refuse_change()"
    )
    op.execute(
        "CREATE OR REPLACE FUNCTION dialgauge_refuse_change_of_people() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF {_OTHER_THAN_BLANKING.format(char='chr')} THEN RAISE EXCEPTION 'people is append-only'; "
        "END IF; RETURN NEW; END $$"
    )
    op.execute(
        "CREATE TRIGGER people_done_stay BEFORE UPDATE ON people "
        "FOR EACH ROW EXECUTE FUNCTION dialgauge_refuse_change_of_people()"
    )
