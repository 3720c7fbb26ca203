"""Recommenders in Python, good and bad, to be found by name."""

import asyncio
import itertools
import sys
import threading
import time
from typing import Any

number = 5
release = threading.Event()
made = itertools.count(1)

Dialogue = list[dict[str, str]]


def plain(dialogue: Dialogue) -> str:
    return f'You said {dialogue[-1]["text"]}. Try "Alien" (1979).'


def full(dialogue: Dialogue) -> dict[str, Any]:
    return {"text": "Try this.", "items": ["f002", "Alien", "nowhere"], "recommends": True, "extra": 1}


def pair(dialogue: Dialogue) -> tuple[str, list[str]]:
    return "Two of them.", ["f001", "f001"]


async def later(dialogue: Dialogue) -> str:
    await asyncio.sleep(0.01)
    return "later"


def crash(dialogue: Dialogue) -> str:
    msg = "no\nidea"
    raise ValueError(msg)


def leave(dialogue: Dialogue) -> str:
    sys.exit("gone")


def stop(dialogue: Dialogue) -> str:
    raise StopIteration


async def crash_later(dialogue: Dialogue) -> str:
    await asyncio.sleep(0)
    raise KeyboardInterrupt


def hang(dialogue: Dialogue) -> str:
    release.wait(60)
    return "too late"


async def hang_later(dialogue: Dialogue) -> str:
    if dialogue[-1]["text"] == "quick":
        return "quick"
    await asyncio.sleep(60)
    return "too late"


async def block(dialogue: Dialogue) -> str:
    if dialogue[-1]["text"] != "quick":
        release.wait(60)
    return "quick"


def spoil(dialogue: Dialogue) -> str:
    dialogue.clear()
    return "spoiled"


def two(dialogue: Dialogue, more: int) -> str:
    return str(more)


class Needy:
    def __init__(self, what: str) -> None:
        self.what = what

    def reply(self, _dialogue: Dialogue) -> str:
        return self.what


class Silent:
    pass


class Counting:
    """Counts its own turns; each object knows which it is."""

    closed: list[int] = []  # noqa: RUF012 (shared on purpose)

    def __init__(self) -> None:
        self.me, self.turns = next(made), 0

    def reply(self, _dialogue: Dialogue) -> str:
        self.turns += 1
        return f"{self.me}: {self.turns}"

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.closed.append(self.me)


class Unmakable:
    def __init__(self) -> None:
        msg = "no weights"
        raise OSError(msg)

    def reply(self, _dialogue: Dialogue) -> str:
        return "never"


def slow(dialogue: Dialogue) -> str:
    time.sleep(0.2)
    return "slow"


async def cancels(dialogue: Dialogue) -> str:
    if dialogue[-1]["text"] == "now":
        raise asyncio.CancelledError
    return "fine"


async def cancels_inside(dialogue: Dialogue) -> str:
    if dialogue[-1]["text"] == "now":
        task = asyncio.ensure_future(asyncio.sleep(10))
        await asyncio.sleep(0)
        task.cancel()
        await task
    return "fine"


async def cancels_its_task(dialogue: Dialogue) -> str:
    task = asyncio.current_task()
    if dialogue[-1]["text"] == "now" and task is not None:
        task.cancel()
        await asyncio.sleep(10)
    return "fine"


async def ends_its_loop(dialogue: Dialogue) -> str:
    if dialogue[-1]["text"] == "now":
        asyncio.get_running_loop().stop()
        await asyncio.sleep(10)
    return "fine"


class UnspeakableError(BaseException):
    def __str__(self) -> str:
        raise KeyboardInterrupt


def raise_unspeakable(dialogue: Dialogue) -> str:
    raise UnspeakableError
