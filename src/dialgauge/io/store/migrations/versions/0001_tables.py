"""The tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables of a study."""
    _make_study()
    _make_runs()
    _make_attempts()
    _make_ratings()


def _make_study() -> None:
    op.create_table(
        "study",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("instrument", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("snapshot", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_table(
        "targets",
        sa.Column("position", _ID, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("dialogue", sa.Text, nullable=False),
    )
    op.create_table(
        "prompts",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("template", sa.Text, nullable=False),
    )
    op.create_table(
        "raters",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("base", sa.Text, sa.ForeignKey("raters.name")),
        sa.Column("variant", sa.Text),
        sa.Column("prompt_hash", sa.Text, sa.ForeignKey("prompts.hash")),
    )


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("started", sa.DateTime, nullable=False),
        sa.Column("ended", sa.DateTime),
        sa.Column("state", sa.Text),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("occasion", sa.Integer, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("cost", sa.Double),
    )


def _make_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", _ID, primary_key=True, autoincrement=False),
        sa.Column("run", _ID, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("rater", sa.Text, sa.ForeignKey("raters.name"), nullable=False),
        sa.Column("target", sa.Text, sa.ForeignKey("targets.id"), nullable=False),
        sa.Column("dimensions", sa.Text, nullable=False),
        sa.Column("replicate", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("started", sa.DateTime, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("status", sa.Integer),
        sa.Column("finish_reason", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("fingerprint", sa.Text),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("cost", sa.Double),
        sa.Column("error", sa.Text),
        sa.Column("prompt_hash", sa.Text, sa.ForeignKey("prompts.hash")),
    )
    op.create_index("attempts_of_rater", "attempts", ["rater", "target"])


def _make_ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("attempt", _ID, sa.ForeignKey("attempts.id"), nullable=False),
        sa.Column("target", sa.Text, sa.ForeignKey("targets.id"), nullable=False),
        sa.Column("dimension", sa.Text, nullable=False),
        sa.Column("rater", sa.Text, sa.ForeignKey("raters.name"), nullable=False),
        sa.Column("replicate", sa.Integer, nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("missing", sa.Text),
        sa.Column("text", sa.Text),
        sa.Column("rationale", sa.Text),
        sa.Column("mass", sa.Double),
        sa.Column("expected", sa.Boolean, nullable=False),
        sa.Column("occasion", sa.Integer, nullable=False),
        sa.UniqueConstraint("rater", "target", "dimension", "replicate", name="ratings_key"),
        sa.CheckConstraint("(value IS NULL) <> (missing IS NULL)", name="ratings_value_or_reason"),
    )
