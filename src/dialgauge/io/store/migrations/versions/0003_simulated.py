"""Simulated dialogues: who simulated them and how, their turns, calls and paraphrase pairs. Append-only too."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_KEYS = {
    "simulators": "hash = NEW.hash",
    "simulations": (
        "id = NEW.id OR dialogue = NEW.dialogue OR (system = NEW.system AND persona = NEW.persona"
        " AND preference = NEW.preference AND replicate = NEW.replicate)"
    ),
    "simulated_turns": "simulation = NEW.simulation AND number = NEW.number",
    "simulated_calls": "id = NEW.id",
    "paraphrase_pairs": "simulation = NEW.simulation AND turn = NEW.turn",
}
"""SQLite only: REPLACE deletes the old row without asking the trigger on DELETE."""


def upgrade() -> None:
    """Make the tables of simulated dialogues, and their triggers."""
    _make_simulations()
    _make_parts()
    for table in _KEYS:
        _guard(table)


def _make_simulations() -> None:
    op.create_table(
        "simulators",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("users", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("prompt_hash", sa.Text, sa.ForeignKey("prompts.hash")),
    )
    op.create_table(
        "simulations",
        sa.Column("id", _ID, primary_key=True, autoincrement=False),
        sa.Column("run", _ID, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("simulator", sa.Text, sa.ForeignKey("simulators.hash"), nullable=False),
        sa.Column("dialogue", sa.Text, nullable=False, unique=True),
        sa.Column("system", sa.Text, nullable=False),
        sa.Column("persona", sa.Text, nullable=False),
        sa.Column("preference", sa.Text, nullable=False),
        sa.Column("replicate", sa.Integer, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("wants", sa.Text, nullable=False),
        sa.Column("targets", sa.Text, nullable=False),
        sa.Column("ended", sa.Text, nullable=False),
        sa.Column("failure", sa.Text),
        sa.Column("notices", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("started", sa.DateTime, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.UniqueConstraint("system", "persona", "preference", "replicate", name="simulations_key"),
    )


def _make_parts() -> None:
    op.create_table(
        "simulated_turns",
        sa.Column("simulation", _ID, sa.ForeignKey("simulations.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("speaker", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("feeling", sa.Text),
        sa.Column("accepting", sa.Boolean),
        sa.Column("accepts", sa.Text),
        sa.Column("accepts_title", sa.Text),
        sa.Column("ranking", sa.Text),
        sa.Column("recommends", sa.Boolean),
        sa.Column("failure", sa.Text),
        sa.Column("seconds", sa.Double),
    )
    op.create_table(
        "simulated_calls",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("run", _ID, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("simulation", _ID, sa.ForeignKey("simulations.id")),
        sa.Column("user_turn", sa.Integer, nullable=False),
        sa.Column("step", sa.Text, nullable=False),
        sa.Column("started", sa.DateTime, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("cost", sa.Double),
        sa.Column("error", sa.Text),
    )
    op.create_index("simulated_calls_of", "simulated_calls", ["simulation"])
    op.create_table(
        "paraphrase_pairs",
        sa.Column("simulation", _ID, sa.ForeignKey("simulations.id"), primary_key=True),
        sa.Column("turn", sa.Integer, primary_key=True),
        sa.Column("wording", sa.Text, nullable=False),
        sa.Column("paraphrase", sa.Text, nullable=False),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("second", sa.Text, nullable=False),
    )


def _guard(table: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION dialgauge_refuse_change()"
        )
        return
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    for change in ("UPDATE", "DELETE"):
        op.execute(f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {refuse}")
    op.execute(
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608 (names of this file only)
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {_KEYS[table]}) {refuse}"
    )
