"""What calls of language models as raters have used."""

import sqlalchemy as sa

from dialgauge.io.store.records import Spent
from dialgauge.io.store.tables import attempts, raters


def sum_spent_on_ratings(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> Spent:
    """Return what the calls of model raters have used, those that meet the ``conditions``."""
    no_tokens = sa.or_(attempts.c.input_tokens.is_(None), attempts.c.output_tokens.is_(None))
    query = sa.select(
        sa.func.count(),
        sa.func.sum(attempts.c.cost),
        sa.func.count().filter(attempts.c.cost.is_(None)),
        sa.func.sum(attempts.c.input_tokens),
        sa.func.sum(attempts.c.output_tokens),
        sa.func.count().filter(no_tokens),
        sa.func.sum(attempts.c.reckoned_cost).filter(attempts.c.cost.is_(None)),
        sa.func.sum(attempts.c.reckoned_tokens),
    )
    query = query.join_from(attempts, raters, attempts.c.rater == raters.c.name).where(
        raters.c.kind == "llm", *conditions
    )
    calls, cost, no_cost, n_in, n_out, without, reckoned, tokens = connection.execute(query).one()
    return Spent(
        calls=calls,
        cost=float(cost or 0.0),
        calls_of_unknown_cost=no_cost,
        input_tokens=int(n_in or 0),
        output_tokens=int(n_out or 0),
        calls_of_unknown_tokens=without,
        reckoned_cost=float(reckoned or 0.0),
        reckoned_tokens=int(tokens or 0),
    )
