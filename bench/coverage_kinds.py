"""How often do the intervals for kinds of rater hold the truth? The simulation behind the table of docs/kinds.md.

python bench/coverage_kinds.py [--runs 300] [--correlations 0.6 0.9 1.0]

100 targets; 8 people of whom 3 rate each target once, 2 models that rate all of them twice. Prints a row per true
correlation; 300 runs take some four minutes each.
"""

import argparse
import os
from dataclasses import dataclass

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.kinds import KindsFit, fit_kinds
from dialgauge.stats.kinds.contrast import contrast_means, perfect_correlation_test
from dialgauge.stats.kinds.observed import observed_correlation
from dialgauge.stats.kinds.profile import profile_correlation, profile_odds
from dialgauge.stats.reml.odds import Form

SEED = 20261129
N_TARGETS, N_PEOPLE, PER_TARGET, N_MODELS, REPLICATES = 100, 8, 3, 2, 2
TARGET = (0.4, 0.5)
SEVERITY, OWN_VIEW, NOISE, HIGHER = 0.09, (0.0, 0.16), (0.49, 0.09), 0.4
"""Variances of people and models, and how much higher models rate."""

FORMS: tuple[Form, ...] = ("absolute", "relative")

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Run:
    """What one simulated study gave; ``holds`` tells whose interval holds the true value."""

    value: float
    width: float
    observed: float
    ruled_out: bool
    holds: dict[str, bool]


def draw(rho: float, run: int) -> tuple[Codes, Codes, Codes, Floats]:
    """Return target and rater of each rating, the kind of each rater, and the ratings."""
    rng = child_rng(SEED, "kinds", str(rho), str(run))
    kind_of = np.repeat([0, 1], [N_PEOPLE, N_MODELS])
    target, rater = [], []
    for t in range(N_TARGETS):
        some = [*rng.choice(N_PEOPLE, PER_TARGET, replace=False)]
        some += [N_PEOPLE + m for m in range(N_MODELS) for _ in range(REPLICATES)]
        target += [t] * len(some)
        rater += [int(j) for j in some]
    i, j = np.array(target), np.array(rater)
    k = kind_of[j]
    shared = rho * np.sqrt(TARGET[0] * TARGET[1])
    y = 3.0 + HIGHER * k + rng.multivariate_normal([0, 0], [[TARGET[0], shared], [shared, TARGET[1]]], N_TARGETS)[i, k]
    y += np.sqrt(SEVERITY) * rng.normal(size=len(kind_of))[j]
    y += np.sqrt(np.array(OWN_VIEW))[k] * rng.normal(size=(N_TARGETS, len(kind_of)))[i, j]
    return i, j, kind_of, y + np.sqrt(np.array(NOISE))[k] * rng.normal(size=len(i))


def study(rho: float, run: int) -> Run:
    """Simulate and analyse one study."""
    target, rater, kind_of, values = draw(rho, run)
    fit = fit_kinds(target, rater, kind_of, values)
    found = profile_correlation(fit, 0, 1)
    low, high = (np.nan, np.nan) if found.low is None or found.high is None else (found.low, found.high)
    means = contrast_means(fit, np.array([-1.0, 1.0]))
    holds = {"correlation": low <= rho <= high, "difference": means.low <= HIGHER <= means.high}
    return Run(
        value=found.value,
        width=high - low,
        observed=observed_correlation(target, kind_of[rater], values, (0, 1)).value,
        ruled_out=perfect_correlation_test(fit, 0, 1).p < 0.05,
        holds={**holds, **reliabilities(fit)},
    )


def reliabilities(fit: KindsFit) -> dict[str, bool]:
    """Tell whether the intervals of the reliability of one rating hold the true value."""
    found = {}
    for g, name in enumerate(("people", "models")):
        error = OWN_VIEW[g] + NOISE[g]
        for form in FORMS:
            noise = error + (SEVERITY if form == "absolute" else 0.0)
            odds = profile_odds(fit, g, form=form)
            within = odds.low is not None and odds.high is not None and odds.low <= TARGET[g] / noise <= odds.high
            found[f"{name} {form}"] = within
    return found


def main() -> None:
    """Print a row per true correlation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--correlations", type=float, nargs="+", default=[0.6, 0.9, 1.0])
    options = parser.parse_args()
    for rho in options.correlations:
        runs, refused = [], 0
        for run in range(options.runs):
            try:
                runs.append(study(rho, run))
            except CannotEstimateError:
                refused += 1
        held = {name: np.mean([one.holds[name] for one in runs]) for name in runs[0].holds}
        print(
            f"{rho:4.2f}: {len(runs)} runs, {refused} refused, mean {np.mean([one.value for one in runs]):.3f}, "
            f"at 1 {np.mean([one.value == 1.0 for one in runs]):.0%}, "
            f"median width {np.nanmedian([one.width for one in runs]):.2f}, "
            f"observed {np.mean([one.observed for one in runs]):.2f}, "
            f"1 ruled out {np.mean([one.ruled_out for one in runs]):.1%}; held: "
            + ", ".join(f"{name} {share:.1%}" for name, share in held.items()),
            flush=True,
        )


if __name__ == "__main__":
    main()
