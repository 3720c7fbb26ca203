"""Processor time of a piece of work, and the lines of a table that compares programs."""

import os
import resource
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


@dataclass(frozen=True, slots=True)
class Row:
    """One job done by Dialgauge and, where there is one, by a peer: seconds of processor time, user and system."""

    job: str
    seconds: float
    peer: str = ""
    peer_seconds: float | None = None

    def __str__(self) -> str:
        """Write the row with the ratio of the two times."""
        line = f"{self.job:<58} {self.seconds:>10.4f} s"
        if self.peer_seconds is None:
            return line + (f"   {self.peer}" if self.peer else "")
        return f"{line}   {self.peer:<24} {self.peer_seconds:>10.4f} s   x {self.peer_seconds / self.seconds:.1f}"


def cpu(work: Callable[[], object], *, times: int = 5, warm: bool = True) -> float:
    """Return the least processor time of ``times`` runs of ``work``, after one unmeasured run if ``warm``."""
    if warm:
        work()
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def cpu_of_command(command: list[str], *, times: int = 5) -> float:
    """Return the least processor time (user and system) that one run of ``command`` takes."""
    best = float("inf")
    for _ in range(times + 1):  # the first run warms the disk cache
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **ONE_THREAD})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best
