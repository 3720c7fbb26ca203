"""The tables of a study, as the program sees them; `migrations` makes them in a database."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

NUL, SYMBOL_FOR_NUL = "\x00", "\u2400"


class Utc(sa.types.TypeDecorator[datetime]):
    """A moment: stored without a time zone in UTC, returned with it."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Return ``value`` in UTC; one without a time zone is local time."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        """Return ``value`` as a moment in UTC."""
        return None if value is None else value.replace(tzinfo=UTC)


class AnyText(sa.types.TypeDecorator[str]):
    """Text from outside: what no database takes is replaced, NUL by its symbol and half a surrogate pair by U+FFFD."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """Return ``value`` in a form that can be stored."""
        if value is None:
            return None
        return value.replace(NUL, SYMBOL_FOR_NUL).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

metadata = sa.MetaData()

study = sa.Table(
    "study",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("instrument", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("snapshot", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("created", Utc, nullable=False),
)

targets = sa.Table(
    "targets",
    metadata,
    sa.Column("position", BigId, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("dialogue", sa.Text, nullable=False),
)

prompts = sa.Table(
    "prompts",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("template", AnyText, nullable=False),
)

raters = sa.Table(
    "raters",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("base", sa.Text, sa.ForeignKey("raters.name")),
    sa.Column("variant", sa.Text),
    sa.Column("prompt_hash", sa.Text, sa.ForeignKey("prompts.hash")),
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("started", Utc, nullable=False),
    sa.Column("ended", Utc),
    sa.Column("state", sa.Text),
    sa.Column("config", sa.Text, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("occasion", sa.Integer, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("cost", sa.Double),
)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=False),
    sa.Column("run", BigId, sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("rater", sa.Text, sa.ForeignKey("raters.name"), nullable=False),
    sa.Column("target", sa.Text, sa.ForeignKey("targets.id"), nullable=False),
    sa.Column("dimensions", sa.Text, nullable=False),
    sa.Column("replicate", sa.Integer, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("started", Utc, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("request", AnyText, nullable=False),
    sa.Column("answer", AnyText),
    sa.Column("status", sa.Integer),
    sa.Column("finish_reason", AnyText),
    sa.Column("model", AnyText),
    sa.Column("fingerprint", AnyText),
    sa.Column("input_tokens", sa.BigInteger),
    sa.Column("output_tokens", sa.BigInteger),
    sa.Column("cost", sa.Double),
    sa.Column("error", AnyText),
    sa.Column("prompt_hash", sa.Text, sa.ForeignKey("prompts.hash")),
    sa.Column("reckoned_tokens", sa.BigInteger),
    sa.Column("reckoned_cost", sa.Double),
    sa.Index("attempts_of_rater", "rater", "target"),
)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("attempt", BigId, sa.ForeignKey("attempts.id"), nullable=False),
    sa.Column("target", sa.Text, sa.ForeignKey("targets.id"), nullable=False),
    sa.Column("dimension", sa.Text, nullable=False),
    sa.Column("rater", sa.Text, sa.ForeignKey("raters.name"), nullable=False),
    sa.Column("replicate", sa.Integer, nullable=False),
    sa.Column("value", sa.Double),
    sa.Column("missing", sa.Text),
    sa.Column("text", AnyText),
    sa.Column("rationale", AnyText),
    sa.Column("mass", sa.Double),
    sa.Column("expected", sa.Boolean, nullable=False),
    sa.Column("occasion", sa.Integer, nullable=False),
    sa.UniqueConstraint("rater", "target", "dimension", "replicate", name="ratings_key"),
    sa.CheckConstraint("(value IS NULL) <> (missing IS NULL)", name="ratings_value_or_reason"),
)

Row = dict[str, Any]
"""What is inserted: values by the names of the columns."""
