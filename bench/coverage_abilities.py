"""How often do the intervals of `dialgauge abilities` hold the true value? The table of docs/abilities.md.

python bench/coverage_abilities.py [--runs 2000] [--dialogues 40 160]

Dialogues draw one of 48 personas and one of 16 preferences. What a dialogue scores is persona + preference + noise, all
normal, the first two with the shares of the variance that are said. A share is the part of dialogues above a threshold;
a mean is that of the score. The true value is that of the whole population of personas and preferences. Beside the
intervals in use stand those of a plain t interval over dialogues, which takes them for independent, and of clusters of
personas alone.
Below stand two abilities: Quality, all of whose four parts have the share that is said, half of each score being common
to the parts; and Identity, with ratings around 3 and that share of deceptive ones among acceptances, a quarter of the
dialogues.
2,000 runs take a few minutes.
"""

import argparse
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dialgauge.seeding import child_rng
from dialgauge.stats.abilities import Crossing, Linear, estimate_mean, estimate_share, take_ratio
from dialgauge.stats.abilities.formulas import IDENTITY, QUALITY, Formula, estimate_formula
from dialgauge.stats.arrays import Floats
from dialgauge.stats.clusters import mean_of_clusters
from dialgauge.stats.estimate import Estimate

SEED = 20261130
PERSONAS, PREFERENCES = 48, 16
LIMITS = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class World:
    """Shares of the variance due to personas and to preferences; the true share, or None for a mean."""

    persona: float
    preference: float
    share: float | None


def draw(world: World, n: int, run: int) -> tuple[Floats, Crossing]:
    """Return the scores of ``n`` dialogues and who met what."""
    rng = child_rng(SEED, "abilities", repr(world), n, run)
    persona = rng.integers(PERSONAS, size=n)
    preference = rng.integers(PREFERENCES, size=n)
    score = math.sqrt(world.persona) * rng.standard_normal(PERSONAS)[persona]
    score += math.sqrt(world.preference) * rng.standard_normal(PREFERENCES)[preference]
    score += math.sqrt(1.0 - world.persona - world.preference) * rng.standard_normal(n)
    if world.share is not None:
        score = (score > ndtri(1.0 - world.share)).astype(np.float64)
    return score, Crossing(np.asarray(persona, dtype=np.intp), np.asarray(preference, dtype=np.intp))


def in_use(found: Linear, crossing: Crossing, *, share: bool) -> Estimate:
    """Return the interval that the package prints."""
    if share:
        return estimate_share(found, crossing, covers="")
    return estimate_mean(found, crossing, bounds=LIMITS, covers="")


def plain(score: Floats, _: Crossing, *, share: bool) -> Estimate:
    """Return the t interval over dialogues."""
    limits = (0.0, 1.0) if share else LIMITS
    return mean_of_clusters(score, np.arange(score.size), bounds=limits, covers="")


def by_persona(score: Floats, crossing: Crossing, *, share: bool) -> Estimate:
    """Return the t interval over clusters of personas."""
    _, codes = np.unique(crossing.persona, return_inverse=True)
    return mean_of_clusters(score, codes, bounds=(0.0, 1.0) if share else LIMITS, covers="")


WAYS: Mapping[str, Callable[[Floats, Crossing, bool], Estimate]] = {
    "in use": lambda y, c, share: in_use(take_ratio(y, np.ones_like(y)), c, share=share),
    "dialogues": lambda y, c, share: plain(y, c, share=share),
    "personas": lambda y, c, share: by_persona(y, c, share=share),
}


def report(world: World, n: int, runs: int) -> str:
    """Return a row: coverage in percent by each way, and the mean width of the interval in use."""
    truth = 0.0 if world.share is None else world.share
    held = dict.fromkeys(WAYS, 0)
    width = 0.0
    for run in range(runs):
        score, crossing = draw(world, n, run)
        for name, way in WAYS.items():
            found = way(score, crossing, world.share is not None)
            if found.low is None or found.high is None:
                continue
            held[name] += found.low <= truth <= found.high
            width += (found.high - found.low) / runs if name == "in use" else 0.0
    what = "mean" if world.share is None else f"share {world.share:g}"
    cells = " | ".join(f"{100.0 * held[name] / runs:.1f}" for name in WAYS)
    return f"| {what} | {n} | {world.persona:g}, {world.preference:g} | {cells} | {width:.3f} |"


