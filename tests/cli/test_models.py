"""``dialgauge models``: what is said before, during and after a fetch, and a server that ends when it is told to."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import httpx
import pytest

from dialgauge.cli import run
from dialgauge.llm import weights
from dialgauge.llm.weights import WEIGHTS, Progress

from .conftest import command_line


@pytest.fixture(autouse=True)
def cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of weights: an empty one, unless the test uses the real weights."""
    if "smollm2" not in request.fixturenames:
        monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    return weights.cache_folder()


def test_the_list_names_size_licence_and_whether_the_weights_are_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:5] == ["smollm2", "98", "MB", "Apache-2.0", "-"]
    assert lines[1].split()[:5] == ["qwen2.5-coder-1.5b", "1,117", "MB", "Apache-2.0", "-"]
    assert lines[-1] == "Fetch: dialgauge models get NAME"


def test_size_licence_and_origin_are_said_before_anything_is_fetched(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before: list[str] = []

    def pretend(name: str, *, progress: Progress) -> Path:
        before.append(capsys.readouterr().err)
        progress(50, 100)
        return tmp_path / name

    monkeypatch.setattr(weights, "fetch", pretend)
    assert run(["models", "get", "smollm2"]) == 0
    assert before[0].startswith("smollm2: SmolLM2-135M-Instruct, 4 bits (Q4_1), 98 MB, licence Apache-2.0, by Hugging")
    assert capsys.readouterr().out == f"path    {tmp_path / 'smollm2'}\nsha256  {WEIGHTS['smollm2'].sha256}\n"


def test_weights_that_are_here_are_only_checked(smollm2: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = smollm2.stat().st_mtime_ns
    assert run(["models", "get", "smollm2"]) == 0
    said = capsys.readouterr()
    assert "on this machine already; checking" in said.err
    assert said.out.splitlines()[0] == f"path    {smollm2}"
    assert smollm2.stat().st_mtime_ns == before


def test_the_path_of_weights_is_printed_and_missing_ones_are_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF")
    assert run(["models", "path", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}\n"
    assert run(["models", "path", "smollm2"]) == 2
    message = "the weights of smollm2 are not on this machine; run: dialgauge models get smollm2"
    assert capsys.readouterr().err == f"dialgauge: {message}\n"


def test_removed_weights_are_gone(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    cache.mkdir(parents=True)
    file = cache / WEIGHTS["smollm2"].file
    file.write_bytes(b"x" * 2_000_000)
    assert run(["models", "remove", "smollm2"]) == 0
    assert run(["models", "remove", "smollm2"]) == 0
    assert capsys.readouterr().out == "removed 2 MB\nnothing of smollm2 is on this machine\n"
    assert not file.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_server_answers_until_it_is_told_to_end(smollm2: Path, number: signal.Signals) -> None:
    command = command_line("models", "serve", "smollm2", "--port", "0", "--context", "256")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        url = line.split()[3].rstrip(";")
        assert line == f"serving smollm2 at {url}; Ctrl-C ends it\n"
        body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
        answer = httpx.post(f"{url}/chat/completions", json=body, timeout=60).json()
        server.send_signal(number)
        rest = server.communicate(timeout=30)
    assert answer["usage"]["completion_tokens"] == 2
    assert (server.returncode, *rest) == (0, "", "")
    with pytest.raises(httpx.ConnectError):
        httpx.get(url)


def test_a_server_inside_this_process_gives_back_the_signals(smollm2: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def end() -> None:
        while signal.getsignal(signal.SIGTERM) == before:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=end)
    thread.start()
    assert run(["models", "serve", "smollm2", "--port", "0", "--context", "128"]) == 0
    thread.join()
    assert signal.getsignal(signal.SIGTERM) == before
    assert capsys.readouterr().out.startswith("serving smollm2 at http://127.0.0.1:")
