"""One process at a time collects ratings for a study: the kernel, or the server, lets go when it dies."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, TextIO

import sqlalchemy as sa

from dialgauge.errors import StudyError
from dialgauge.io.store.engine import explaining, show_location

COLLECTORS = 0x4449_4147
"""The advisory lock on PostgreSQL."""


@contextmanager
def hold_lock(engine: sa.Engine) -> Iterator[Callable[[], None]]:
    """Hold the lock of the study for the time of the block; StudyError where another process holds it.

    The function that the block gets takes the lock again where it was lost (its file removed, its connection ended),
    and raises StudyError where another process has it by then.
    """
    hold: _Hold
    hold = _HoldOnServer(engine) if engine.dialect.name == "postgresql" else _HoldOfFile(str(engine.url.database))
    hold.take()

    def check() -> None:
        if hold.is_held():
            return
        try:
            hold.take()
        except StudyError as busy:
            msg = f"the lock was lost while ratings were being collected, and {busy}; what was answered so far is kept"
            raise StudyError(msg) from None

    try:
        yield check
    finally:
        hold.release()


class _Hold(Protocol):
    def take(self) -> None: ...

    def is_held(self) -> bool: ...

    def release(self) -> None: ...


class _HoldOfFile:
    """A lock file beside the database itself, wherever a link to it stands."""

    def __init__(self, database: str) -> None:
        if sys.platform == "win32":
            msg = "a study in SQLite cannot be locked on Windows; keep it in PostgreSQL, or collect on another system"
            raise StudyError(msg)
        self._database = database
        self._path = Path(f"{Path(database).resolve()}.lock")
        self._stream: TextIO | None = None

    def take(self) -> None:
        while not self.is_held():  # the file may be removed between opening and locking
            self.release()
            self._stream = self._open()
        if self._stream is not None:
            self._stream.truncate(0)
            self._stream.write(str(os.getpid()))
            self._stream.flush()

    def is_held(self) -> bool:
        if self._stream is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._stream.fileno()), self._path.stat())
        except OSError:
            return False

    def release(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _open(self) -> TextIO:
        import fcntl  # noqa: PLC0415 (the module does not exist on Windows)

        try:
            stream = self._path.open("a+", encoding="utf-8")
        except OSError as error:
            msg = f"{self._path} cannot be written ({error.strerror}); collecting needs a folder that may be written to"
            raise StudyError(msg) from None
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.seek(0)
            who = stream.read(40).strip() or "unknown"
            stream.close()
            raise StudyError(_busy(self._database, f"process {who}")) from None
        return stream


class _HoldOnServer:
    """An advisory lock, which lives as long as its connection."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._connection: sa.Connection | None = None

    def take(self) -> None:
        self.release()
        with explaining(self._engine):
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            if not connection.scalar(sa.select(sa.func.pg_try_advisory_lock(COLLECTORS))):
                connection.close()
                raise StudyError(_busy(show_location(self._engine.url), "another process"))
        self._connection = connection

    def is_held(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute(sa.select(1))
        except sa.exc.SQLAlchemyError:
            return False
        return True

    def release(self) -> None:
        """Let go; a server that has ended the connection has let go of it."""
        if self._connection is not None:
            with suppress(sa.exc.SQLAlchemyError):
                self._connection.execute(sa.select(sa.func.pg_advisory_unlock(COLLECTORS)))
            with suppress(sa.exc.SQLAlchemyError):
                self._connection.close()
            self._connection = None


def _busy(place: str, who: str) -> str:
    return f"{who} is collecting ratings for {place}; wait until it has ended, or stop it first"
