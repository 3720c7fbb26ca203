"""One process at a time collects ratings for a study: the kernel, or the server, lets go when it dies."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa

from dialgauge.errors import StudyError

COLLECTORS = 0x4449_4147
"""The advisory lock on PostgreSQL."""


@contextmanager
def hold_lock(engine: sa.Engine) -> Iterator[None]:
    """Hold the lock of the study for the time of the block; StudyError where another process holds it."""
    holder = _hold_on_server(engine) if engine.dialect.name == "postgresql" else _hold_file(str(engine.url.database))
    with holder:
        yield


@contextmanager
def _hold_file(database: str) -> Iterator[None]:
    if sys.platform == "win32":
        msg = "a study in SQLite cannot be locked on Windows; keep it in PostgreSQL, or collect on another system"
        raise StudyError(msg)
    import fcntl  # noqa: PLC0415 (the module does not exist on Windows)

    path = Path(f"{database}.lock")
    try:
        stream = path.open("a+", encoding="utf-8")
    except OSError as error:
        msg = f"{path} cannot be written ({error.strerror}); collecting needs a folder that may be written to"
        raise StudyError(msg) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.seek(0)
            who = stream.read(40).strip() or "unknown"
            raise StudyError(_busy(database, f"process {who}")) from None
        stream.truncate(0)
        stream.write(str(os.getpid()))
        stream.flush()
        yield


@contextmanager
def _hold_on_server(engine: sa.Engine) -> Iterator[None]:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if not connection.scalar(sa.select(sa.func.pg_try_advisory_lock(COLLECTORS))):
            raise StudyError(_busy(engine.url.render_as_string(hide_password=True), "another process"))
        try:
            yield
        finally:
            with suppress(sa.exc.DBAPIError):  # a server that has gone has let go of it
                connection.execute(sa.select(sa.func.pg_advisory_unlock(COLLECTORS)))


def _busy(place: str, who: str) -> str:
    return f"{who} is collecting ratings for {place}; wait until it has ended, or stop it first"
