"""A real model behind HTTP on loopback: the answers of `LocalModel`, for programs of this machine and no other."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from dialgauge.errors import ModelError
from dialgauge.llm import Completion, Message, Request
from dialgauge.llm.local import LocalModel
from dialgauge.llm.openai import OpenAICompatible
from dialgauge.llm.serve import LONGEST_BODY, serve

ENDPOINT = "/chat/completions"
SCHEMA = {
    "type": "object",
    "properties": {
        "value": {"type": "integer", "minimum": 1, "maximum": 5},
        "why": {"type": "string", "maxLength": 20},
    },
    "required": ["value", "why"],
    "additionalProperties": False,
}
TEXT = "Rate the film Paddington 2 from 1 to 5."


@pytest.fixture(scope="module")
def url(smollm2: Path) -> Iterator[str]:
    with serve("smollm2", context=512) as url:
        yield url


def body(**settings: Any) -> dict[str, Any]:  # noqa: ANN401 (fields of a request)
    return {"model": "smollm2", "messages": [{"role": "user", "content": TEXT}], **settings}


def post(url: str, content: object, **headers: str) -> httpx.Response:
    return httpx.post(url + ENDPOINT, json=content, headers=headers, timeout=60)


def test_what_is_served_is_what_the_model_answers_inside_the_process(url: str) -> None:
    async def ask_both() -> list[Completion]:
        models = LocalModel("smollm2", context=512), OpenAICompatible(url, "smollm2")
        request = Request(
            messages=(Message("user", (TEXT,)),), schema=SCHEMA, temperature=0.8, seed=7, max_tokens=60, top_logprobs=5
        )
        try:
            return [await model.complete(request) for model in models]
        finally:
            for model in models:
                await model.close()

    inside, served = asyncio.run(ask_both())
    assert served.tokens == inside.tokens
    same = ("text", "sent", "finish_reason", "model", "fingerprint", "input_tokens", "output_tokens")
    assert {name: getattr(served, name) for name in same} == {name: getattr(inside, name) for name in same}
    assert 1 <= json.loads(inside.text)["value"] <= 5


def test_a_stream_has_the_parts_of_the_answer_and_its_end(url: str) -> None:
    asked = body(temperature=0, max_tokens=12)
    whole = post(url, asked).json()
    with httpx.stream("POST", url + ENDPOINT, json=asked | {"stream": True}, timeout=60) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        lines = [line.removeprefix("data: ") for line in answer.iter_lines() if line]
    parts = [json.loads(line) for line in lines[:-1]]
    deltas = [choice["delta"] for part in parts for choice in part["choices"]]
    assert lines[-1] == "[DONE]"
    assert "".join(delta.get("content") or "" for delta in deltas) == whole["choices"][0]["message"]["content"]


def test_two_requests_at_a_time_are_both_answered(smollm2: Path) -> None:
    with serve(smollm2, context=256, parallel=2) as url, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: post(url, body(temperature=0, max_tokens=10)).json(), range(2)))
    assert answers[0]["choices"] == answers[1]["choices"]
    assert answers[0]["usage"]["completion_tokens"] == 10


def test_the_model_and_its_health_are_told(url: str) -> None:
    assert [model["id"] for model in httpx.get(f"{url}/models").json()["data"]] == ["smollm2"]
    assert httpx.get(url.replace("/v1", "/health")).json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (body() | {"messages": "Hi"}, 400, "'messages' to be an array"),
        ([], 400, "must be a JSON object"),
        (body(tools=[{"type": "function"}]), 400, "'tools' is not supported"),
        (body(n=2), 400, "'n' is not supported"),
        (body(temperature="warm"), 400, "must be number"),
        (body(messages=[{"role": "user", "content": "word " * 600}]), 400, "exceeds the available context size"),
        (body(response_format={"type": "json_schema", "json_schema": {"schema": {"type": "x"}}}), 400, "cannot hold"),
    ],
)
def test_what_cannot_be_answered_is_an_error_with_its_reason(
    url: str, content: object, code: int, message: str
) -> None:
    answer = post(url, content)
    assert answer.status_code == code
    assert message in answer.json()["error"]["message"]


def test_what_a_web_page_could_send_is_refused(url: str) -> None:
    assert post(url, body(), Origin="https://example.org").status_code == 403
    assert post(url, body(), Host="example.org").status_code == 403
    assert httpx.get(f"{url}/models", headers={"Host": "example.org"}).status_code == 403
    plain = httpx.post(url + ENDPOINT, content=json.dumps(body()), headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415
    assert "access-control-allow-origin" not in plain.headers


def test_other_paths_and_endless_bodies_are_refused(url: str) -> None:
    assert httpx.get(f"{url}/props").status_code == 404
    assert httpx.post(f"{url}/embeddings", json={}).status_code == 404
    connection = HTTPConnection(url.split("/")[2], timeout=10)
    connection.putrequest("POST", "/v1" + ENDPOINT)
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(LONGEST_BODY + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_client_that_goes_leaves_the_model_free_for_the_next(url: str, heard: list[dict[str, Any]]) -> None:
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(url + ENDPOINT, json=body(max_tokens=450), timeout=0.1)
    assert post(url, body(max_tokens=1)).status_code == 200
    assert len(heard) < 400


def test_the_server_ends_while_it_answers_and_frees_its_port(smollm2: Path, heard: list[dict[str, Any]]) -> None:
    with ThreadPoolExecutor(1) as pool:
        with serve("smollm2", context=1024) as url:
            port = int(url.split(":")[2].split("/")[0])
            running = pool.submit(post, url, body(max_tokens=900))
            while len(heard) < 3:
                time.sleep(0.01)
        assert len(heard) < 800
        assert running.result().status_code == 503
    with pytest.raises(httpx.ConnectError):
        post(url, body())
    with socket.create_server(("127.0.0.1", port)) as other:
        assert other.getsockname()[1] == port


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org"])  # noqa: S104 (it is refused)
def test_another_machine_cannot_be_served(smollm2: Path, host: str) -> None:
    with pytest.raises(ModelError, match="to this machine only"), serve("smollm2", host=host):
        pass


def test_a_port_that_is_taken_is_refused(smollm2: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ModelError, match=f"port {port} of 127.0.0.1 cannot be used"), serve("smollm2", port=port):
            pass
