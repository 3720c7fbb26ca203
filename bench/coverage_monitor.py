"""How often does `dialgauge monitor` raise a false alarm, and how soon a true one? The tables of docs/monitor.md.

python bench/coverage_monitor.py [--runs 200] [--occasions 30] [--targets 50] [--replicates 4]

Ratings on 1 to 5 (rounded, mean 3) of a fixed anchor set by one rater; sd is that of one rating before rounding.
Without drift, the share of runs with any alarm on any occasion. With drift from occasion 6 on, the share of runs with
an alarm by the last occasion, and the median number of occasions until then, 1 being the first that has drifted. A test
that takes each occasion for a fresh comparison with a baseline without noise stands beside it ("naive"). 200 runs take
some three minutes.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np
from numpy.typing import NDArray

from dialgauge.seeding import child_rng
from dialgauge.stats.monitor.parts import reliability_evidence, shift_evidence
from dialgauge.stats.monitor.sequence import accumulate_evidence

SEED = 20261130
ALPHA = 0.05
DRIFT_FROM = 6

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class World:
    """How ratings come about: the ICC of one rating, the shift in sd, the factor of the noise, its form."""

    icc: float
    shift: float = 0.0
    noise: float = 1.0
    skewed: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    """How much is rated."""

    targets: int
    occasions: int
    replicates: int


def draw(world: World, size: Size, run: int) -> Floats:
    """Return ratings (targets, occasions and the baseline, replicates)."""
    rng = child_rng(SEED, "monitor", repr(world), run)
    shape = (size.targets, size.occasions + 1, size.replicates)
    error = rng.exponential(size=shape) - 1.0 if world.skewed else rng.standard_normal(shape)
    error *= np.sqrt(1.0 - world.icc)
    error[:, DRIFT_FROM:] *= world.noise
    y = 3.0 + np.sqrt(world.icc) * rng.standard_normal((size.targets, 1, 1)) + error
    y[:, DRIFT_FROM:] += world.shift
    return np.asarray(np.clip(np.round(y), 1.0, 5.0))


def first_alarm(cube: Floats, *, what: str) -> int | None:
    """Return the occasion of the first alarm, counted from 1."""
    later = range(1, cube.shape[1])
    if what == "naive":
        return _first(naive_evidence(cube))
    evidence = shift_evidence if what == "shift" else reliability_evidence
    return _first(accumulate_evidence([evidence(cube[:, : t + 1]).log_e for t in later]))


def naive_evidence(cube: Floats) -> Floats:
    """Return the log of a normal-mixture e-process for the mean difference, as if occasions were independent.

    Robbins (1970), with the variance of the differences estimated: valid for a mean without the noise of a baseline.
    """
    means = cube.mean(axis=2)
    d = means[:, 1:] - means[:, :1]
    t = np.arange(1, d.shape[1] + 1)
    z = np.cumsum(d.mean(axis=0)) / (d.std(ddof=1) / np.sqrt(len(d)))
    return np.asarray(-0.5 * np.log1p(t) + z**2 / (2.0 * (1.0 + t)))


def _first(log_evidence: Floats) -> int | None:
    hit = np.flatnonzero(log_evidence >= -np.log(ALPHA))
    return int(hit[0]) + 1 if len(hit) else None


def report(world: World, size: Size, runs: int, *, what: str) -> str:
    """Return a row of the table."""
    alarms = [first_alarm(draw(world, size, run), what=what) for run in range(runs)]
    kind = f"| {what} | {world.icc:.2f} | {'skewed' if world.skewed else 'normal'} |"
    if world.shift == 0.0 and world.noise == 1.0:
        return f"{kind} none | {np.mean([a is not None for a in alarms]):.3f} | |"
    drift = f"shift {world.shift:g} sd" if world.shift else f"noise sd × {world.noise:g}"
    early = sum(a is not None and a < DRIFT_FROM for a in alarms)
    delays = [a - DRIFT_FROM + 1 for a in alarms if a is not None and a >= DRIFT_FROM]
    median = f"{np.median(delays):g}" if delays else "-"
    return f"{kind} {drift} | {len(delays) / max(runs - early, 1):.3f} | {median} |"


def worlds() -> Sequence[tuple[str, World]]:
    """Return what is simulated, in the order of the table."""
    still = [World(0.9), World(0.6), World(0.9, skewed=True)]
    shifts = [World(icc, shift=shift) for icc in (0.9, 0.6) for shift in (0.1, 0.25, 0.5)]
    noises = [World(icc, noise=noise) for icc in (0.9, 0.6) for noise in (1.5, 2.0)]
    return [
        *(("shift", w) for w in still),
        *(("reliability", w) for w in still),
        *(("naive", w) for w in still),
        *(("shift", w) for w in shifts),
        *(("reliability", w) for w in noises),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--occasions", type=int, default=30)
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--replicates", type=int, default=4)
    given = parser.parse_args()
    size = Size(given.targets, given.occasions, given.replicates)
    print(f"{given.runs} runs, {size}, alpha {ALPHA}")
    print("| test | ICC | noise | drift | alarm | occasions until |\n|---|---|---|---|---|---|")
    for what, world in worlds():
        print(report(world, size, given.runs, what=what), flush=True)


if __name__ == "__main__":
    main()
