"""A database that is held by somebody else: people are told to wait, and nothing is lost or overtaken."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import Place, serve_study

PATIENCE = 0.4


@pytest.fixture
def hasty(root: Path) -> Iterator[Place]:
    """Return the page of a server that does not let requests wait for long."""
    with serve_study(root, patience=PATIENCE) as place:
        yield place


@contextmanager
def held(root: Path) -> Iterator[None]:
    """Let another process write to the database for the time of the block."""
    with sqlite3.connect(root / "study.db", isolation_level=None) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
    connection.close()


def settle(place: Place) -> None:
    """Wait until what had begun has ended."""
    until = time.monotonic() + 20.0
    while time.monotonic() < until:
        if place.visit().get("/").status_code == 200 and place.people.people():
            time.sleep(0.3)
            return


def test_an_answer_while_the_database_is_held_is_told_to_come_again_and_then_kept(hasty: Place) -> None:
    visitor = hasty.visit("anna")
    with held(hasty.folder.root):
        refused = visitor.answer("trust", 4)
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "5"
        assert "Nothing that was saved is lost" in refused.json()["problem"]
    assert visitor.answer("trust", 4).json()["saved"] is True
    (target,) = (one.target for one in hasty.people.progress() if one.reserved)
    assert [answer.value for _, answer in hasty.people.revisions("person-001", target)] == [4.0]


def test_the_form_of_a_page_without_scripts_comes_back_with_its_answers_to_be_sent_again(hasty: Place) -> None:
    visitor = hasty.visit("anna")
    with held(hasty.folder.root):
        page = visitor.send(trust=4, ease=1)
        assert page.status_code == 503
        assert page.headers["retry-after"] == "5"
    for name, value in (("answer:trust", "4"), ("answer:ease", "1"), ("action", "complete")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in page.text
    visitor.send(trust=4, ease=1)
    assert len(hasty.people.completed("person-001")) == 1


def test_an_older_answer_that_got_stuck_never_overtakes_a_newer_one(hasty: Place) -> None:
    visitor = hasty.visit("anna")
    (target,) = (one.target for one in hasty.people.progress() if one.reserved)
    with held(hasty.folder.root):
        assert visitor.answer("trust", 1).status_code == 503  # it waits in its thread, and will be written
        assert visitor.answer("trust", 5).status_code == 503  # it never began
    assert visitor.answer("trust", 5).json()["saved"] is True
    settle(hasty)
    values = [answer.value for _, answer in hasty.people.revisions("person-001", target)]
    assert values[-1] == 5.0
    assert values in ([1.0, 5.0], [5.0])


def test_pages_that_need_no_database_are_answered_at_once_while_it_is_held(hasty: Place) -> None:
    visitors = [hasty.visit(f"p{i}") for i in range(3)]
    with held(hasty.folder.root):
        waiting = [threading.Thread(target=visitor.answer, args=("trust", 4)) for visitor in visitors]
        for thread in waiting:
            thread.start()
        began = time.monotonic()
        page = hasty.visit().get("/")
        took = time.monotonic() - began
        for thread in waiting:
            thread.join()
    assert page.status_code == 200
    assert took < PATIENCE


def test_entering_while_the_database_is_held_says_to_try_again(hasty: Place) -> None:
    visitor = hasty.visit("anna")
    with held(hasty.folder.root):
        page = hasty.visit("ben").page
        assert page.status_code == 503
        assert "try again in a moment" in page.text
        assert visitor.get("/rate").status_code == 503
    assert visitor.get("/rate").status_code == 200
