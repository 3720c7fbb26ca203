"""Connect to the database of a study: SQLite in a file, or PostgreSQL."""

import errno
import logging
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import event

from dialgauge.errors import StoreError, how_to_install
from dialgauge.io.store.identity import OpenedFile
from dialgauge.io.store.wanted import check_wanted, is_watched

BUSY_SECONDS = 60
"""How long a process waits for another that is writing to the same file."""

LOOK_MILLISECONDS = 200
"""How often who waits for that looks whether the writing is still wanted."""

WRITERS = 0x4449_414C
"""The advisory lock on PostgreSQL under which writers take turns."""

_DRIVER = "postgresql+pg8000"
_BEGIN = "sqlite_begin"
_INTEGRITY = "23"
"""The class of SQLSTATE for constraints that a row breaks."""

_SECRET = re.compile("pass|pwd|secret", re.IGNORECASE)
"""Parts of a URL's query whose values are never shown."""

logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())  # a lost connection is told as an error, once


class ConstraintError(StoreError):
    """Rows break a rule of the tables: a key that exists, or a reference to nothing."""


class AbsentStoreError(StoreError):
    """There is no store yet at this place: no file, or a database without tables."""


def make_engine(location: str | Path, *, create: bool) -> sa.Engine:
    """Return an engine for a file name (SQLite) or a URL (``sqlite:///...``, ``postgresql://...``).

    With ``create`` a file that is not there is made at the first connection. Raises StoreError for another kind of
    database, a missing file or folder, a file that is no SQLite database, and a missing driver.
    """
    url = parse_location(location)
    try:
        if url.get_backend_name() == "sqlite":
            _check_file(url, create=create)
            engine = sa.create_engine(url)
            OpenedFile(str(url.database)).watch(engine)
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
            return engine
        return sa.create_engine(url, pool_pre_ping=True)
    except (ModuleNotFoundError, sa.exc.NoSuchModuleError):
        name = url.drivername
        msg = f"the driver of {show_location(url)} is not installed ({name}); {how_to_install('postgres')}"
        raise StoreError(msg) from None


def parse_location(location: str | Path) -> sa.URL:
    """Return the URL of a file name or the text of a URL, with the driver that Dialgauge uses."""
    text = str(location)
    if isinstance(location, Path) or "://" not in text:
        return sa.URL.create("sqlite", database=text)
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        msg = "the database URL cannot be read; write it as postgresql://user:password@host:5432/name, or a file name"
        raise StoreError(msg) from None
    if url.drivername in {"postgresql", "postgres"}:
        url = url.set(drivername=_DRIVER)
    if not url.drivername.startswith("postgresql+") and url.drivername not in {"sqlite", "sqlite+pysqlite"}:
        msg = f"a study is kept in SQLite or PostgreSQL, not in {url.drivername}; give a file name or postgresql://..."
        raise StoreError(msg)
    return url


def show_location(url: sa.URL) -> str:
    """Write where a database is, without its password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    hidden = {name: "..." for name in url.query if _SECRET.search(name)}
    return url.update_query_dict(hidden).render_as_string(hide_password=True)


def hide_password(location: str) -> str:
    """Return what ``store`` in study.toml says, without a password that is in it."""
    scheme, sign, _ = location.partition("://")
    if not sign or scheme.startswith("sqlite"):
        return location
    try:
        return show_location(parse_location(location))
    except StoreError:
        return f"{scheme}://..."


@contextmanager
def begin(engine: sa.Engine, *, write: bool = False) -> Iterator[sa.Connection]:
    """Open a transaction, which is undone as a whole when an exception leaves it; writers take turns.

    Raises StoreError where the database cannot be reached, read or written, ConstraintError where it takes the rows
    for wrong, and GivenUpError where the writing was given up while it waited.
    """
    with explaining(engine), engine.connect() as connection:
        if write:
            connection = connection.execution_options(**{_BEGIN: "IMMEDIATE"})  # noqa: PLW2901 (the same one)
        with connection.begin():
            if write and engine.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(WRITERS)))
            if write:
                check_wanted()
            yield connection
            if write:
                check_wanted()


@contextmanager
def explaining(engine: sa.Engine) -> Iterator[None]:
    """Raise what the driver of ``engine`` raises in the block as `begin` does."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        kind, text = _take_apart(error)
        if isinstance(error, sa.exc.IntegrityError) or kind.startswith(_INTEGRITY):
            raise ConstraintError(text) from None
        raise StoreError(_explain(text, show_location(engine.url))) from None


