"""A chat endpoint on this machine that behaves as it is told: OpenAI's format, and every way to fail.

::

    with ChatServer(Reply(text="4")) as server:
        ...  # server.url, server.bodies, server.most_in_flight

It runs in a thread and an event loop of its own. ``python tests/llm/server.py --seconds 0.2`` serves in a process of
its own instead: it prints its address, and ends when its standard input does.
"""

import argparse
import asyncio
import contextlib
import json
import math
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

RATING = '{"value": 4}'

Token = tuple[str, float, Sequence[tuple[str, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server does with one request.

    ``body`` replaces the completion that would say ``text``; ``cut`` keeps that many bytes of it. ``seconds`` pass
    before the first byte, ``byte_seconds`` before each byte of the body. ``reset`` sends RST instead of an answer,
    ``hang_up`` closes the connection when half of the promised body is sent.
    """

    text: str | None = RATING
    seconds: float = 0.0
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    body: bytes | None = None
    cut: int | None = None
    byte_seconds: float = 0.0
    reset: bool = False
    hang_up: bool = False
    refusal: str | None = None
    finish_reason: str = "stop"
    fingerprint: str | None = "fp-test"
    tokens: Sequence[Token] | None = None


def error(status: int, message: str, *, retry_after: str | None = None, **named: str) -> Reply:
    """Return a refusal in OpenAI's words; ``named`` are further keys of the error, such as ``param`` or ``code``."""
    body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **named}}
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Reply(status=status, headers=headers, body=json.dumps(body).encode())


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came in: its path, its headers with names in lower case, its body."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The body as JSON."""
        content: dict[str, Any] = json.loads(self.raw)
        return content


Behaviour = Reply | Sequence[Reply] | Callable[[Received], Reply]


class ChatServer:
    """The endpoint; a context manager.

    ``behaviour`` is one reply for all requests, a reply for each request in turn (the last one stays), or a function.
    """

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.behaviour = Reply() if behaviour is None else behaviour
        self.received: list[Received] = []
        self.connections = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._open: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        """The base address of the interface."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the requests, in order."""
        return [each.body for each in self.received]

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive(), "the server did not stop"

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self.serve())

    async def serve(self) -> None:
        """Serve until told to stop."""
        server = await asyncio.start_server(self._handle, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for writer in list(self._open):
            writer.transport.abort()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        try:
            while (request := await _read(reader)) is not None:
                self.received.append(request)
                self.in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self.in_flight)
                try:
                    await self._answer(writer, request, self._reply_to(request))
                finally:
                    self.in_flight -= 1
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.transport.abort() if writer.is_closing() else writer.close()

    def _reply_to(self, request: Received) -> Reply:
        if isinstance(self.behaviour, Reply):
            return self.behaviour
        if callable(self.behaviour):
            return self.behaviour(request)
        return self.behaviour[min(len(self.received), len(self.behaviour)) - 1]

    async def _answer(self, writer: asyncio.StreamWriter, request: Received, reply: Reply) -> None:
        if reply.seconds:
            await asyncio.sleep(reply.seconds)
        if reply.reset:
            _reset(writer)
            raise ConnectionResetError
        body = completion(request.body, reply) if reply.body is None else reply.body
        body = body[: reply.cut]
        headers = {"content-type": reply.content_type, "content-length": str(len(body)), **reply.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {reply.status} Told\r\n{head}\r\n".encode("latin-1"))
        if reply.hang_up:
            body = body[: len(body) // 2]
        if reply.byte_seconds:
            for i in range(len(body)):
                writer.write(body[i : i + 1])
                await asyncio.sleep(reply.byte_seconds)
        else:
            writer.write(body)
        await writer.drain()
        if reply.hang_up:
            raise ConnectionAbortedError


def completion(request: Mapping[str, Any], reply: Reply) -> bytes:
    """Return the completion of ``request`` that says ``reply.text``, in OpenAI's format."""
    logprobs = None
    if request.get("logprobs"):
        tokens = reply.tokens or [(reply.text or "", -0.25, [(reply.text or "", -0.25), ("5", -1.5)])]
        logprobs = {"content": [_token(token, request.get("top_logprobs", 0)) for token in tokens], "refusal": None}
    n_in = math.ceil(len(json.dumps(request["messages"])) / 4)
    n_out = math.ceil(len(reply.text or reply.refusal or "") / 4)
    message = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    body = {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"{request['model']}-2026",
        "system_fingerprint": reply.fingerprint,
        "choices": [{"index": 0, "message": message, "logprobs": logprobs, "finish_reason": reply.finish_reason}],
        "usage": {"prompt_tokens": n_in, "completion_tokens": n_out, "total_tokens": n_in + n_out},
    }
    return json.dumps(body).encode()


def _token(token: Token, n_top: int) -> dict[str, Any]:
    text, logprob, top = token
    listed = [{"token": each, "logprob": lp, "bytes": list(each.encode())} for each, lp in list(top)[:n_top]]
    return {"token": text, "logprob": logprob, "bytes": list(text.encode()), "top_logprobs": listed}


async def _read(reader: asyncio.StreamReader) -> Received | None:
    """Read a request; None where the other side has gone."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        start, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return Received(start.split(" ")[1], headers, raw)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close so that the other side gets RST."""
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def main() -> None:
    """Serve one behaviour in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.2, help="how long an answer takes")
    parser.add_argument("--text", default=RATING, help="what it says")
    given = parser.parse_args()
    with ChatServer(Reply(text=given.text, seconds=given.seconds)) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
