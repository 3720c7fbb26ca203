"""A database that is held by somebody else: people are told to wait, and nothing is lost or overtaken."""

import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dialgauge.collect.web import serving

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
        assert visitor.answer("trust", 1).status_code == 503  # it waits in its thread
        assert visitor.answer("trust", 5).status_code == 503  # it never began
    assert visitor.answer("trust", 5).json()["saved"] is True
    settle(hasty)
    values = [answer.value for _, answer in hasty.people.revisions("person-001", target)]
    assert values == [5.0]


def test_an_answer_that_was_told_to_come_again_is_not_written_later(hasty: Place) -> None:
    visitor = hasty.visit("anna")
    (target,) = (one.target for one in hasty.people.progress() if one.reserved)
    with held(hasty.folder.root):
        assert visitor.answer("trust", 1).status_code == 503
    settle(hasty)
    assert hasty.people.revisions("person-001", target) == ()


def test_a_database_that_fails_is_not_said_to_hold_what_was_saved(place: Place) -> None:
    visitor = place.visit("anna")
    file = place.folder.root / "study.db"
    file.rename(file.with_suffix(".gone"))
    for reply in (visitor.answer("trust", 4), visitor.browser.get("/rate"), place.visit("ben").page):
        assert reply.status_code == 503
        assert "tell those who invited you" in reply.text
        assert "Nothing that was saved is lost" not in reply.text
    file.with_suffix(".gone").rename(file)
    assert visitor.answer("trust", 4).status_code == 200


def test_who_waits_for_the_database_is_answered_before_a_server_ends(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answers: list[int] = []
    with serve_study(root) as place:
        visitor = place.visit("anna")
        waiting = threading.Thread(target=lambda: answers.append(visitor.answer("trust", 4).status_code))
        stack = ExitStack()
        stack.enter_context(held(root))
        stack.callback(waiting.join)
        waiting.start()
        time.sleep(0.5)
        began = time.monotonic()
    took = time.monotonic() - began
    stack.close()
    assert answers == [503]
    assert took < 9.0
    assert not [record for record in caplog.records if record.exc_info]


def test_headers_that_do_not_come_are_not_waited_for_and_a_body_does_not_hold_up_the_end(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(serving, "SECONDS_TO_ASK", 0.3)
    with ExitStack() as stack:
        place = stack.enter_context(serve_study(root))
        host, port = place.address.removeprefix("http://").split(":")
        for first in (b"", b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"):
            with socket.create_connection((host, int(port)), timeout=10) as slow:
                slow.sendall(first)
                if first:
                    assert slow.recv(65536).startswith(b"HTTP/1.1 404")
                slow.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
                while slow.recv(65536):
                    pass
        slow = stack.enter_context(socket.create_connection((host, int(port)), timeout=10))
        visitor = place.visit("anna")
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.browser.cookies.items())
        head = f"POST /answer HTTP/1.1\r\nHost: x\r\nCookie: {cookies}\r\nContent-Length: 9\r\n"
        slow.sendall(f"{head}Content-Type: application/json\r\n\r\n{{".encode())
        time.sleep(0.5)
        assert visitor.get("/rate").status_code == 200
        began = time.monotonic()
        place_end = stack.pop_all()
    place_end.close()
    assert time.monotonic() - began < 4.0
    assert not [record for record in caplog.records if record.exc_info]


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
