"""What calls of language models have used: as raters, and as simulated users."""

import sqlalchemy as sa

from dialgauge.io.store.records import Spent
from dialgauge.io.store.simulated_tables import calls
from dialgauge.io.store.tables import attempts, raters


def sum_spent(connection: sa.Connection, *, run: int | None = None) -> Spent:
    """Return what all calls of language models have used, in all runs or in one."""
    of_models = sa.select(raters.c.name).where(raters.c.kind == "llm")
    rated = _sum(connection, attempts, attempts.c.rater.in_(of_models), run=run)
    return rated + sum_spent_on_users(connection, run=run)


def sum_spent_on_users(connection: sa.Connection, *, run: int | None = None) -> Spent:
    """Return what the calls of simulated users have used, in all runs or in one."""
    return _sum(connection, calls, run=run)


def _sum(connection: sa.Connection, table: sa.Table, *conditions: sa.ColumnElement[bool], run: int | None) -> Spent:
    used = table.c
    query = sa.select(
        sa.func.count(),
        sa.func.sum(used.cost),
        sa.func.count().filter(used.cost.is_(None)),
        sa.func.sum(used.input_tokens),
        sa.func.sum(used.output_tokens),
        sa.func.count().filter(sa.or_(used.input_tokens.is_(None), used.output_tokens.is_(None))),
        sa.func.sum(used.reckoned_cost).filter(used.cost.is_(None)),
        sa.func.sum(used.reckoned_tokens),
    )
    if run is not None:
        query = query.where(used.run == run)
    query = query.where(*conditions)
    n, cost, no_cost, n_in, n_out, no_tokens, reckoned, tokens = connection.execute(query).one()
    return Spent(
        calls=n,
        cost=float(cost or 0.0),
        calls_of_unknown_cost=no_cost,
        input_tokens=int(n_in or 0),
        output_tokens=int(n_out or 0),
        calls_of_unknown_tokens=no_tokens,
        reckoned_cost=float(reckoned or 0.0),
        reckoned_tokens=int(tokens or 0),
    )
