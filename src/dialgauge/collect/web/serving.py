"""Run the application on a port of this machine until it is told to end."""

import ipaddress
import signal
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette

from dialgauge.errors import InputError

SECONDS_TO_END = 5
"""For what is under way when the server is told to end."""


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


def make_server(app: Starlette) -> uvicorn.Server:
    """Return a server for ``app`` that keeps no log of who asked for what, as addresses may bear codes."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    return uvicorn.Server(config)


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