def draw_parts(world: World, n: int, run: int, count: int) -> tuple[list[Floats], Crossing]:
    """Return ``count`` scores of each of ``n`` dialogues; half of the variance of each effect is common to them."""
    rng = child_rng(SEED, "parts", repr(world), n, run)
    persona, preference = rng.integers(PERSONAS, size=n), rng.integers(PREFERENCES, size=n)
    shares = (world.persona, world.preference, 1.0 - world.persona - world.preference)
    sizes = (PERSONAS, PREFERENCES, n)
    common = [rng.standard_normal(size) for size in sizes]
    scores = []
    for _ in range(count):
        score = np.zeros(n)
        for share, one, codes in zip(shares, common, (persona, preference, np.arange(n)), strict=True):
            score += math.sqrt(share / 2.0) * (one + rng.standard_normal(one.size))[codes]
        scores.append(score)
    return scores, Crossing(np.asarray(persona, dtype=np.intp), np.asarray(preference, dtype=np.intp))


def rate(formula: Formula, world: World, n: int, run: int) -> tuple[Estimate | None, float]:
    """Return Quality or Identity as the package prints it, None where it has no value; and the true value."""
    share = world.share or 0.0
    scores, crossing = draw_parts(world, n, run, 4)
    hits = [(score > ndtri(1.0 - share)).astype(np.float64) for score in scores]
    ones = np.ones(n)
    if formula is QUALITY:
        parts = [take_ratio(each, ones) for each in hits]
        own = [
            estimate_mean(part, crossing, bounds=(0.0, 1.0), covers="")
            if name.startswith("recall")
            else estimate_share(part, crossing, covers="")
            for name, part in zip(formula.measures, parts, strict=True)
        ]
        return estimate_formula(formula, parts, own, crossing, covers="", level=0.95), 5.0 * share
    accepted = (scores[2] > 0.0) * (np.arange(n) % 2 == 0)
    if not accepted.any():
        return None, 0.0
    rated = take_ratio(np.clip(3.0 + 0.5 * scores[0], 1.0, 5.0), ones)
    lies = child_rng(SEED, "lies", n, run).random(n) < share
    deceptive = take_ratio(lies * accepted, accepted.astype(np.float64))
    own = [
        estimate_mean(rated, crossing, bounds=(1.0, 5.0), covers=""),
        estimate_share(deceptive, crossing, covers=""),
    ]
    found = estimate_formula(formula, [rated, deceptive], own, crossing, covers="", level=0.95)
    return found, 3.0 * (1.0 - share)


def report_ability(formula: Formula, world: World, n: int, runs: int) -> str:
    """Return a row: coverage in percent among the runs with an interval, the mean width, and how many have none."""
    held = with_interval = 0
    width = 0.0
    for run in range(runs):
        found, truth = rate(formula, world, n, run)
        if found is None or found.low is None or found.high is None:
            continue
        with_interval += 1
        held += found.low <= truth <= found.high
        width += found.high - found.low
    cells = f"{100.0 * held / with_interval:.1f} | {width / with_interval:.2f} | {runs - with_interval}"
    return f"| {formula.name} | {world.share:g} | {n} | {world.persona:g}, {world.preference:g} | {cells} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--dialogues", type=int, nargs="+", default=[40, 160])
    given = parser.parse_args()
    print(f"{given.runs} runs, {PERSONAS} personas, {PREFERENCES} preferences, 95% intervals")
    print("| what | dialogues | variance of personas, preferences | in use | dialogues | personas | width |")
    print("|---|---|---|---|---|---|---|")
    for share in (None, 0.5, 0.1, 0.025):
        for persona, preference in ((0.0, 0.0), (0.2, 0.2), (0.1, 0.4)):
            for n in given.dialogues:
                print(report(World(persona, preference, share), n, given.runs), flush=True)
    print("\n| ability | share | dialogues | variance of personas, preferences | in use | width | no interval |")
    print("|---|---|---|---|---|---|---|")
    for formula in (QUALITY, IDENTITY):
        for share in (0.5, 0.1, 0.025):
            for persona, preference in ((0.0, 0.0), (0.2, 0.2), (0.1, 0.4)):
                for n in given.dialogues:
                    print(report_ability(formula, World(persona, preference, share), n, given.runs), flush=True)


if __name__ == "__main__":
    main()