def _check_file(url: sa.URL, *, create: bool) -> None:
    if url.database in {None, "", ":memory:"} or url.query:
        msg = f"the database {url.render_as_string()!r} is no file; give a file name, such as study.db"
        raise StoreError(msg)
    file = Path(str(url.database))
    try:
        if not file.exists():
            if not create:
                msg = f"there is no database {file}; make it with dialgauge init and the folder of its study"
                raise AbsentStoreError(msg)
            if not file.parent.is_dir():
                msg = f"the database {file} cannot be made: there is no folder {file.parent}; make it first"
                raise StoreError(msg)
            return
        if reason := _why_unreadable(file):
            msg = f"{file} cannot be read ({reason}); give the file of a study, such as study.db"
            raise StoreError(msg)
    except OSError as error:
        msg = f"{file} cannot be read ({error.strerror}); give the file of a study, such as study.db"
        raise StoreError(msg) from None
    if not _is_database(file):
        msg = f"{file} is not the database of a study; give the file that dialgauge init made, such as study.db"
        raise StoreError(msg)


def _why_unreadable(file: Path) -> str:
    if file.is_dir():
        return os.strerror(errno.EISDIR)
    return "" if os.access(file, os.R_OK) else os.strerror(errno.EACCES)


def _is_database(file: Path) -> bool:
    """Whether SQLite takes a file for one of its own.

    It is asked itself: to open and close the file beside it would drop every lock that this process has on it (POSIX),
    and another process could then take a database that is in use here for one that nobody uses.
    """
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:  # held by somebody, or not to be opened: whoever opens it says so
        return True
    except sqlite3.DatabaseError as error:
        return "not a database" not in str(error)
    finally:
        connection.close()
    return True


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    """Let SQLAlchemy open the transactions, and make what is committed survive a crash."""
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {BUSY_SECONDS * 1000}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: sa.Connection) -> None:
    kind = connection.get_execution_options().get(_BEGIN, "DEFERRED")
    if kind == "DEFERRED" or not is_watched():
        connection.exec_driver_sql(f"BEGIN {kind}")
        return
    until = time.monotonic() + BUSY_SECONDS
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {LOOK_MILLISECONDS}")
    try:
        while not _try_begin(connection, kind, last=time.monotonic() >= until):
            check_wanted()
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


def _try_begin(connection: sa.Connection, kind: str, *, last: bool) -> bool:
    """Begin a transaction, and return whether it did; where it is the ``last`` time, raise where it did not."""
    try:
        connection.exec_driver_sql(f"BEGIN {kind}")
    except sa.exc.OperationalError as error:
        if last or getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def _take_apart(error: sa.exc.DBAPIError) -> tuple[str, str]:
    """Return the SQLSTATE, where there is one, and the message."""
    detail = error.orig.args[0] if error.orig is not None and error.orig.args else str(error)
    if isinstance(detail, dict):  # pg8000 gives the fields of the message
        return str(detail.get("C", "")), _shorten(detail.get("M", detail))
    return "", _shorten(detail)


def _shorten(text: object) -> str:
    return " ".join(str(text).split())[:300]


def _explain(text: str, place: str) -> str:
    remedy = "check that it can be reached and that there is room on its disk"
    if "locked" in text:
        remedy = "another process is writing to it; wait until that has ended"
    elif "readonly" in text:
        remedy = "allow writing to it and to its folder"
    elif "malformed" in text or "not a database" in text:
        remedy = "the file is damaged; go back to a copy of it"
    return f"the database {place} does not answer ({text}); {remedy}"
