"""A copy of a store that is in use is whole, and nothing is overwritten."""

import sqlite3
import threading
from pathlib import Path

import pytest

from dialgauge.errors import InputError, StoreError
from dialgauge.io.store import open_store

from .examples import fill
from .test_people import NOW, answer_as


def test_a_copy_has_what_is_still_in_the_wal_file_which_the_file_alone_has_not(tmp_path: Path) -> None:
    location = tmp_path / "study.db"
    with open_store(location, create=True) as store:
        fill(store)
        answer_as(store, "a")
        (tmp_path / "by-hand.db").write_bytes(location.read_bytes())
        store.back_up(tmp_path / "copy.db")
        with open_store(tmp_path / "copy.db") as copy:
            assert copy.ratings().frame.select("rater", "value").rows() == [("person-001", 4.0)]
            assert answer_as(copy, "b") == ("person-002", "b")  # it can be gone on with
        connection = sqlite3.connect(tmp_path / "by-hand.db")
        with pytest.raises(sqlite3.Error, match="no such table"):
            connection.execute("SELECT * FROM answers").fetchall()
        connection.close()
    assert sorted(file.name for file in tmp_path.iterdir() if "db" in file.name) == [
        "by-hand.db",
        "copy.db",
        "study.db",
    ]


def test_a_copy_that_is_made_while_others_write_is_whole(tmp_path: Path) -> None:
    stop, least = threading.Event(), list[int]()
    with open_store(tmp_path / "study.db", create=True) as store:
        fill(store)

        def write() -> None:
            for number in range(100_000):
                if stop.is_set():
                    return
                store.people.enter(f"code {number}", now=lambda: NOW)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for i in range(5):
                before = len(store.people.codes())
                store.back_up(tmp_path / f"{i}.db")
                least.append(before)
        finally:
            stop.set()
            writer.join(30.0)
    for i in range(5):
        connection = sqlite3.connect(tmp_path / f"{i}.db")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        people, humans = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 (names of this file)
            for table in ("people", "raters WHERE kind = 'human'")
        )
        connection.close()
        assert people == humans >= least[i]


def test_a_file_that_exists_is_not_overwritten_and_a_place_that_is_none_is_told(tmp_path: Path) -> None:
    with open_store(tmp_path / "study.db", create=True) as store:
        (tmp_path / "there.db").write_text("mine", encoding="utf-8")
        with pytest.raises(InputError, match=r"there.db exists and is not overwritten; name a new file"):
            store.back_up(tmp_path / "there.db")
        with pytest.raises(InputError, match=r"cannot be written \(No such file or directory\)"):
            store.back_up(tmp_path / "none" / "copy.db")
    assert (tmp_path / "there.db").read_text(encoding="utf-8") == "mine"
    assert sorted(file.name for file in tmp_path.iterdir() if file.name.startswith(".")) == []


def test_postgresql_is_sent_to_its_own_tool(postgres_url: str, tmp_path: Path) -> None:
    with open_store(postgres_url, create=True) as store, pytest.raises(StoreError, match="with its own pg_dump"):
        store.back_up(tmp_path / "copy.db")
