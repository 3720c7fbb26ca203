"""Bring the tables of a database to the form that this version knows, by numbered migrations."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from dialgauge.errors import StoreError
from dialgauge.io.store.engine import AbsentStoreError, begin, show_location

VERSION_TABLE = "dialgauge_schema"

_MIGRATIONS = Path(__file__).with_name("migrations")


def prepare(engine: sa.Engine, *, create: bool, revision: str = "head") -> None:
    """Make the tables in an empty database, or bring those of an older version to ``revision``.

    Raises StoreError for an empty database without ``create``, one that holds something else, and one that a newer
    version wrote.
    """
    place = show_location(engine.url)
    config = _configure()
    scripts = ScriptDirectory.from_config(config)
    known = [script.revision for script in scripts.walk_revisions()]
    with begin(engine) as connection:
        found = _find_revision(connection, place, create=create)
    if found == scripts.get_current_head():
        return
    if found is not None and found not in known:
        msg = f"{place} was written by a newer Dialgauge (schema {found}, this one knows {known[0]}); update Dialgauge"
        raise StoreError(msg)
    with begin(engine, write=True) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def _configure() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _find_revision(connection: sa.Connection, place: str, *, create: bool) -> str | None:
    """Return the number of the last migration, None for an empty database."""
    present = sa.inspect(connection).get_table_names()
    if VERSION_TABLE in present:
        version = sa.table(VERSION_TABLE, sa.column("version_num", sa.Text))
        return connection.scalar(sa.select(version.c.version_num))
    if present:
        msg = f"{place} is the database of something else (it has a table {present[0]!r}); give the study its own"
        raise StoreError(msg)
    if not create:
        msg = f"{place} is empty and holds no study; make one with dialgauge init"
        raise AbsentStoreError(msg)
    return None
