"""Recommenders behind HTTP: Dialgauge's own JSON, and every way in which a server fails."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.llm.server import ChatServer, Received, Reply
from tests.systems.talk import ask, ask_all, fail, talk

from dialgauge.systems.http import HttpSystem
from dialgauge.systems.items import ItemFinder


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def say(content: object, **settings: Any) -> Reply:  # noqa: ANN401
    return Reply(body=json.dumps(content).encode(), **settings)


def make(server: ChatServer, finder: ItemFinder, *, timeout: float = 10.0) -> HttpSystem:
    return HttpSystem(f"http://127.0.0.1:{server.port}/reply", finder, name="remote", timeout=timeout)


def test_the_dialogue_goes_out_and_text_items_and_recommends_come_back(server: ChatServer, finder: ItemFinder) -> None:
    server.behaviour = say({"text": "Try <b>this</b>.", "items": ["f002", "Alien", 17], "recommends": True})
    reply = ask(make(server, finder), "hi", "hello", "a film?")
    assert reply.text == "Try <b>this</b>."
    assert reply.ranking[0] == "f002"
    assert len(reply.ranking) == 2
    assert reply.unknown == ("17",)
    assert reply.recommends is True
    (received,) = server.received
    assert received.path == "/reply"
    assert received.body["dialogue"] == [
        {"speaker": "user", "text": "hi"},
        {"speaker": "system", "text": "hello"},
        {"speaker": "user", "text": "a film?"},
    ]


def test_without_items_the_titles_in_the_text_are_ranked(server: ChatServer, finder: ItemFinder) -> None:
    server.behaviour = say({"text": 'Try "Alien" (1979) or "Alien" (1901).'})
    reply = ask(make(server, finder), "hi")
    assert [finder.catalogue.by_id[name].title for name in reply.ranking] == ["Alien"]
    assert reply.unknown == ("Alien",)


def test_an_id_belongs_to_one_dialogue(server: ChatServer, finder: ItemFinder) -> None:
    server.behaviour = say({"text": "yes"})
    system = make(server, finder)
    talk(system, "a", "b")
    talk(system, "a")
    first, second, other = (body["id"] for body in server.bodies)
    assert first == second != other


def test_each_dialogue_has_cookies_of_its_own(server: ChatServer, finder: ItemFinder) -> None:
    seen: list[str | None] = []

    def behave(received: Received) -> Reply:
        cookie = received.headers.get("cookie")
        seen.append(cookie)
        return say({"text": "yes"}, headers={} if cookie else {"set-cookie": f"session={len(seen)}; Path=/; HttpOnly"})

    server.behaviour = behave
    system = make(server, finder)
    talk(system, "a", "b", "c")
    talk(system, "a", "b")
    assert seen == [None, "session=1", "session=1", None, "session=4"]


def test_many_dialogues_at_a_time_do_not_share_cookies(server: ChatServer, finder: ItemFinder) -> None:
    server.behaviour = lambda received: say(
        {"text": received.headers.get("cookie", "none")}, headers={"set-cookie": "session=1; Path=/"}
    )
    assert {reply.text for reply in ask_all(make(server, finder), [("a",)] * 20)} == {"none"}


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        (Reply(body=b"<html><b>Not here</b></html>", content_type="text/html"), "no reply", "instead of JSON"),
        (Reply(body=b'{"text": '), "no reply", "instead of JSON"),
        (Reply(body=b""), "no reply", "an empty body"),
        (Reply(body=b"\xff\xfe"), "no reply", "no UTF-8"),
        (Reply(body=b"[" * 100_000), "no reply", "instead of JSON"),
        (say(["text"]), "no reply", "no object: list"),
        (say({"texts": "x"}), "no reply", "without text"),
        (say({"text": None}), "no reply", "a text of type NoneType"),
        (say({"error": "oh"}, status=500), "crashed", "failed \\(status 500: .*oh"),
        (Reply(body=b"", status=503), "unreachable", "is not ready \\(status 503, without a word\\)"),
        (Reply(body=b"Wait.", status=429), "unreachable", "is not ready \\(status 429: Wait.\\)"),
        (Reply(body=b"No such page", status=404), "refused", "status 404: No such page"),
        (Reply(body=b"", status=302, headers={"location": "/other"}), "redirected", "which is not followed"),
        (Reply(reset=True), "crashed", "broke off"),
        (Reply(body=b'{"text": "yes"}', hang_up=True), "crashed", "broke off"),
        (say({"text": "x" * 1_000_000}), "too long", "more than 1,000,000 bytes"),
    ],
)
def test_every_way_to_fail_has_a_kind_and_a_sentence(
    server: ChatServer, finder: ItemFinder, behaviour: Reply, kind: str, said: str
) -> None:
    server.behaviour = behaviour
    error = fail(make(server, finder), "hi")
    assert error.kind == kind
    assert "\n" not in str(error)
    assert len(str(error)) < 600
    assert len(error.text) <= 1_000_000
    with pytest.raises(type(error), match=said):
        raise error
    assert len(server.received) == 1


@pytest.mark.parametrize("behaviour", [say({"text": "x"}, seconds=30), say({"text": "x" * 100}, byte_seconds=0.1)])
def test_a_server_that_hangs_or_dribbles_is_a_timeout(server: ChatServer, finder: ItemFinder, behaviour: Reply) -> None:
    server.behaviour = behaviour
    start = time.monotonic()
    error = fail(make(server, finder, timeout=0.3), "hi")
    assert (error.kind, time.monotonic() - start < 5) == ("timeout", True)


def test_a_server_that_is_not_there_is_unreachable(finder: ItemFinder) -> None:
    with ChatServer() as gone:
        pass
    error = fail(make(gone, finder), "hi")
    assert error.kind == "unreachable"
    assert "check that it runs" in str(error)


def test_a_proxy_of_the_environment_is_not_used(
    server: ChatServer, finder: ItemFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    server.behaviour = say({"text": "yes"})
    assert ask(make(server, finder), "hi").text == "yes"


@pytest.mark.parametrize(
    "behaviour",
    [
        Reply(body=b'\xef\xbb\xbf{"text": "fine"}'),
        say({"text": "fine"}, status=201),
    ],
)
def test_a_byte_order_mark_and_any_status_of_success_are_fine(
    server: ChatServer, finder: ItemFinder, behaviour: Reply
) -> None:
    server.behaviour = behaviour
    assert ask(make(server, finder), "hi").text == "fine"
