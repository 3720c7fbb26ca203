"""The client of OpenAI-compatible endpoints, against a server on this machine: what it sends, and what it reads."""

import asyncio
import base64
import json
import logging
import time

import httpx
import pytest
from tests.llm.server import ChatServer, Reply, error

from dialgauge.errors import ModelError
from dialgauge.llm import Audio, CallFailedError, Completion, Message, Request
from dialgauge.llm.openai import OpenAICompatible, key_from

KEY = "sk-very/secret-0123456789"
SCHEMA = {"type": "object", "properties": {"value": {"type": "integer"}}, "required": ["value"]}


def asking(text: str = "How good was it?", **settings: object) -> Request:
    return Request(messages=(Message("user", (text,)),), **settings)  # type: ignore[arg-type]


def call(server: ChatServer, request: Request | None = None, **settings: object) -> Completion:
    """Make one call with a model of its own."""

    async def run() -> Completion:
        model = OpenAICompatible(server.url, "m", **settings)  # type: ignore[arg-type]
        try:
            return await model.complete(request or asking())
        finally:
            await model.close()

    return asyncio.run(run())


def test_messages_and_all_settings_are_sent_in_the_words_of_the_interface() -> None:
    request = Request(
        messages=(Message("system", ("Rate.",)), Message("user", ("a", "b")), Message("assistant", ("ok",))),
        temperature=0.5,
        top_p=0.9,
        seed=7,
        max_tokens=20,
        schema=SCHEMA,
        top_logprobs=3,
    )
    with ChatServer() as server:
        call(server, request)
    assert server.received[0].path == "/v1/chat/completions"
    assert server.bodies[0] == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Rate."},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "assistant", "content": "ok"},
        ],
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 20,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}},
        "logprobs": True,
        "top_logprobs": 3,
    }


def test_settings_that_are_none_are_left_to_the_endpoint() -> None:
    with ChatServer() as server:
        call(server)
    assert server.bodies[0].keys() == {"model", "messages"}


def test_audio_is_sent_as_base64_of_the_wav_file() -> None:
    with ChatServer() as server:
        call(server, Request(messages=(Message("user", ("Listen.", Audio(b"RIFFxxxxWAVE"))),)))
    part = server.bodies[0]["messages"][0]["content"][1]
    assert part["type"] == "input_audio"
    assert part["input_audio"]["format"] == "wav"
    assert base64.b64decode(part["input_audio"]["data"]) == b"RIFFxxxxWAVE"


def test_a_completion_holds_the_answer_its_source_and_the_exchange() -> None:
    with ChatServer(Reply(text='{"value": 4}', finish_reason="stop", fingerprint="fp-9")) as server:
        answer = call(server)
    assert (answer.text, answer.finish_reason, answer.refusal) == ('{"value": 4}', "stop", None)
    assert (answer.model, answer.fingerprint, answer.status) == ("m-2026", "fp-9", 200)
    assert (answer.input_tokens, answer.output_tokens) == (13, 3)
    assert answer.sent.encode() == server.received[0].raw
    assert json.loads(answer.received)["choices"][0]["message"]["content"] == '{"value": 4}'
    assert answer.tokens is None
    assert answer.seconds > 0.0


def test_log_probabilities_come_with_the_most_likely_tokens_of_each_place() -> None:
    tokens = [("4", -0.1, [("4", -0.1), ("5", -2.5), ("3", -4.0)])]
    with ChatServer(Reply(text="4", tokens=tokens)) as server:
        answer = call(server, asking(top_logprobs=2))
    assert answer.tokens is not None
    assert (answer.tokens[0].text, answer.tokens[0].logprob) == ("4", -0.1)
    assert answer.tokens[0].top == (("4", -0.1), ("5", -2.5))


def test_a_refusal_is_a_completion_with_the_sentence_of_the_endpoint() -> None:
    with ChatServer(Reply(text=None, refusal="I would rather not.")) as server:
        answer = call(server)
    assert (answer.text, answer.refusal) == ("", "I would rather not.")


def test_texts_of_every_script_arrive_and_come_back_unharmed() -> None:
    text = 'żółć 评价 \N{SLIGHTLY SMILING FACE} "quoted" \\ \u2028 end'
    with ChatServer(lambda received: Reply(text=received.body["messages"][0]["content"])) as server:
        answer = call(server, asking(text))
    assert answer.text == text
    assert text.encode().split(b'"')[0] in server.received[0].raw  # readable in the record, not escaped


def test_half_a_character_is_sent_escaped_and_read_as_a_replacement() -> None:
    with ChatServer(Reply(text="half \ud83d of it")) as server:
        answer = call(server, asking("\ud83d"))
    assert "\\ud83d" in answer.sent
    assert answer.text == "half \ufffd of it"


def test_the_key_is_sent_and_nothing_else_holds_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(request: object) -> Reply:
        return Reply(text=f"you said {KEY} and {json.dumps(KEY)}")

    with ChatServer(echo) as server:
        answer = call(server, key=KEY)
        model = OpenAICompatible(server.url, "m", key=KEY)
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(answer) + repr(model) + str(model) + caplog.text
    assert answer.text == 'you said [key] and "[key]"'


