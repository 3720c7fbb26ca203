"""Studies that people rate, with a clock that a test moves."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.collect.conftest import write_study
from tests.io.store.conftest import location, postgres, postgres_url

from dialgauge.collect.people import People, Task, open_people
from dialgauge.io.store import Store, open_store
from dialgauge.io.study import read_study

__all__ = ["location", "postgres", "postgres_url"]

DIMENSIONS = ("trust", "ease")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def pass_minutes(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)


class Survey:
    """A study that is rated by people: what tests do with it again and again."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root, self.store, self.clock = root, store, Clock()
        self.people: People = open_people(read_study(root), store, now=self.clock)

    def fill_in(self, task: Task, value: float = 3.0) -> None:
        for name in DIMENSIONS:
            self.people.answer(task.rater, task.target.id, name, value)

    def rate(self, rater: str, value: float = 3.0) -> str | None:
        """Let ``rater`` complete one task, and return its target."""
        task = self.people.next_task(rater)
        if task is None:
            return None
        self.fill_in(task, value)
        self.people.complete(rater, task.target.id)
        return task.target.id

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return for each target how many completed it and how many hold it."""
        return {one.target: (one.completed, one.reserved) for one in self.people.progress()}


@contextmanager
def open_survey(root: Path, location: str | None = None, *, n_targets: int = 2, **people: object) -> Iterator[Survey]:
    """Open a new study of ``n_targets`` dialogues on two dimensions, with ``people`` as the keys of its [people]."""
    store = {} if location is None else {"store": location}
    asked = {"shuffle": False, **people}  # the order of the instrument, which tests know
    write_study(root, n_targets=n_targets, raters=(), people=asked, **store)
    with open_store(read_study(root).store_url, create=True) as opened:
        yield Survey(root, opened)


@pytest.fixture
def survey(tmp_path: Path, location: str) -> Iterator[Survey]:
    """Return a study of two dialogues that each want two people, on each kind of database."""
    with open_survey(tmp_path / "study", location, per_target=2) as opened:
        yield opened


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Survey]:
    """Return the same in a SQLite file, for what is no matter of the database."""
    with open_survey(tmp_path / "study", per_target=2) as opened:
        yield opened
