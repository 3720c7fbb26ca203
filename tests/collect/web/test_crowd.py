"""Many people at once, and a server that dies under them."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from dialgauge.collect.people import open_people
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study

from .conftest import Visitor, serve_study, write_study

CROWD = 20


def test_many_people_at_once_complete_exactly_what_is_wanted(tmp_path: Path) -> None:
    root = write_study(tmp_path / "study", n_targets=CROWD, people={"per_target": 2})
    with serve_study(root, patience=30.0) as place:

        def work(number: int) -> int:
            return place.visit(f"p{number}").rate_all(1 + number % 5)

        with ThreadPoolExecutor(CROWD) as pool:
            done = list(pool.map(work, range(CROWD)))
        assert sum(done) == 2 * CROWD
        assert {(one.completed, one.reserved) for one in place.people.progress()} == {(2, 0)}
        ratings = place.store.ratings(purpose="study").frame
    assert ratings.height == 2 * 2 * CROWD
    assert ratings.select("rater", "target", "dimension").is_unique().all()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_server_that_is_killed_has_kept_every_answer_that_it_acknowledged(tmp_path: Path) -> None:
    root = write_study(tmp_path / "study", n_targets=6, people={"per_target": 6})
    open_store(root / "study.db", create=True).close()
    said: list[tuple[str, str, str, int, int]] = []
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-m", "dialgauge", "serve", str(root), "--port", "0"], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            address = next(line.split()[1] for line in server.stdout if line.startswith("People")).rstrip("/")

            def work(code: str, address: str = address, pid: int = server.pid) -> None:
                try:
                    visitor = Visitor(address).enter(code)
                    for number in range(1000):
                        for name in ("trust", "ease"):
                            value = 1 + number % 5
                            answer = visitor.answer(name, value)
                            if answer.status_code == 200:
                                said.append((code, visitor.request, name, answer.json()["revision"], value))
                        if number == 3 and code == "p0":
                            os.kill(pid, signal.SIGKILL)
                        if number % 2:
                            visitor.send()
                except (httpx.HTTPError, json.JSONDecodeError, IndexError):
                    return

            with ThreadPoolExecutor(4) as pool:
                list(pool.map(work, [f"p{i}" for i in range(4)]))
            server.wait(20.0)
        assert server.returncode == -signal.SIGKILL
    assert len({code for code, *_ in said}) > 1
    folder = read_study(root)
    with folder.open_store() as store:
        people = open_people(folder, store)
        names = {one.code: one.rater for one in people.people()}
        targets = {dialogue.turns[0].text: dialogue.id for dialogue in store.targets()}
        for code, request, dimension, revision, value in said:
            logged = people.revisions(names[code], targets[request])
            kept = [a.value for name, a in logged if name == dimension and a.revision == revision]
            assert kept == [float(value)]
