"""What Alembic runs: the migrations on the connection that `dialgauge.io.store.schema` hands over."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], version_table="dialgauge_schema")
with context.begin_transaction():
    context.run_migrations()
