"""Two collectors of one study at once: no attempt of either is lost, and a lost lock or database is told."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from dialgauge.errors import StoreError, StudyError
from dialgauge.llm import Request
from dialgauge.model import Attempt, Rating

from .conftest import Desk, Scripted


def meanwhile(happens: Callable[[], object]) -> Scripted:
    """Return a model that always says 4; something ``happens`` during its second call."""
    calls = count(1)

    def answer(_: Request) -> str:
        if next(calls) == 2:
            happens()
        return '{"value": 4}'

    return Scripted(answer)


def rate_first(desk: Desk, value: float) -> None:
    """Write a rating of the first target as another process would."""
    with desk.open() as store:
        run = store.begin_run({}, seed=1)
        key = {"rater": "m", "target": "d4", "replicate": 2}
        attempt = Attempt(
            **key,  # type: ignore[arg-type]
            dimensions=("trust",),
            number=1,
            started=datetime(2026, 1, 1, tzinfo=UTC),
            seconds=0.1,
            state="ok",
            request="{}",
        )
        store.write(run, [(attempt, [Rating(**key, dimension="trust", value=value)])])  # type: ignore[arg-type]


def test_a_rating_that_another_had_first_stays_and_the_attempt_is_kept(desk: Desk) -> None:
    tally = desk.collect(meanwhile(lambda: rate_first(desk, 1.0))).tally
    assert (tally.rated, tally.elsewhere, tally.attempts, tally.lacking) == (19, 1, 20, 0)
    with desk.open() as store:
        frame = store.ratings().frame
        assert store.attempts().height == 21
    assert sorted(frame["value"]) == [1.0, *[4.0] * 19]


def test_a_collector_whose_lock_another_has_taken_ends_with_its_answers_kept(desk: Desk) -> None:
    with desk.open() as other, ExitStack() as stack:

        def take_lock() -> None:
            Path(f"{desk.folder.store_url}.lock").unlink()
            stack.enter_context(other.lock())

        model = meanwhile(take_lock)
        with pytest.raises(StudyError, match=r"the lock was lost .* is collecting ratings .*; what was answered"):
            desk.collect(model)
    with desk.open() as store:
        assert store.attempts().height == len(model.requests) >= 2
        assert store.runs()["state"].to_list() == ["stopped"]


def test_a_lock_file_that_is_removed_is_made_again(desk: Desk) -> None:
    lock = Path(f"{desk.folder.store_url}.lock")
    assert desk.collect(meanwhile(lock.unlink)).tally.rated == 20
    assert lock.exists()


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_database_that_goes_away_ends_the_collection_with_an_error(desk: Desk, how: str) -> None:
    database = Path(desk.folder.store_url)

    def lose() -> None:
        database.rename(desk.root / "moved.db")
        if how == "replaced":
            database.touch()

    with pytest.raises(StoreError, match=f"was {how} while it was in use"):
        desk.collect(meanwhile(lose))
    assert database.exists() == (how == "replaced")
