"""A copy of a store that is in use."""

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from dialgauge.errors import InputError, StoreError
from dialgauge.io.store.engine import explaining, show_location

PAGES = 2000
"""Pages that are copied at a time, so that others may write in between."""


def copy_database(engine: sa.Engine, path: Path) -> None:
    """Copy the SQLite database behind ``engine`` to a new file, as it is at one moment, while others write to it.

    Raises StoreError for PostgreSQL and where the database cannot be read, InputError where there is a file at ``path``
    or it cannot be written.
    """
    if engine.dialect.name != "sqlite":
        msg = f"{show_location(engine.url)} is no file; copy a PostgreSQL database with its own pg_dump"
        raise StoreError(msg)
    if path.exists():
        msg = f"{path} exists and is not overwritten; name a new file"
        raise InputError(msg)
    made = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with explaining(engine), engine.connect() as connection, closing(sqlite3.connect(made)) as copy:
            source = connection.connection.driver_connection
            if not isinstance(source, sqlite3.Connection):
                msg = f"{show_location(engine.url)} cannot be copied by its driver; copy it with sqlite3 .backup"
                raise StoreError(msg)
            source.backup(copy, pages=PAGES)
        os.link(made, path)
    except FileExistsError:
        msg = f"{path} exists and is not overwritten; name a new file"
        raise InputError(msg) from None
    except (OSError, sqlite3.Error) as error:
        msg = f"{path} cannot be written ({getattr(error, 'strerror', None) or error}); name a file elsewhere"
        raise InputError(msg) from None
    finally:
        made.unlink(missing_ok=True)
