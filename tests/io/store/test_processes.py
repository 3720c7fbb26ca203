"""Several processes, and the sudden end of one: nothing that was said to be written is lost, nothing is there twice."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from dialgauge.errors import StudyError
from dialgauge.io.store import Store, open_store

from .examples import fill, item
from .worker import BATCH

ROOT = Path(__file__).parents[3]


@contextmanager
def worker(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Start a process that ends with the block at the latest."""
    command = [sys.executable, "-m", "tests.io.store.worker", *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def output(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout


@pytest.mark.parametrize("acknowledged", [1, 6])
def test_what_was_acknowledged_before_a_kill_is_there_once_and_the_study_goes_on(
    location: str, acknowledged: int
) -> None:
    with open_store(location, create=True) as store:
        run = fill(store)
    with worker("write", location, run, 1, 5000) as process:
        last = 0
        for _ in range(acknowledged + 1):
            last = int(output(process).readline().replace("ready", "0"))
        process.kill()
        rest = [int(line) for line in output(process).read().split()]
        last = max([last, *rest])
    with open_store(location) as store:
        replicates = store.ratings().frame["replicate"].to_list()
        assert replicates == list(range(1, len(replicates) + 1))
        assert last <= len(replicates) <= last + BATCH
        assert len(replicates) % BATCH == 0
        assert store.attempts().height == len(replicates)
        store.write(run, [item("a", replicate=len(replicates) + 1)])


def test_a_killed_sqlite_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with open_store(path, create=True) as store:
        run = fill(store)
    with worker("write", path, run, 1, 5000) as process:
        for _ in range(6):
            output(process).readline()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_two_processes_that_meet_lose_and_double_nothing(location: str) -> None:
    with open_store(location, create=True) as store:
        run = fill(store)
    with worker("write", location, run, 1, 15) as one, worker("write", location, run, 1 + 5 * BATCH, 15) as two:
        assert (one.wait(60), two.wait(60)) == (0, 0)
    with open_store(location) as store:
        assert store.ratings().frame["replicate"].to_list() == list(range(1, 20 * BATCH + 1))
        assert store.attempts().height == 30 * BATCH
        assert store.attempts()["id"].to_list() == list(range(1, 30 * BATCH + 1))


def test_processes_that_begin_the_same_store_at_once_all_succeed(location: str) -> None:
    with worker("begin", location) as one, worker("begin", location) as two:
        for process in (one, two):
            output(process).readline()
        for process in (one, two):
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        assert (one.wait(60), two.wait(60)) == (0, 0)
    with open_store(location) as store:
        assert store.raters() == ()


def test_only_one_process_holds_the_lock_and_a_kill_releases_it(location: str) -> None:
    with open_store(location, create=True) as store:
        with worker("hold", location) as process:
            assert output(process).readline() == "held\n"
            with (
                pytest.raises(StudyError, match=r"is collecting ratings for .*; wait until it has ended"),
                store.lock(),
            ):
                pass
            process.kill()
            process.wait()
        take_soon(store)
        with store.lock():
            pass


def take_soon(store: Store) -> None:
    """Take the lock, which PostgreSQL lets go once it notices that who held it is gone."""
    until = time.monotonic() + 10.0
    while True:
        try:
            with store.lock():
                return
        except StudyError:
            assert time.monotonic() < until, "not let go"
            time.sleep(0.05)


def test_the_lock_names_the_process_that_holds_it(tmp_path: Path) -> None:
    with open_store(tmp_path / "study.db", create=True) as store, worker("hold", tmp_path / "study.db") as process:
        output(process).readline()
        with pytest.raises(StudyError, match=f"^process {process.pid} is collecting"), store.lock():
            pass


def test_the_lock_is_let_go_when_its_block_fails(location: str) -> None:
    with open_store(location, create=True) as store:
        with pytest.raises(KeyError), store.lock():
            raise KeyError
        with store.lock():
            pass


def test_ratings_can_be_read_while_another_process_writes(location: str) -> None:
    with open_store(location, create=True) as store:
        run = fill(store)
        with worker("write", location, run, 1, 5000) as process:
            seen = []
            for _ in range(6):
                output(process).readline()
                seen.append(store.ratings().frame.height)
    assert seen == sorted(seen)
    assert all(n % BATCH == 0 for n in seen)
    assert seen[-1] > 0


def test_a_database_that_is_opened_twice_here_is_not_taken_for_unused_elsewhere(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    look = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version').fetchone(); c.close()"
    )
    with open_store(place, create=True) as store:
        fill(store)
        open_store(place).close()
        subprocess.run([sys.executable, "-c", look, place], check=True, timeout=60)
        # whoever closes a database last removes its write-ahead log
        assert place.with_name("study.db-wal").exists()
        assert len(store.runs()) == 1
