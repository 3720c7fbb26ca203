"""Keep this Python off the network: addresses of this machine can be reached, others raise.

`tests/conftest.py` loads this file into the test run, and puts its folder on PYTHONPATH, so that every Python that a
test starts loads it too.
"""

import sys

NAMING = {"socket.getaddrinfo", "socket.gethostbyname"}
SENDING = {"socket.connect", "socket.sendmsg", "socket.sendto"}
HERE = {None, "", "localhost", "127.0.0.1", "::1"}


class NetworkIsOffError(RuntimeError):
    """A test reached for the network. No OSError, so that no code takes it for a failed connection."""


def refuse_others(event: str, args: tuple[object, ...]) -> None:
    """Raise if the audited ``event`` names or addresses another machine."""
    if event in NAMING:
        host = args[0]
    elif event in SENDING and isinstance(args[1], tuple):  # a Unix socket's address is a path
        host = args[1][0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode()
    if host not in HERE:
        msg = f"{event} with host {host!r}: the network is off in tests, serve what is needed on 127.0.0.1"
        raise NetworkIsOffError(msg)


sys.addaudithook(refuse_others)
