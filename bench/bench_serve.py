"""Many people at once on the page for raters: how long an answer takes until it is acknowledged, and how many a second.

python bench/bench_serve.py [--people 50] [--dialogues 4] [--pause 0]

The server is a process of its own on loopback, with 18 questions on each dialogue and SQLite on this disk. Everybody
answers without reading, unless they pause: the next answer leaves when the last one was acknowledged.
"""

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
import psutil

from dialgauge.instruments import load_instrument
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.store import open_store
from dialgauge.model import Dialogue, Turn

RATERS_PER_DIALOGUE = 5

DIMENSIONS = load_instrument("crs_que").dimension_names

_TOKEN, _TASK = (re.compile(rf'name="{name}" value="([^"]+)"') for name in ("token", "task"))


@dataclass
class Times:
    """Seconds of each request by kind, and how many were not done at the first attempt."""

    answers: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    failed: int = 0
    completed: int = 0


def write_study(root: Path, people: int, dialogues: int) -> None:
    """Write a study in which each of ``people`` can complete so many dialogues of ten turns."""
    turns = tuple(
        Turn(speaker=("user", "system")[i % 2], text="A quiet film, please, not too long. " * 2) for i in range(10)
    )
    n_targets = max(1, people * dialogues // RATERS_PER_DIALOGUE)
    write_dialogues([Dialogue(id=f"d{i}", turns=turns) for i in range(n_targets)], root / "targets.jsonl")
    asked = f"[people]\nper_target = {RATERS_PER_DIALOGUE}\nmost_per_rater = {dialogues}\n"
    (root / "study.toml").write_text(f'name = "bench"\ninstrument = "crs_que"\n{asked}', encoding="utf-8")
    open_store(root / "study.db", create=True).close()


@contextmanager
def serving(root: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Start the server, and yield its address and its process."""
    command = [sys.executable, "-m", "dialgauge", "serve", str(root), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        if server.stdout is None:
            raise SystemExit("the server has no pipe")
        address = next(line.split()[1] for line in server.stdout if line.startswith("People"))
        try:
            yield address, psutil.Process(server.pid)
        finally:
            server.terminate()
            server.wait(20)


async def rate(address: str, code: str, pause: float, times: Times) -> None:
    """Be one person: enter, and answer question after question until there is none left."""
    rng = np.random.default_rng(int(code[1:]))
    async with httpx.AsyncClient(base_url=address, trust_env=False, follow_redirects=True, timeout=60.0) as browser:
        page = await browser.get("/")
        page = await browser.post("/enter", data={"token": _TOKEN.findall(page.text)[0], "code": code})
        while tasks := _TASK.findall(page.text):
            token, task = _TOKEN.findall(page.text)[0], tasks[0]
            for number, dimension in enumerate(DIMENSIONS):
                body = {"task": task, "dimension": dimension, "answer": str(1 + number % 5)}
                began = time.perf_counter()
                answer = await browser.post("/answer", json=body, headers={"X-Form-Token": token})
                times.answers.append(time.perf_counter() - began)
                times.failed += answer.status_code != httpx.codes.OK
                await asyncio.sleep(pause * rng.uniform(0.0, 2.0))
            began = time.perf_counter()
            page = await browser.post("/rate", data={"token": token, "task": task, "action": "complete"})
            times.pages.append(time.perf_counter() - began)
            times.failed += page.status_code != httpx.codes.OK
            times.completed += 1


async def rate_all(address: str, people: int, pause: float) -> Times:
    """Let everybody begin at once."""
    times = Times()
    await asyncio.gather(*(rate(address, f"p{i}", pause, times) for i in range(people)))
    return times


def say(what: str, seconds: list[float]) -> None:
    """Print the quantiles of a list of times."""
    half, most, worst = 1000 * np.quantile(seconds, [0.5, 0.95, 1.0])
    print(f"  {what}: half within {half:.0f} ms, 95 % within {most:.0f} ms, all within {worst:.0f} ms")


def main() -> None:
    """Run it and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--dialogues", type=int, default=4, help="that each of them completes")
    parser.add_argument("--pause", type=float, default=0.0, help="mean seconds between an answer and the next")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_study(Path(folder), arguments.people, arguments.dialogues)
        with serving(Path(folder)) as (address, process):
            began = time.perf_counter()
            times = asyncio.run(rate_all(address, arguments.people, arguments.pause))
            took = time.perf_counter() - began
            used, memory = sum(process.cpu_times()[:2]), process.memory_info().rss / 1e6
    n = len(times.answers)
    paced = f"{arguments.pause:g} s between answers on average"
    print(f"{arguments.people} people at once, {paced}: {times.completed} dialogues")
    print(f"  {n:,} answers in {took:.1f} s, {n / took:.0f} a second; {times.failed} refused")
    say("an answer", times.answers)
    say("a dialogue completed and the next one shown", times.pages)
    print(f"  {1000 * used / n:.1f} ms of processor time an answer, pages in it; {memory:.0f} MB of memory")


if __name__ == "__main__":
    main()
