"""Stores to test on: a SQLite file, and a PostgreSQL server of our own on this machine."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from dialgauge.io.store import Store, open_store

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


def _run_as(folder: Path) -> str | None:
    """Return the user that runs the server, who then owns ``folder``; None where this process may do it itself."""
    if os.geteuid() != 0:
        return None
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    name = "postgres" if "postgres" in names else "nobody"
    shutil.chown(folder, name)
    return name


def _find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@pytest.fixture
def free_port() -> int:
    """Return a port on which nothing listens."""
    return _find_port()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the URL of a server that lives for the time of these tests."""
    if not BINARIES:
        pytest.skip("PostgreSQL is not installed (no /usr/lib/postgresql/*/bin)")
    bin_folder = BINARIES[-1]
    folder = Path(tempfile.mkdtemp(prefix="dialgauge-pg-"))
    user = _run_as(folder)
    port, data = _find_port(), folder / "data"

    def run(name: str, *arguments: str | Path) -> None:
        command = [bin_folder / name, *arguments]
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, timeout=60)

    try:
        run("initdb", "-D", data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
        options = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off"
        run("pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start")
        try:
            yield f"postgresql://tester@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def postgres_url(postgres: str) -> str:
    """Return the URL of a database without tables."""
    engine = sa.create_engine(postgres.replace("postgresql:", "postgresql+pg8000:"))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP SCHEMA public CASCADE"))
        connection.execute(sa.text("CREATE SCHEMA public"))
    engine.dispose()
    return postgres


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where a store can be made, on each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    """Return an empty store."""
    with open_store(location, create=True) as opened:
        yield opened
