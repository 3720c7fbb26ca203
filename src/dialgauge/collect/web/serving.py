"""Run the application on a port of this machine until it is told to end."""

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from dialgauge.errors import InputError

SECONDS_TO_END = 5
"""For what is under way when the server is told to end."""

SECONDS_TO_ANSWER = 3
"""For those who wait for the database then."""

SECONDS_TO_ASK = 20.0
"""From the first byte of a request, or from the beginning of a connection, to the end of the headers."""

LARGEST_HEADERS = 32 * 1024
"""Bytes."""


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on ``host`` and ``port`` (0: any that is free); InputError where it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        msg = f"port {port} of {host} cannot be used ({why}); choose another with --port, or 0 for any that is free"
        raise InputError(msg) from None


def address_of(listening: socket.socket) -> str:
    """Return the address of a socket, such as ``http://127.0.0.1:8000``."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine can reach a socket."""
    return ipaddress.ip_address(listening.getsockname()[0]).is_loopback


class _Protocol(H11Protocol):
    """A connection that is closed where the headers of a request do not come in time, as uvicorn does not do it."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End; a request whose body is not there yet ends now."""
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.close()
        else:
            super().shutdown()

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(SECONDS_TO_ASK, self.transport.close)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class _Server(uvicorn.Server):
    """A server that answers those who wait for the database before it ends."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = self.config.app
        if isinstance(app, Starlette):
            app.state.site.desk.end_within(SECONDS_TO_ANSWER)
        await super().shutdown(sockets)


def make_server(app: Starlette) -> uvicorn.Server:
    """Return a server for ``app`` that keeps no log of who asked for what, as addresses may bear codes."""
    config = uvicorn.Config(
        app,
        http=_Protocol,
        h11_max_incomplete_event_size=LARGEST_HEADERS,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    return _Server(config)


def serve(app: Starlette, listening: socket.socket, *, begun: Callable[[], None]) -> None:
    """Serve ``app`` until Ctrl-C or SIGTERM; ``begun`` is called once requests are taken in."""
    server = make_server(app)

    def end(*_: object) -> None:  # before the server listens to signals, and when it passes them on at its end
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        begun()
        server.run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        listening.close()
        app.state.site.desk.close()
