"""A real browser without a window, driven by its own protocol as a person would: keys, clicks, and what is seen."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

SECONDS = 20.0
"""How long anything may take."""

KEYS = {"Tab": 9, "Enter": 13, "ArrowDown": 40, "ArrowRight": 39}


class Page:
    """One tab."""

    def __init__(self, socket: Any) -> None:  # noqa: ANN401 (of a library that may be missing)
        self._socket, self._numbers = socket, count(1)
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **parameters: object) -> Mapping[str, Any]:
        """Send a command, and return its result; note what the page complains of meanwhile."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=SECONDS))
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(message["params"]["exceptionDetails"]))
            elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.errors.append(str(message["params"]["entry"]["text"]))
            elif message.get("id") == number:
                assert "error" not in message, message
                result: Mapping[str, Any] = message["result"]
                return result

    def see(self, expression: str) -> Any:  # noqa: ANN401 (whatever the page holds)
        """Return the value of a JavaScript expression."""
        found = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait_for(self, expression: str) -> Any:  # noqa: ANN401 (as above)
        """Wait until an expression is true."""
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            found = self.do("Runtime.evaluate", expression=f"Boolean({expression})", returnByValue=True)["result"].get(
                "value"
            )
            if found:
                return found
            time.sleep(0.03)
        text = self.see("document.body.innerText")
        pytest.fail(f"never true: {expression}\n{text}")

    def go(self, address: str) -> None:
        """Open an address, and wait until it is there."""
        self.see("window.leftBehind = true")
        self.do("Page.navigate", url=address)
        self.wait_for("!window.leftBehind && document.readyState === 'complete'")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            known = {"key": key, "windowsVirtualKeyCode": KEYS.get(key) or ord(key.upper())}
            text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
            self.do("Input.dispatchKeyEvent", type="keyDown", **known, **text)
            self.do("Input.dispatchKeyEvent", type="keyUp", **known)

    def write(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.do("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        script = f"""(() => {{
            const one = document.querySelector({json.dumps(selector)});
            one.scrollIntoView({{block: "center"}});
            const box = one.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
        x, y = self.see(script)
        for kind in ("mousePressed", "mouseReleased"):
            self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def look(self, *, width: int = 1280, height: int = 800, dark: bool = False) -> None:
        """Set the size of the window, and whether the person likes it dark."""
        self.do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.do("Emulation.setEmulatedMedia", features=features)

    def photograph(self, path: Path) -> None:
        """Save what is seen as a picture."""
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def open_browser() -> Iterator[Page]:
    """Start a browser with one tab; skips where there is none, or no library for its protocol."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on this machine")
    client = pytest.importorskip("websockets.sync.client", reason="the protocol of the browser needs websockets")
    with tempfile.TemporaryDirectory(prefix="dialgauge-browser-", ignore_cleanup_errors=True) as folder:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--remote-debugging-port=0"]
        options += ["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"]
        browser = subprocess.Popen(
            [program, *options, f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with client.connect(_find_tab(Path(folder)), max_size=None, proxy=None) as socket:
                yield Page(socket)
        finally:
            browser.terminate()
            browser.wait(SECONDS)


def _find_tab(folder: Path) -> str:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            port = (folder / "DevToolsActivePort").read_text(encoding="ascii").split()[0]
            tabs = httpx.get(f"http://127.0.0.1:{port}/json", trust_env=False, timeout=5.0).json()
            return str(next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page"))
        except (OSError, IndexError, StopIteration, httpx.HTTPError):
            time.sleep(0.1)
    pytest.fail("the browser did not start")
