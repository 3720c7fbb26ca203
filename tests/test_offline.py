"""The network is off for the whole suite."""

import socket
import subprocess
import sys

import pytest


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.org", 443), ("2001:db8::1", 80)])
def test_no_test_can_reach_another_machine(address: tuple[str, int]) -> None:
    with pytest.raises(RuntimeError, match="network is off"):
        socket.create_connection(address, timeout=0.1)


def test_no_python_started_by_a_test_can_either() -> None:
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=0.1)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "the network is off in tests" in run.stderr


def test_a_server_on_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()
