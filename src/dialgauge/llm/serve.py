"""A local model behind the OpenAI-compatible chat endpoint, for programs on this machine and no other."""

import contextlib
import ipaddress
import json
import select
import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dialgauge.errors import ModelError
from dialgauge.llm.local import CONTEXT
from dialgauge.llm.local_engine import Body, Engine, StoppedError, check, import_llama

LONGEST_BODY = 8 << 20
"""Bytes of a request; more than any prompt needs."""


@contextlib.contextmanager
def serve(
    path_or_name: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    threads: int = 1,
    parallel: int = 1,
    context: int = CONTEXT,
) -> Iterator[str]:
    """Serve a model while the context lasts, and yield its address, such as ``http://127.0.0.1:8080/v1``.

    ``POST /v1/chat/completions`` (also with ``"stream": true``) and ``GET /v1/models`` are as in the OpenAI interface,
    ``GET /health`` tells that the model is loaded. Answers are those of `LocalModel`. With port 0 the system chooses
    one. No key is needed: ``host`` must be of this machine, and requests that a web page could send are refused.
    Raises ModelError for another host, a port that is taken, and all that `LocalModel` raises it for.
    """
    check(path_or_name, threads=threads, context=context, parallel=parallel)
    import_llama()
    if not _is_loopback(host):
        raise ModelError(f"a local model is served to this machine only, not on {host!r}; use 127.0.0.1")
    try:
        server = _Server((host, port), _Handler)
    except (OSError, OverflowError) as error:
        raise ModelError(f"port {port} of {host} cannot be used ({error}); choose another, or 0 for any") from None
    with server:
        engine = Engine(path_or_name, threads=threads, context=context, parallel=parallel)
        server.engine = engine
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            engine.close()
            thread.join()


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or (ipaddress.ip_address(host).is_loopback and ":" not in host)
    except ValueError:
        return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    engine: Engine

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 (as in the library)
        """Say nothing: a client that has gone is none of ours, and the others were told."""


class _Handler(BaseHTTPRequestHandler):
    """One request a connection, so that none outlives the server."""

    server: _Server
    timeout = 60
    streaming = False

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as in the library)
        """Keep no log."""

    def do_GET(self) -> None:
        engine = self.server.engine
        if not self._comes_from_here():
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers programs on its own machine only")
        elif self.path == "/health":
            self._send({"status": "ok"})
        elif self.path == "/v1/models":
            model = {"id": engine.name, "object": "model", "created": 0, "owned_by": "local"}
            self._send({"object": "list", "data": [model]})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, f"there is nothing at {self.path}; POST to /v1/chat/completions")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not self._comes_from_here():
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers programs on its own machine only")
        elif self.path != "/v1/chat/completions":
            self._refuse(HTTPStatus.NOT_FOUND, f"there is nothing at {self.path}; POST to /v1/chat/completions")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the content type must be application/json")
        elif not length.isdecimal() or int(length) > LONGEST_BODY:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body must have 0 to {LONGEST_BODY:,} bytes")
        else:
            self._answer(self.rfile.read(int(length)))

    def _comes_from_here(self) -> bool:
        """Whether the request names this machine and no web page: pages send Origin, or a name of their own."""
        name = self.headers.get("Host", "").rsplit(":", 1)[0]
        return "Origin" not in self.headers and _is_loopback(name)

    def _answer(self, content: bytes) -> None:
        try:
            body = json.loads(content)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self._refuse(HTTPStatus.BAD_REQUEST, "the body must be a JSON object")
            return
        stream = bool(body.get("stream"))
        try:
            answer = self.server.engine.answer(body, stopped=self._has_gone, hear=self._stream if stream else None)
        except StoppedError:
            answer = {"error": {"code": 503, "type": "closed", "message": "the server has ended"}}
        if self.streaming:
            self.wfile.write(b"" if "error" in answer else b"data: [DONE]\n\n")
        else:
            self._send(answer, answer.get("error", {}).get("code", HTTPStatus.OK))

    def _has_gone(self) -> bool:
        ready, _, _ = select.select([self.connection], [], [], 0)
        try:
            return bool(ready) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _stream(self, part: Body) -> None:
        if not self.streaming:
            self.streaming = True
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
        self.wfile.write(f"data: {json.dumps(part)}\n\n".encode())

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self._send({"error": {"code": status, "type": "invalid_request_error", "message": message}}, status)

    def _send(self, body: Body, status: int = HTTPStatus.OK) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
