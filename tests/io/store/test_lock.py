"""The lock of a study: one collector at a time, whatever leads to its database, and a lost lock is noticed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from dialgauge.errors import StudyError
from dialgauge.io.store import Store, open_store
from dialgauge.io.store.lock import COLLECTORS

from .examples import fill, item


@contextmanager
def losing(location: str) -> Iterator[None]:
    """Take the lock from whoever has it, as an administrator might by mistake."""
    if location.startswith("postgresql"):
        engine = sa.create_engine(location.replace("postgresql:", "postgresql+pg8000:"))
        end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND objid = :lock"
        with engine.connect() as connection:
            assert connection.execute(sa.text(end), {"lock": COLLECTORS}).all() == [(True,)]
        engine.dispose()
    else:
        Path(f"{location}.lock").unlink()
    yield


@pytest.fixture
def stores(location: str) -> Iterator[tuple[Store, Store]]:
    with open_store(location, create=True) as one, open_store(location) as two:
        yield one, two


def test_a_link_to_a_database_has_the_lock_of_the_database(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    database, link = tmp_path / "away" / "study.db", tmp_path / "link.db"
    open_store(database, create=True).close()
    link.symlink_to(database)
    with (
        open_store(database) as one,
        open_store(link) as two,
        one.lock(),
        pytest.raises(StudyError, match=r"is collecting ratings for .*link\.db"),
        two.lock(),
    ):
        pass


def test_a_lock_that_was_lost_is_taken_again_while_it_is_free(location: str, stores: tuple[Store, Store]) -> None:
    one, two = stores
    with one.lock():
        one.check_lock()
        with losing(location):
            one.check_lock()
        with pytest.raises(StudyError, match="is collecting ratings"), two.lock():
            pass
    with two.lock():
        pass


def test_a_lock_that_another_has_taken_meanwhile_is_told(
    location: str, stores: tuple[Store, Store], capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = stores
    with one.lock():
        with losing(location), two.lock():
            for _ in range(2):
                with pytest.raises(StudyError, match=r"the lock was lost .* is collecting ratings for "):
                    one.check_lock()
        one.check_lock()
    said = capsys.readouterr()
    assert said.out + said.err == ""


def test_without_a_lock_there_is_nothing_to_check(stores: tuple[Store, Store]) -> None:
    for store in stores:
        store.check_lock()


def test_what_two_collectors_got_is_recorded_once_with_every_attempt(stores: tuple[Store, Store]) -> None:
    one, two = stores
    run = fill(one)
    assert len(one.record(run, [item("a", value=2.0)])[0][1]) == 1
    again, new = item("a", value=5.0, number=2), item("b", value=4.0)
    assert two.record(run, [again, new, new]) == [(again[0], []), new, (new[0], [])]
    assert sorted(one.ratings().frame["value"]) == [2.0, 4.0]
    assert one.attempts().height == 4
