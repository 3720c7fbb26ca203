"""Where a store is: what is no store is refused in one line, without a password in it."""

import builtins
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dialgauge.errors import StoreError
from dialgauge.io.store import open_store
from dialgauge.io.store.engine import hide_password, make_engine, parse_location, show_location

from .examples import fill, item


def test_a_store_that_is_not_there_is_not_made_by_opening_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no database .*none\.db; .*dialgauge init"):
        open_store(tmp_path / "none.db")
    assert [*tmp_path.iterdir()] == []


def test_a_store_is_made_once_and_opened_afterwards(tmp_path: Path) -> None:
    for location in (tmp_path / "study.db", f"sqlite:///{tmp_path / 'study.db'}"):
        with open_store(location, create=True) as store:
            assert store.location == str(tmp_path / "study.db")
    open_store(tmp_path / "study.db").close()


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("text.db", "is not the database of a study"),
        ("empty.db", "is empty and holds no study"),
        (".", "cannot be read"),
        ("mysql://somebody:secret@host/name", "in SQLite or PostgreSQL, not in mysql"),
        ("sqlite://", "is no file"),
        ("postgresql://somebody:secret@host:port/name", "the database URL cannot be read"),
    ],
)
def test_what_is_no_store_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.db").write_text("a,b\n" * 100)
    Path("empty.db").write_text("")
    with pytest.raises(StoreError, match=why) as refused:
        open_store(location)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_store_is_not_made_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot be made: there is no folder .*none; make it first"):
        open_store(tmp_path / "none" / "study.db", create=True)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with open_store(path, create=True) as store:
        store.write(fill(store), [item("a", replicate=k, answer="x" * 1000) for k in range(1, 200)])
    content = bytearray(path.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"study\.db does not answer .*; the file is damaged; go back to a copy"):
        open_store(path)


def test_a_postgresql_server_that_is_not_there_is_named_without_the_password(free_port: int) -> None:
    with pytest.raises(StoreError, match=r"somebody:\*\*\*@127\.0\.0\.1:.* does not answer") as refused:
        open_store(f"postgresql://somebody:secret@127.0.0.1:{free_port}/name")
    assert "secret" not in str(refused.value)


def test_postgresql_urls_get_the_driver_that_is_asked_for_in_the_extra() -> None:
    for text in ("postgresql://u@h/n", "postgres://u@h/n"):
        assert parse_location(text).drivername == "postgresql+pg8000"
    assert parse_location("postgresql+psycopg://u@h/n").drivername == "postgresql+psycopg"


@pytest.mark.parametrize("name", ["password", "sslpassword", "PWD", "client_secret"])
def test_a_password_in_the_query_of_a_url_is_not_shown(name: str) -> None:
    shown = show_location(parse_location(f"postgresql://somebody@host/name?{name}=hunter2&timeout=5"))
    assert shown == f"postgresql+pg8000://somebody@host/name?{name}=...&timeout=5"


@pytest.mark.parametrize(
    ("store", "kept"),
    [
        ("study.db", "study.db"),
        ("sqlite:///study.db", "sqlite:///study.db"),
        ("postgresql://me@host/name", "postgresql+pg8000://me@host/name"),
        ("postgresql://me:hunter2@host/name", "postgresql+pg8000://me:***@host/name"),
        ("postgresql://me@host/name?password=hunter2", "postgresql+pg8000://me@host/name?password=..."),
        ("postgresql://me:hunter2@host:${PORT}/name", "postgresql://..."),
    ],
)
def test_what_is_kept_of_a_store_has_no_password(store: str, kept: str) -> None:
    assert hide_password(store) == kept


def test_a_missing_driver_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:  # noqa: ANN401 (any module)
        if name.startswith("pg8000"):
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(StoreError, match=r"is not installed .*pip install 'dialgauge\[postgres\]'"):
        make_engine("postgresql://u@h/n", create=False)


def test_sqlite_waits_for_writers_and_survives_crashes(tmp_path: Path) -> None:
    engine = make_engine(tmp_path / "study.db", create=True)
    with engine.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    engine.dispose()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 60_000}


def test_a_writer_that_keeps_the_file_too_long_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "study.db"
    open_store(path, create=True).close()
    monkeypatch.setattr("dialgauge.io.store.engine.BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with open_store(path) as store, pytest.raises(StoreError, match="another process is writing to it; wait"):
        store.begin_run({}, seed=1)
    other.close()
