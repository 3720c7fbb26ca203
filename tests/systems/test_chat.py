"""Language models as recommenders."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.llm.server import ChatServer, Reply, error
from tests.systems.talk import ask, fail, talk

from dialgauge.model.item import Catalogue
from dialgauge.systems import open_system
from dialgauge.systems.chat import FROM_LIST, INSTRUCTIONS
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.models import open_model
from dialgauge.systems.retrieval_chat import CANDIDATES, chat_with_retrieval


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(Reply(text='Then try "Alien" (1979), or "Alien" (1902).')) as running:
        yield running


def test_the_model_is_given_instructions_and_the_dialogue_as_its_conversation(
    server: ChatServer, films: Catalogue, finder: ItemFinder
) -> None:
    reply = ask(open_system(f"chat+{server.url}#small", films), "hi", "hello", "a film?")
    assert [finder.catalogue.by_id[name].title for name in reply.ranking] == ["Alien"]
    assert reply.unknown == ("Alien",)
    (body,) = server.bodies
    assert body["model"] == "small"
    assert "seed" not in body
    assert body["messages"] == [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "a film?"},
    ]


def test_with_retrieval_the_model_is_given_what_is_like_the_words_of_the_user(
    server: ChatServer, films: Catalogue
) -> None:
    ask(open_system(f"retrieval-chat:{server.url}#small", films), "a western")
    told = server.bodies[0]["messages"][0]["content"]
    listed = told.split(FROM_LIST)[1].strip().splitlines()
    assert 0 < len(listed) <= CANDIDATES
    assert all("western" in line for line in listed)
    assert '- "Stagecoach" (1939): adventure, drama and western; John Ford, Claire Trevor and John Wayne' in listed


def test_the_fake_model_goes_the_whole_way(films: Catalogue, finder: ItemFinder) -> None:
    replies = talk(open_system("retrieval-chat:fake", films), "a western", "another?", "and one more?")
    named = [finder.read(reply.text)[0] for reply in replies]
    assert all("western" in films.by_id[name].attributes for names in named for name in names)
    assert len({name for names in named for name in names}) == 3
    assert ask(open_system("chat+fake", films), "a western").ranking == ()


def test_what_may_pass_is_tried_again(server: ChatServer, films: Catalogue) -> None:
    server.behaviour = [error(429, "slow down", retry_after="0"), Reply(body=b"{", status=500), Reply(text="now")]
    assert ask(open_system(f"chat+{server.url}#small", films), "hi").text == "now"
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("behaviour", "kind", "tries"),
    [
        (error(400, "no such model"), "refused", 1),
        (error(500, "oh"), "crashed", 3),
        (Reply(text=None, refusal="I cannot do that."), "refused", 1),
        (Reply(reset=True), "crashed", 3),
        (error(503, "loading"), "unreachable", 3),
    ],
)
def test_failures_of_the_model_are_failures_of_the_system(
    server: ChatServer, films: Catalogue, behaviour: Reply, kind: str, tries: int
) -> None:
    server.behaviour = behaviour
    assert fail(open_system(f"chat+{server.url}#small", films), "hi").kind == kind
    assert len(server.received) == tries


def test_a_model_that_hangs_is_a_timeout(server: ChatServer, films: Catalogue) -> None:
    server.behaviour = Reply(seconds=30)
    start = time.monotonic()
    assert fail(open_system(f"chat+{server.url}#small", films, timeout=0.3), "hi").kind == "timeout"
    assert time.monotonic() - start < 5


def test_the_key_comes_from_the_environment(
    server: ChatServer, films: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_KEY", "abcdefghijk")
    ask(open_system(f"chat+{server.url}#small", films, key_env="OWN_KEY"), "hi")
    assert server.received[0].headers["authorization"] == "Bearer abcdefghijk"


def test_a_small_model_on_this_machine_recommends(films: Catalogue, finder: ItemFinder, smollm2: Path) -> None:
    model = open_model(f"local:{smollm2}")
    reply = ask(chat_with_retrieval(model, finder, n_candidates=3, seed=1), "a western with John Wayne, please")
    assert reply.text.strip()
    assert set(reply.ranking) <= set(films.by_id)


def test_a_model_that_nobody_serves_is_unreachable(films: Catalogue) -> None:
    with ChatServer() as gone:
        url = gone.url
    assert fail(open_system(f"chat+{url}#small", films), "hi").kind == "unreachable"
