"""How often do the intervals of compared systems hold the true differences? The table of docs/statistics.md.

python bench/coverage_compare.py [--runs 400] [--personas 12 48] [--systems 2 4] [--keep FILE]

Every system meets every persona with each of 4 preferences once. What a dialogue scores is normal: persona .15 of the
variance, preference .10, persona x system and preference x system .10 and .05 or nothing, the rest noise. An acceptance
is a score above the threshold that gives the system its share: the same .5 or .1 for all systems, or shares from .1 to
.9. Normal scores differ by nothing: the intervals are the same wherever the systems stand. A row says how often the
interval of a difference holds the true one (over all pairs), how often all simultaneous intervals of a study do, and,
where there is no difference at all, how often an adjusted p falls below .05. Two more rows have raters, with .10 of the
variance due to rater and .05 to rater x system. A fit that is refused counts as a miss and is counted.
Cells that FILE holds already are not computed again. 400 runs take about a quarter of an hour of one processor.
"""

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Floats
from dialgauge.stats.compare import SystemPanel, fit_pairs

SEED = 20261130
PREFERENCES = 4
SPREAD = "0.1 to 0.9"


@dataclass(frozen=True, slots=True)
class World:
    """What is simulated: ``outcome`` is "normal", a share of acceptances, or shares that are spread."""

    outcome: str
    interaction: bool
    personas: int
    systems: int
    raters: int = 0

    def shares(self) -> Floats | None:
        """Return the true share of acceptances of each system, or None for normal scores."""
        if self.outcome == "normal":
            return None
        return (
            np.linspace(0.1, 0.9, self.systems)
            if self.outcome == SPREAD
            else np.full(self.systems, float(self.outcome))
        )


@dataclass(frozen=True, slots=True)
class Held:
    """How many of the runs held: intervals of one pair (a mean over pairs), all pairs together, false alarms."""

    single: float
    together: float
    alarms: float | None
    refused: int
    width: float


def draw(world: World, run: int) -> SystemPanel:
    """Return the values of one study."""
    rng = child_rng(SEED, "compare", repr(world), run)
    sizes = (world.systems, world.personas, PREFERENCES, max(world.raters, 1))
    s, p, q, r = (axis.ravel() for axis in np.meshgrid(*map(np.arange, sizes), indexing="ij"))
    d = (s * world.personas + p) * PREFERENCES + q
    levels = {"p": (p, 0.15), "q": (q, 0.10)}
    if world.interaction:
        levels |= {"ps": (s * world.personas + p, 0.10), "qs": (s * PREFERENCES + q, 0.05)}
    if world.raters:
        levels |= {"r": (r, 0.10), "rs": (s * world.raters + r, 0.05), "d": (d, 0.20)}
    score = np.sqrt(1.0 - sum(share for _, share in levels.values())) * rng.standard_normal(s.size)
    for codes, share in levels.values():
        score += math.sqrt(share) * rng.standard_normal(int(codes.max()) + 1)[codes]
    shares = world.shares()
    if shares is not None:
        score = (score > ndtri(1.0 - shares)[s]).astype(np.float64)
    return SystemPanel(score, s, p, q, d, r if world.raters else None)


def simulate(world: World, runs: int) -> Held:
    """Return how often the intervals of ``runs`` studies held."""
    shares = world.shares()
    truth = np.zeros(world.systems) if shares is None else shares
    single, together, alarms, refused, width, pairs = 0, 0, 0, 0, 0.0, 0
    for run in range(runs):
        try:
            found = fit_pairs(draw(world, run), rng=child_rng(SEED, "shift", run)).contrasts
        except CannotEstimateError:
            refused += 1
            continue
        pairs = len(found)
        true = [float(truth[one.first] - truth[one.second]) for one in found]
        alone, joint = (
            [
                interval.low <= value <= interval.high
                for interval, value in zip(intervals, true, strict=True)
                if interval.low is not None and interval.high is not None
            ]
            for intervals in ([c.difference for c in found], [c.simultaneous for c in found])
        )
        single += sum(alone)
        together += all(joint)
        alarms += min(c.p_adjusted for c in found) < 0.05
        width += float(np.mean([(c.difference.high or 0.0) - (c.difference.low or 0.0) for c in found]))
    same = bool(np.ptp(truth) == 0.0)
    rate = alarms / runs if same else None
    return Held(single / (runs * max(pairs, 1)), together / runs, rate, refused, width / max(runs - refused, 1))


def worlds(personas: list[int], systems: list[int]) -> Iterator[World]:
    """Yield the rows of the table."""
    for outcome in ("normal", "0.5", "0.1", SPREAD):
        for interaction in (False, True):
            for p in personas:
                for s in systems:
                    yield World(outcome, interaction, p, s)
    for raters in (3, 10):
        yield World("normal", interaction=True, personas=min(personas), systems=min(systems), raters=raters)


def row(world: World, held: Held) -> str:
    """Return a row of the table, in per cent, with ! at what lies outside 93 to 97 (alarms above 7)."""
    cells = [f"{100.0 * x:.1f}{'' if 0.93 <= x <= 0.97 else ' !'}" for x in (held.single, held.together)]
    alarms = "–" if held.alarms is None else f"{100.0 * held.alarms:.1f}{' !' if held.alarms > 0.07 else ''}"
    what = "normal" if world.outcome == "normal" else f"acceptance {world.outcome}"
    what += f", {world.raters} raters" if world.raters else ""
    parts = [what, "yes" if world.interaction else "no", world.personas, world.systems, *cells, alarms]
    return f"| {' | '.join(map(str, parts))} | {held.width:.2f} | {held.refused} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--personas", type=int, nargs="+", default=[12, 48])
    parser.add_argument("--systems", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    known: dict[str, Held] = {}
    if given.keep and given.keep.exists():
        for line in given.keep.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            known[entry["key"]] = Held(**entry["held"])
    print(f"{given.runs} runs, {PREFERENCES} preferences, 95% intervals")
    print("| values | x system | personas | systems | one difference | all together | false alarms | width | refused |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for world in worlds(given.personas, given.systems):
        key = f"{world!r} {given.runs}"
        if key not in known:
            known[key] = simulate(world, given.runs)
            if given.keep:
                parts = {name: getattr(known[key], name) for name in Held.__slots__}
                with given.keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "held": parts}) + "\n")
        print(row(world, known[key]), flush=True)


if __name__ == "__main__":
    main()
