"""The tables of simulated dialogues, as the program sees them; migration 0003 makes them in a database."""

import sqlalchemy as sa

from dialgauge.io.store.tables import AnyText, BigId, Utc, metadata

simulators = sa.Table(
    "simulators",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("users", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("prompt_hash", sa.Text, sa.ForeignKey("prompts.hash")),
)

simulations = sa.Table(
    "simulations",
    metadata,
    sa.Column("id", BigId, primary_key=True, autoincrement=False),
    sa.Column("run", BigId, sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("simulator", sa.Text, sa.ForeignKey("simulators.hash"), nullable=False),
    sa.Column("dialogue", sa.Text, nullable=False, unique=True),
    sa.Column("system", sa.Text, nullable=False),
    sa.Column("persona", sa.Text, nullable=False),
    sa.Column("preference", sa.Text, nullable=False),
    sa.Column("replicate", sa.Integer, nullable=False),
    sa.Column("who", AnyText, nullable=False),
    sa.Column("wants", AnyText, nullable=False),
    sa.Column("targets", AnyText, nullable=False),
    sa.Column("ended", sa.Text, nullable=False),
    sa.Column("failure", AnyText),
    sa.Column("notices", AnyText, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("started", Utc, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.UniqueConstraint("system", "persona", "preference", "replicate", name="simulations_key"),
)

turns = sa.Table(
    "simulated_turns",
    metadata,
    sa.Column("simulation", BigId, sa.ForeignKey("simulations.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("speaker", sa.Text, nullable=False),
    sa.Column("text", AnyText, nullable=False),
    sa.Column("feeling", AnyText),
    sa.Column("accepting", sa.Boolean),
    sa.Column("accepts", AnyText),
    sa.Column("accepts_title", AnyText),
    sa.Column("ranking", AnyText),
    sa.Column("recommends", sa.Boolean),
    sa.Column("failure", AnyText),
    sa.Column("seconds", sa.Double),
)

calls = sa.Table(
    "simulated_calls",
    metadata,
    sa.Column("id", BigId, primary_key=True),
    sa.Column("run", BigId, sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("simulation", BigId, sa.ForeignKey("simulations.id")),
    sa.Column("user_turn", sa.Integer, nullable=False),
    sa.Column("step", sa.Text, nullable=False),
    sa.Column("started", Utc, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("request", AnyText, nullable=False),
    sa.Column("answer", AnyText),
    sa.Column("model", AnyText),
    sa.Column("input_tokens", sa.BigInteger),
    sa.Column("output_tokens", sa.BigInteger),
    sa.Column("cost", sa.Double),
    sa.Column("error", AnyText),
    sa.Column("reckoned_tokens", sa.BigInteger),
    sa.Column("reckoned_cost", sa.Double),
    sa.Index("simulated_calls_of", "simulation"),
)

pairs = sa.Table(
    "paraphrase_pairs",
    metadata,
    sa.Column("simulation", BigId, sa.ForeignKey("simulations.id"), primary_key=True),
    sa.Column("turn", sa.Integer, primary_key=True),
    sa.Column("wording", AnyText, nullable=False),
    sa.Column("paraphrase", AnyText, nullable=False),
    sa.Column("first", AnyText, nullable=False),
    sa.Column("second", AnyText, nullable=False),
)
