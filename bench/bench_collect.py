"""Collecting over HTTP: throughput against an endpoint that takes 200 ms, processor time a rating, memory over time.

python bench/bench_collect.py [--calls 6400] [--memory 100000]

The endpoint is a process of its own on loopback. Ideal is what 64 calls in flight, 200 ms each, can bring: 320 a
second.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import forecast, shares_of
from dialgauge.collect.rate import Collection
from dialgauge.collect.tally import Tally
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.store import open_store
from dialgauge.io.study import read_study
from dialgauge.model import Dialogue, Turn

IN_FLIGHT, SECONDS = 64, 0.2

SERVER = Path(__file__).parents[1] / "tests" / "llm" / "server.py"


@contextmanager
def endpoint(seconds: float) -> Iterator[str]:
    """Start the endpoint, the one that the tests use, and yield its address."""
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--seconds", str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if server.stdin is None or server.stdout is None:
        raise SystemExit("the endpoint has no pipes")
    try:
        yield server.stdout.readline().strip()
    finally:
        server.stdin.close()
        server.wait(10)


def write_study(root: Path, address: str, calls: int) -> Path:
    """Write a study of ``calls`` ratings: 18 dimensions, 4 replicates, dialogues of ten turns."""
    turns = [
        Turn(speaker=("user", "system")[i % 2], text="A quiet film, please, not too long. " * 2) for i in range(10)
    ]
    n_targets = max(1, calls // (18 * 4))
    write_dialogues([Dialogue(id=f"d{i}", turns=tuple(turns)) for i in range(n_targets)], root / "targets.jsonl")
    rater = f'[[raters]]\nname = "bench"\nkind = "llm"\nmodel = "bench"\nendpoint = {json.dumps(address)}\n'
    limits = f"[limits]\nconcurrency = {IN_FLIGHT}\n"
    (root / "study.toml").write_text(f'name = "bench"\ninstrument = "crs_que"\nreplicates = 4\n{rater}{limits}')
    return root


def collect(root: Path, memory: list[float] | None = None) -> tuple[int, float, float]:
    """Return ratings, seconds and processor seconds of one collection; note the memory (MB) as it goes."""
    folder = read_study(root)
    with open_store(folder.store_url, create=True) as store:
        register_study(folder, store)
        shares = shares_of(folder)
        tally = Tally(planned=sum(one.planned for one in forecast(folder, store, shares)))
        collection = Collection(folder, store, shares, tally)

        async def watched() -> None:
            running = asyncio.ensure_future(collection.run())
            while not running.done():
                await asyncio.wait([running], timeout=5.0)
                if memory is not None:
                    memory.append(psutil.Process().memory_info().rss / 1e6)
            await running

        used = _processor()
        began = time.perf_counter()
        asyncio.run(watched())
        return tally.rated, time.perf_counter() - began, _processor() - used


def _processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Run both and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=6400)
    parser.add_argument("--memory", type=int, default=0, help="ratings of the run in which memory is watched")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, endpoint(SECONDS) as address:
        rated, seconds, used = collect(write_study(Path(folder), address, arguments.calls))
    ideal = IN_FLIGHT / SECONDS
    print(f"{rated:,} ratings, {IN_FLIGHT} in flight, {1000 * SECONDS:.0f} ms each: {rated / seconds:.0f} a second")
    print(f"  {rated / seconds / ideal:.1%} of the ideal {ideal:.0f} a second")
    print(f"  {1000 * used / rated:.2f} ms of processor time a rating, database and prompts in it")
    if arguments.memory:
        memory: list[float] = []
        with tempfile.TemporaryDirectory() as folder, endpoint(0.0) as address:
            rated, seconds, _ = collect(write_study(Path(folder), address, arguments.memory), memory)
        tenth = max(1, len(memory) // 10)
        print(f"{rated:,} ratings in {seconds:.0f} s, an endpoint without delay: {rated / seconds:.0f} a second")
        print(f"  memory {memory[tenth]:.0f} MB after a tenth, {memory[-1]:.0f} at the end, {max(memory):.0f} at most")


if __name__ == "__main__":
    main()
