"""A study that people rate, its page on a real server, and people with browsers."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

pytest.importorskip("starlette", reason="the page for raters needs the extra: pip install 'dialgauge[web]'")

from dialgauge.collect.people import People, open_people
from dialgauge.collect.web.app import make_app
from dialgauge.collect.web.keys import read_key
from dialgauge.collect.web.serving import address_of, make_server, open_socket
from dialgauge.collect.web.settings import make_settings
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.store import Store, open_store
from dialgauge.io.study import StudyFolder, read_study
from dialgauge.model import Dialogue, Turn

INSTRUMENT = """
name = "small"
version = "1"
title = "Small"
[scale]
level = "ordinal"
points = [1, 2, 3, 4, 5]
labels = ["not at all", "a little", "somewhat", "much", "wholly"]
[[dimensions]]
name = "trust"
title = "Trust"
definition = "How far one would rely on it."
questions = [{ text = "Would you rely on it?" }]
[[dimensions]]
name = "ease"
title = "Ease"
questions = [{ text = "Was it easy?" }]
"""

TOKEN = re.compile(r'name="token" value="([^"]*)"')
REVISION = re.compile(r'name="(revision:[^"]*)" value="([^"]*)"')
TASK = re.compile(r'name="task" value="([^"]*)"')

SYSTEM = "hidden-system"

BROWSERS: list[httpx.Client] = []
"""All that were opened in a test."""


class Clock:
    """A clock that a test sets forward."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def forward(self, **span: float) -> None:
        """Let time pass."""
        self.moment += timedelta(**span)


def write_study(
    root: Path, *, n_targets: int = 3, people: Mapping[str, object] | None = None, instrument: str = INSTRUMENT
) -> Path:
    """Write a study of dialogues whose names tell the system, with ``people`` as its table [people]."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "small.toml").write_text(instrument, encoding="utf-8")
    dialogues = [
        Dialogue(
            id=f"{SYSTEM}/d{i}",
            turns=(Turn(speaker="user", text=f"Request {i}"), Turn(speaker="system", text="Here & <b>there</b>.")),
            system=SYSTEM,
        )
        for i in range(n_targets)
    ]
    write_dialogues(dialogues, root / "targets.jsonl")
    asked = {"shuffle": False, **(people or {})}  # the order of the instrument, which tests know
    told = "".join(f"{name} = {json.dumps(value)}\n" for name, value in asked.items())
    (root / "study.toml").write_text(f'name = "s"\ninstrument = "small.toml"\n[people]\n{told}', encoding="utf-8")
    return root


class Visitor:
    """A person with a browser that runs no scripts."""

    def __init__(self, address: str) -> None:
        self.browser = httpx.Client(base_url=address, trust_env=False, follow_redirects=True, timeout=30.0)
        BROWSERS.append(self.browser)
        self.page = self.browser.get("/")
        self.saved: dict[tuple[str, str], int] = {}

    @property
    def text(self) -> str:
        return self.page.text

    @property
    def token(self) -> str:
        return str(TOKEN.findall(self.text)[0])

    @property
    def task(self) -> str:
        return str(TASK.findall(self.text)[0])

    @property
    def revisions(self) -> dict[str, int]:
        """The fields that say which answers the page shows, as the script keeps them."""
        shown = {field: int(revision) for field, revision in REVISION.findall(self.text)}
        return {field: max(revision, self.saved.get((self.task, field), 0)) for field, revision in shown.items()}

    @property
    def request(self) -> str:
        """The first words of the dialogue that is shown."""
        found = re.search(r"Request \d+", self.text)
        return found[0] if found else ""

    def get(self, path: str) -> httpx.Response:
        self.page = self.browser.get(path)
        return self.page

    def enter(self, code: str) -> "Visitor":
        self.page = self.browser.post("/enter", data={"token": self.token, "code": code})
        return self

    def send(self, action: str = "complete", **answers: object) -> httpx.Response:
        """Send the form of the page with answers by dimension."""
        fields = {f"answer:{name}": str(value) for name, value in answers.items()}
        known = {"token": self.token, "task": self.task, "action": action} | self.revisions
        self.page = self.browser.post("/rate", data=known | fields)
        return self.page

    def answer(self, dimension: str, answer: object, /, **changed: str) -> httpx.Response:
        """Send one answer as the script does."""
        field = f"revision:{dimension}"
        known = {"task": self.task, "dimension": dimension, "revision": self.revisions.get(field, 0)}
        body = known | {"answer": str(answer)} | changed
        reply = self.browser.post("/answer", json=body, headers={"X-Form-Token": self.token})
        if reply.status_code == 200:
            self.saved[self.task, field] = reply.json()["revision"]
        return reply

    def rate_all(self, value: int = 3) -> int:
        """Complete whatever there is, and return how many dialogues that were."""
        done = 0
        self.get("/rate")
        while TASK.search(self.text):
            self.send(trust=value, ease=value)
            done += 1
        return done


@dataclass(frozen=True)
class Place:
    """A page on a server, and what is behind it."""

    address: str
    status: str
    folder: StudyFolder
    store: Store
    people: People

    def visit(self, code: str | None = None) -> Visitor:
        """Return somebody who opens the page, and has entered if ``code`` is given."""
        visitor = Visitor(self.address)
        return visitor if code is None else visitor.enter(code)


@contextmanager
def serve_study(
    root: Path, *, now: Callable[[], datetime] | None = None, patience: float = 10.0, **settings: str
) -> Iterator[Place]:
    """Serve the study in ``root`` from a thread of this process."""
    folder = read_study(root)
    with open_store(folder.store_url, create=True) as store:
        people = open_people(folder, store, now=now) if now else open_people(folder, store)
        app = make_app(people, make_settings(folder, people, **settings), read_key(root), patience=patience)
        listening = open_socket("127.0.0.1", 0)
        address = address_of(listening)
        server = make_server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            until = time.monotonic() + 10.0
            while not server.started and time.monotonic() < until:
                time.sleep(0.01)
            yield Place(address, app.state.site.signer.status, folder, store, people)
        finally:
            server.should_exit = True
            thread.join(20.0)
            listening.close()
            app.state.site.desk.close()
            assert not thread.is_alive()


@pytest.fixture(autouse=True)
def _close_browsers() -> Iterator[None]:
    yield
    while BROWSERS:
        BROWSERS.pop().close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a study of three dialogues and two questions, each for two raters."""
    return write_study(tmp_path / "study", people={"per_target": 2})


@pytest.fixture
def place(root: Path) -> Iterator[Place]:
    """Return its page on a server."""
    with serve_study(root) as served:
        yield served
