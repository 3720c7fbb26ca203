"""A process that writes to a store, to be killed or to meet another: ``python -m tests.io.store.worker WHAT ...``."""

import sys
import time
from collections.abc import Callable

from dialgauge.io.store import open_store

from .examples import item

BATCH = 20


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def write(location: str, run: str, first: str, batches: str) -> None:
    """Write batches of replicates from ``first`` on, and say the last replicate after each commit."""
    with open_store(location) as store:
        say("ready")
        for start in range(int(first), int(first) + int(batches) * BATCH, BATCH):
            items = [item("a", replicate=k, answer="x" * 500) for k in range(start, start + BATCH)]
            store.write(int(run), items, skip_existing=True)
            say(start + BATCH - 1)


def hold(location: str) -> None:
    """Hold the lock until killed."""
    with open_store(location) as store, store.lock():
        say("held")
        time.sleep(60)


def begin(location: str) -> None:
    """Open a store that may not be there yet."""
    say("ready")
    sys.stdin.readline()
    open_store(location, create=True).close()


TASKS: dict[str, Callable[..., None]] = {"write": write, "hold": hold, "begin": begin}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
