"""How often do intervals of correlations without the noise of people hold the truth? Behind a table of docs/kinds.md.

python bench/coverage_attenuation.py [--runs 2000]

People are nested: three or four rate each target, and nobody rates two. The other side has one value a target. Prints a
row per number of targets, ICC(1) of one person and true correlation; 2,000 runs take some two minutes in all.
"""

import argparse
import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np

from dialgauge.seeding import child_rng
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.kinds.attenuation import Attenuation, correct_attenuation

SEED = 20261130


def draw(n_targets: int, icc: float, rho: float, run: int) -> Attenuation:
    """Return what one simulated study gives."""
    rng = child_rng(SEED, "attenuation", str(n_targets), str(icc), str(rho), str(run))
    shared = rng.normal(size=n_targets)
    other = rho * shared + np.sqrt(1.0 - rho**2) * rng.normal(size=n_targets)
    target = np.repeat(np.arange(n_targets), rng.choice([3, 3, 3, 4], size=n_targets))
    values = np.sqrt(icc) * shared[target] + np.sqrt(1.0 - icc) * rng.normal(size=target.size)
    return correct_attenuation(values, target, other)


def report(n_targets: int, icc: float, rho: float, runs: int) -> str:
    """Return a row of the table."""
    found = [one.corrected for one in (draw(n_targets, icc, rho, run) for run in range(runs))]
    kept = [one for one in found if isinstance(one, Estimate)]
    ends = np.array([(one.value, one.low, one.high) for one in kept], dtype=np.float64)
    holds = np.mean((ends[:, 1] <= rho) & (rho <= ends[:, 2]))
    refused = 1.0 - len(kept) / len(found)
    mean, width = ends[:, 0].mean(), np.median(ends[:, 2] - ends[:, 1])
    return (
        f"| {n_targets} | {icc:.2f} | {rho:.1f} | {mean:.2f} | {100 * holds:.1f} | {width:.2f} | {100 * refused:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    runs: int = parser.parse_args().runs
    print("| targets | ICC(1) | true | mean estimate | holds, % | median width | refused, % |")
    print("|---|---|---|---|---|---|---|")
    for n_targets in (40, 100, 200):
        for icc in (0.2, 0.33):
            for rho in (0.0, 0.6, 1.0):
                print(report(n_targets, icc, rho, runs), flush=True)


if __name__ == "__main__":
    main()
