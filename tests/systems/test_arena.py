"""The interface of iEvaLM and CRS Arena, against a server that speaks exactly this."""

import itertools
import json
from collections.abc import Iterator

import pytest
from tests.llm.server import ChatServer, Received, Reply
from tests.systems.talk import ask, fail, talk

from dialgauge.systems.arena import ArenaSystem
from dialgauge.systems.items import ItemFinder


class Server:
    """Such a server: ready after some time, with what it knows of a dialogue behind a session cookie."""

    def __init__(self, *, ready: bool = True) -> None:
        self.ready = ready
        self.sessions: dict[str, list[str]] = {}
        self._numbers = itertools.count(1)

    def __call__(self, received: Received) -> Reply:
        if not received.raw:
            return self._say(200 if self.ready else 503, "KBRD is ready." if self.ready else "Loading.")
        body = json.loads(received.raw)
        if set(body) != {"context", "message"} or not isinstance(body["context"], list):
            return self._say(400, "Both 'context' and 'message' are required.")
        if body["message"] == "refuse me":
            return self._say(400, "The message cannot be understood.")
        name = received.headers.get("cookie") or f"session={next(self._numbers)}"
        self.sessions.setdefault(name, []).append(body["message"])
        n = len(self.sessions[name])
        assert len(body["context"]) == 2 * (n - 1)
        response = json.dumps({"response": f'Turn {n}: have you seen "Alien" (1979)?'}).encode()
        return Reply(body=response, headers={"set-cookie": f"{name}; HttpOnly; Path=/"})

    def _say(self, status: int, sentence: str) -> Reply:
        return Reply(status=status, body=sentence.encode(), content_type="text/html")


@pytest.fixture
def http() -> Iterator[ChatServer]:
    with ChatServer() as running:
        running.behaviour = Server()
        yield running


def make(http: ChatServer, finder: ItemFinder) -> ArenaSystem:
    return ArenaSystem(f"http://127.0.0.1:{http.port}", finder, name="kbrd", timeout=10.0)


def test_a_dialogue_is_ready_once_then_context_and_message_with_its_cookie(
    http: ChatServer, finder: ItemFinder
) -> None:
    replies = talk(make(http, finder), "hi", "go on", "and?")
    assert [reply.text[:6] for reply in replies] == ["Turn 1", "Turn 2", "Turn 3"]
    assert [bool(each.raw) for each in http.received] == [False, True, True, True]
    assert http.received[-1].body == {
        "context": ["hi", replies[0].text, "go on", replies[1].text],
        "message": "and?",
    }
    assert {each.path for each in http.received} == {"/"}


def test_items_are_the_whole_titles_in_the_text(http: ChatServer, finder: ItemFinder) -> None:
    reply = ask(make(http, finder), "hi")
    assert [finder.catalogue.by_id[name].title for name in reply.ranking] == ["Alien"]
    assert reply.recommends is None


def test_dialogues_share_no_session(http: ChatServer, finder: ItemFinder) -> None:
    behaviour = Server()
    http.behaviour = behaviour
    system = make(http, finder)
    talk(system, "hi", "go on")
    talk(system, "hello")
    assert behaviour.sessions == {"session=1": ["hi", "go on"], "session=2": ["hello"]}


def test_a_server_that_is_not_ready_is_a_failure_with_its_sentence(http: ChatServer, finder: ItemFinder) -> None:
    http.behaviour = Server(ready=False)
    error = fail(make(http, finder), "hi")
    assert error.kind == "unreachable"
    assert "Loading." in str(error)


def test_a_refusal_says_the_sentence_of_the_server(http: ChatServer, finder: ItemFinder) -> None:
    error = fail(make(http, finder), "refuse me")
    assert (error.kind, "The message cannot be understood." in str(error)) == ("refused", True)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"answer": "x"}', "JSON without response"),
        (b'{"response": 5}', "a text of type int"),
        (b"hi", "instead of JSON"),
    ],
)
def test_what_is_no_response_is_a_failure(http: ChatServer, finder: ItemFinder, body: bytes, said: str) -> None:
    http.behaviour = Reply(body=body)
    error = fail(make(http, finder), "hi")
    assert (error.kind, said in str(error)) == ("no reply", True)
