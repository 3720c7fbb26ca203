"""Which occasion of an anchor set is due."""

import asyncio
from pathlib import Path

import pytest

from dialgauge.collect.occasions import due_occasion
from dialgauge.collect.opening import register_study
from dialgauge.collect.rate import Collection
from dialgauge.collect.tally import Tally
from dialgauge.errors import StudyError
from dialgauge.io.store import Store
from dialgauge.llm import Request
from dialgauge.model import Dialogue, Turn

from .conftest import Desk, Scripted, write_study


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a study with an anchor set of two dialogues."""
    desk = Desk(write_study(tmp_path, n_targets=1, limits={"concurrency": 1}))
    with desk.open() as store:
        register_study(desk.folder, store)
        anchors = [Dialogue(id=f"a{i}", turns=(Turn(speaker="user", text=f"Anchor {i}"),)) for i in range(2)]
        store.add_targets(anchors, purpose="anchor")
    return desk


def collect(desk: Desk, store: Store, *, stop_after: int | None = None) -> int:
    """Collect what is due, all of it or until so many calls were made, and return the occasion."""
    occasion, shares = due_occasion(desk.folder, store)

    def answer(_: Request) -> str:
        if stop_after is not None and len(model.requests) >= stop_after:
            collection.stop()
        return '{"value": 4}'

    model = Scripted(answer)
    collection = Collection(desk.folder, store, shares, Tally(), opener=lambda *_: model)
    asyncio.run(collection.run())
    return occasion


def test_an_occasion_follows_the_last_one_and_its_replicates_too(desk: Desk) -> None:
    with desk.open() as store:
        assert [collect(desk, store) for _ in range(3)] == [1, 2, 3]
        details = store.rating_details(purpose="anchor")
    assert sorted(set(details.select("occasion", "replicate").rows())) == [
        (1, 1),
        (1, 2),
        (2, 3),
        (2, 4),
        (3, 5),
        (3, 6),
    ]
    assert details.height == 3 * 2 * 2 * 2


def test_an_occasion_that_was_interrupted_is_finished_before_a_new_one(desk: Desk) -> None:
    with desk.open() as store:
        collect(desk, store)
        assert collect(desk, store, stop_after=3) == 2
        begun = store.rating_details(purpose="anchor").filter(occasion=2).height
        assert 0 < begun < 8
        assert collect(desk, store) == 2
        assert store.rating_details(purpose="anchor").filter(occasion=2).height == 8
        assert due_occasion(desk.folder, store)[0] == 3


def test_without_an_anchor_set_nothing_is_due(tmp_path: Path) -> None:
    desk = Desk(write_study(tmp_path))
    with desk.open() as store, pytest.raises(StudyError, match="declare one with dialgauge anchor"):
        due_occasion(desk.folder, store)