def test_an_error_that_quotes_the_key_is_told_without_it() -> None:
    quoting = error(401, f"Incorrect API key provided: {KEY}")
    with ChatServer(quoting) as server, pytest.raises(CallFailedError) as caught:
        call(server, key=KEY, key_env="MY_KEY")
    failure = caught.value
    assert KEY not in str(failure) + repr(failure) + str(failure.received) + failure.sent
    assert "[key]" in str(failure)


def test_no_key_means_no_authorization() -> None:
    with ChatServer() as server:
        call(server)
    assert "authorization" not in server.received[0].headers


def test_a_key_is_not_sent_over_plain_http_to_another_machine_unless_allowed() -> None:
    with pytest.raises(ModelError, match="plain HTTP; give an https:// address"):
        OpenAICompatible("http://models.example/v1", "m", key=KEY)
    OpenAICompatible("http://models.example/v1", "m", key=KEY, allow_plain=True)
    OpenAICompatible("https://models.example/v1", "m", key=KEY)
    OpenAICompatible("http://models.example/v1", "m")
    for host in ("localhost", "127.0.0.1", "[::1]"):
        OpenAICompatible(f"http://{host}:8080/v1", "m", key=KEY)


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ModelError, match="the key of the endpoint is empty or has blanks") as caught:
        OpenAICompatible("http://127.0.0.1/v1", "m", key=key)
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:8080/v1", "is no http"),
        ("ftp://127.0.0.1/v1", "is no http"),
        ("http:///v1", "is no http"),
        ("http://[::1/v1", "is no address"),
        ("http://127.0.0.1:99999999/v1", "is no http"),
        ("http://user:secret@127.0.0.1/v1", "holds a password"),
        ("http://127.0.0.1/v1/chat/completions", "goes past the base"),
        ("http://127.0.0.1/v1?key=1", "goes past the base"),
        (f"http://{'a' * 70}.example/v1", "is no address"),
    ],
)
def test_an_address_that_is_no_base_of_the_interface_is_refused(address: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        OpenAICompatible(address, "m")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_vendor_that_renamed_max_tokens_gets_the_new_name() -> None:
    bodies = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return httpx.Response(200, json={"choices": [{"message": {"content": "4"}}]})

    async def run() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            model = OpenAICompatible("https://api.openai.com/v1", "m", key=KEY, client=client)
            await model.complete(asking(max_tokens=5))

    asyncio.run(run())
    assert bodies[0]["max_completion_tokens"] == 5
    assert "max_tokens" not in bodies[0]


def test_a_key_comes_from_an_environment_variable_that_must_hold_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    assert key_from("MY_KEY") == KEY
    monkeypatch.setenv("MY_KEY", " ")
    with pytest.raises(ModelError, match="environment variable MY_KEY is not set"):
        key_from("MY_KEY")
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(ModelError, match="environment variable MY_KEY is not set"):
        key_from("MY_KEY")


def test_an_endpoint_on_this_machine_is_not_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(Reply(status=502)) as proxy, ChatServer() as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert call(server).status == 200
    assert proxy.received == []


def test_connections_are_used_again_and_as_many_calls_as_wanted_are_under_way() -> None:
    async def run(server: ChatServer) -> None:
        model = OpenAICompatible(server.url, "m", connections=16)
        for _ in range(3):
            await asyncio.gather(*(model.complete(asking()) for _ in range(16)))
        await model.close()

    with ChatServer(Reply(seconds=0.1)) as server:
        asyncio.run(run(server))
    assert server.most_in_flight == 16
    assert server.connections == 16
    assert len(server.received) == 48


def test_a_connection_that_the_server_closed_meanwhile_is_replaced() -> None:
    async def run(server: ChatServer) -> None:
        model = OpenAICompatible(server.url, "m")
        await model.complete(asking())
        with pytest.raises(CallFailedError):
            await model.complete(asking())
        assert (await model.complete(asking())).status == 200
        await model.close()

    with ChatServer([Reply(), Reply(hang_up=True), Reply()]) as server:
        asyncio.run(run(server))
    assert server.connections == 2


def test_a_cancelled_call_ends_at_once_and_the_model_goes_on() -> None:
    async def run(server: ChatServer) -> float:
        model = OpenAICompatible(server.url, "m")
        tasks = [asyncio.create_task(model.complete(asking())) for _ in range(4)]
        await asyncio.sleep(0.2)
        start = time.perf_counter()
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        took = time.perf_counter() - start
        assert all(isinstance(each, asyncio.CancelledError) for each in ended)
        server.behaviour = Reply()
        assert (await model.complete(asking())).status == 200
        await model.close()
        return took

    with ChatServer(Reply(seconds=30.0)) as server:
        assert asyncio.run(run(server)) < 2.0


def test_a_client_that_was_given_is_not_closed() -> None:
    async def run() -> None:
        async with httpx.AsyncClient() as client:
            await OpenAICompatible("http://127.0.0.1:9/v1", "m", client=client).close()
            assert not client.is_closed

    asyncio.run(run())
