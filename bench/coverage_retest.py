"""How often the interval of the median over pairs of replicates holds the true nMAE or kappa of two raters.

python bench/coverage_retest.py [--draws 1000]
"""

import argparse

import numpy as np

from dialgauge.seeding import child_rng
from dialgauge.stats.agreement.weights import rating_weights
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.retest.between import ReplicatePairs, compare_categories, compare_values

CUTS = {"binary": (0.8,), "ordinal": (-1.0, -0.3, 0.4, 1.2)}
NOISE = ((0.15, 0.2), (0.1, 0.6))
"""Standard deviations of a replicate and of a rater's own view, beside targets with 1."""

SIZES = (30, 100, 552)
REPLICATES = 4
MANY = 400_000


def draw(rng: np.random.Generator, n: int, noise: tuple[float, float], replicates: int) -> tuple[Floats, Floats]:
    """Return the values of two raters, shape (n, replicates) each."""
    target = rng.standard_normal((n, 1))
    first, second = (
        target + noise[1] * rng.standard_normal((n, 1)) + noise[0] * rng.standard_normal((n, replicates))
        for _ in range(2)
    )
    return first, second


def compare(kind: str, first: Floats, second: Floats) -> ReplicatePairs:
    """Return the agreement on a scale of this kind."""
    if kind == "continuous":
        return compare_values(first, second, spread=1.0)
    codes: list[Codes] = [np.digitize(values, CUTS[kind]) for values in (first, second)]
    points = np.arange(len(CUTS[kind]) + 1.0)
    return compare_categories(codes[0], codes[1], weights=rating_weights("quadratic", points))


def cover(kind: str, n: int, noise: tuple[float, float], draws: int) -> str:
    """Return the line of a design: share of intervals that hold the truth, mean width, draws without an interval."""
    truth = compare(kind, *draw(child_rng(1, "truth", kind), MANY, noise, 1)).median.value
    hits, width, none = 0, 0.0, 0
    for i in range(draws):
        found = compare(kind, *draw(child_rng(2, kind, str(n), str(noise), str(i)), n, noise, REPLICATES)).median
        if found.low is None or found.high is None:
            none += 1
            continue
        hits += found.low <= truth <= found.high
        width += found.high - found.low
    left = max(draws - none, 1)
    name = f"{kind:<10} {n:>4} targets, noise {noise[0]:.2f}, own view {noise[1]:.1f}"
    return f"{name}: truth {truth:.3f}, covered {hits / left:.3f}, width {width / left:.3f}, without interval {none}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    for kind in ("continuous", *CUTS):
        for n in SIZES:
            for noise in NOISE:
                print(cover(kind, n, noise, draws), flush=True)
