"""A database that is deleted or replaced while it is open takes nothing further, and is not made anew."""

from pathlib import Path

import pytest

from dialgauge.errors import StoreError
from dialgauge.io.store import open_store

from .examples import fill, item


@pytest.mark.parametrize("fresh", [False, True], ids=["over the open connection", "over a new one"])
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_what_is_written_after_the_file_went_is_refused(tmp_path: Path, how: str, fresh: bool) -> None:
    path, other = tmp_path / "study.db", tmp_path / "other.db"
    with open_store(other, create=True) as store:
        fill(store)
    with open_store(path, create=True) as store:
        run = fill(store)
        store.write(run, [item("a")])
        if fresh:
            store.close()  # the pool opens connections again
        for part in tmp_path.glob("study.db*"):
            part.rename(tmp_path / part.name.replace("study", "moved"))
        if how == "replaced":
            other.rename(path)
        for _ in range(2):
            with pytest.raises(StoreError, match=rf"study\.db was {how} while it was in use, .*; put the file back"):
                store.write(run, [item("b")])
        with pytest.raises(StoreError, match=how):
            store.ratings()
    assert path.exists() == (how == "replaced")
    if how == "replaced":
        with open_store(path) as store:
            assert store.attempts().height == 0


def test_a_file_that_is_put_back_is_written_again(tmp_path: Path) -> None:
    path, away = tmp_path / "study.db", tmp_path / "away.db"
    with open_store(path, create=True) as store:
        run = fill(store)
        path.rename(away)
        with pytest.raises(StoreError, match="deleted"):
            store.write(run, [item("a")])
        away.rename(path)
        assert store.write(run, [item("a")]) == 1
