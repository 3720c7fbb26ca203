"""How often do the intervals hold the true value? A simulation over designs, kept as a table in the documentation.

python bench/coverage.py [--runs 2000] [--processes 2] [--kept bench/kept/coverage.jsonl] [--page docs/coverage.md]

Every slice of runs has its own random stream and is written when it is done: a second call goes on where the first
stopped, and gives what one call would have given. --runs 100 is a quick check that it works.
"""

import argparse
import datetime as dt
import json
import multiprocessing
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.agreement.jackknife import two_way_jackknife
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.meansquares import icc_forms, mean_squares
from dialgauge.stats.reml import Panel, RemlFit, fit_panel
from dialgauge.stats.reml.bootstrap import bootstrap_odds
from dialgauge.stats.reml.profile import profile_odds
from dialgauge.stats.reml.wald import wald_odds

if TYPE_CHECKING:
    from dialgauge.stats.reml.odds import Odds

ROOT = Path(__file__).parents[1]
CROWD = ROOT.parent / "shared/data/crs_que_redial/annotations.csv"

SEED = 20261129
SLICE = 100
BOOTSTRAPPED = 10  # runs of each slice that are bootstrapped too: it is slow
REFITS = 199
RATER_SHARE = 0.15
SHARES = (0.05, 0.25, 0.50)
SCALES = ("normal", "ordinal")
CUTS = np.array([-1.3, -0.5, 0.3, 1.1])
"""Where a standard normal rating is cut to get 1 to 5, a little towards the high end, as such ratings are."""

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

METHODS = {
    "absolute": "Rel absolute, profile (default)",
    "relative": "Rel relative, profile (default)",
    "alpha": "alpha interval, two-way jackknife (default)",
    "wald": "Rel absolute, Wald on the logit",
    "bootstrap": "Rel absolute, bootstrap",
    "exact": "ICC(A,1), F",
    "consistency": "ICC(C,1), F",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One design, one target share, one kind of data."""

    design: str
    share: float
    scale: str

    @property
    def key(self) -> str:
        """Name of the case and of its random streams."""
        return f"{self.design} | {self.share} | {self.scale}"


def complete(n_targets: int, n_raters: int) -> tuple[Codes, Codes]:
    """Every rater rates every target."""
    target, rater = np.indices((n_targets, n_raters))
    return target.ravel(), rater.ravel()


def sparse(n_targets: int, per_target: int, n_raters: int) -> tuple[Codes, Codes]:
    """Each target is rated by some of the raters, drawn once."""
    rng = child_rng(SEED, "design", n_targets, per_target, n_raters)
    rater = np.concatenate([rng.choice(n_raters, per_target, replace=False) for _ in range(n_targets)])
    return np.repeat(np.arange(n_targets), per_target), np.unique(rater, return_inverse=True)[1]


def crowd() -> tuple[Codes, Codes]:
    """Read the design of the CRS-Que data on ReDial."""
    frame = pl.read_csv(CROWD).filter(pl.col("is_gold_standard") == 0)
    target, rater = (np.unique(frame[c].to_numpy(), return_inverse=True)[1] for c in ("dialogue_id", "participant_id"))
    return target, rater


DESIGNS = {
    "30 x 5 complete": lambda: complete(30, 5),
    "100 x 5 of 30": lambda: sparse(100, 5, 30),
    "100 x 5 of 10": lambda: sparse(100, 5, 10),
    "200 x 5.2 of 117 (CRS-Que)": crowd,
    "200 x 3 complete": lambda: complete(200, 3),
    "200 x 5 complete": lambda: complete(200, 5),
}


def draw(case: Case, target: Codes, rater: Codes, rng: np.random.Generator, n: int) -> Floats:
    """Draw ``n`` sets of ratings, shape (ratings, n), of unit variance before they are cut."""
    y = np.sqrt(case.share) * rng.standard_normal((target.max() + 1, n))[target]
    y += np.sqrt(RATER_SHARE) * rng.standard_normal((rater.max() + 1, n))[rater]
    y += np.sqrt(1.0 - case.share - RATER_SHARE) * rng.standard_normal(y.shape)
    return y if case.scale == "normal" else 1.0 + np.searchsorted(CUTS, y).astype(np.float64)


def truth(case: Case) -> dict[str, float]:
    """Return the population values; for cut ratings by quadrature over the latent effect."""
    shares = {"target": case.share, "rater": RATER_SHARE}
    if case.scale == "ordinal":
        total = _variance_of_cut()
        shares = {name: _variance_of_mean(share) / total for name, share in shares.items()}
    absolute, relative = shares["target"], shares["target"] / (1.0 - shares["rater"])
    return {
        **dict.fromkeys(("absolute", "alpha", "wald", "bootstrap", "exact"), absolute),
        **dict.fromkeys(("relative", "consistency"), relative),
    }


def _variance_of_cut() -> float:
    above = 1.0 - ndtr(CUTS)  # P(Y > c); with Y = 1 + the number of cuts below
    mean, square = float(above.sum()), float(sum((2 * i + 1) * p for i, p in enumerate(above)))
    return square - mean**2


def _variance_of_mean(share: float) -> float:
    """Variance over a latent effect with this share of the expected cut rating."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    expected = ndtr((np.sqrt(share) * nodes[:, None] - CUTS) / np.sqrt(1.0 - share)).sum(axis=1)
    return float(weights @ expected**2 - (weights @ expected) ** 2)


def held(low: float | None, high: float | None, true: float) -> str:
    """Say where the true value lies: in, below or above the interval, or that there is none."""
    if low is None or high is None:
        return "none"
    return "below" if true < low else "above" if true > high else "in"


def run_slice(job: tuple[Case, int]) -> dict[str, object]:
    """Run one slice of a case and count where the true values lie."""
    case, number = job
    target, rater = DESIGNS[case.design]()
    rng = child_rng(SEED, case.key, number)
    values = draw(case, target, rater, rng, SLICE)
    true = truth(case)
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))

    def count(method: str, low: float | None, high: float | None) -> None:
        counts[method][held(low, high, true[method])] += 1

    fits = [f for f in fit_panel(Panel.build(target, rater), values, model="crossed") if isinstance(f, RemlFit)]
    refused = SLICE - len(fits)
    found: list[tuple[str, list[Odds]]] = [
        ("absolute", profile_odds(fits)),
        ("relative", profile_odds(fits, form="relative")),
        ("wald", wald_odds(fits)),
        ("bootstrap", bootstrap_odds(fits[:BOOTSTRAPPED], rng=rng, n=REFITS)),
    ]
    for method, odds in found:
        for one in odds:
            count(method, *one.reliability(1.0)[1:])
        for _ in range(refused if method != "bootstrap" else 0):
            count(method, None, None)
    for column in values.T:
        count("alpha", *_alpha(column, target, rater))
        if "complete" in case.design:
            forms = icc_forms(mean_squares(column.reshape(target.max() + 1, -1)))
            for method, form in (("exact", forms[1]), ("consistency", forms[2])):
                known = isinstance(form.estimate, Estimate)
                count(method, *((form.estimate.low, form.estimate.high) if known else (None, None)))
    return {**asdict(case), "slice": number, "seed": SEED, "counts": {m: dict(c) for m, c in counts.items()}}


def _alpha(values: Floats, target: Codes, rater: Codes) -> tuple[float | None, float | None]:
    try:
        estimate = two_way_jackknife(values, target, rater, metric="interval")
    except CannotEstimateError:
        return None, None
    return estimate.low, estimate.high


def cases() -> Iterator[Case]:
    """Yield every case whose design is at hand."""
    for design, share, scale in product(DESIGNS, SHARES, SCALES):
        if "CRS-Que" not in design or CROWD.is_file():
            yield Case(design, share, scale)


def collect(kept: Path, runs: int, processes: int) -> list[dict[str, object]]:
    """Run what lacks, write each slice when it is done, and return all slices."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.loads(line) for line in kept.read_text().splitlines()] if kept.is_file() else []
    done = {(line["design"], line["share"], line["scale"], line["slice"]) for line in lines if line["seed"] == SEED}
    wanted = [(case, i) for i in range(-(-runs // SLICE)) for case in cases()]
    jobs = [(c, i) for c, i in wanted if (c.design, c.share, c.scale, i) not in done]
    with multiprocessing.Pool(processes) as pool, kept.open("a") as file:
        for n, result in enumerate(pool.imap_unordered(run_slice, jobs), start=1):
            file.write(json.dumps(result) + "\n")
            file.flush()
            lines.append(result)
            print(f"\r{n} of {len(jobs)} slices", end="", flush=True)
    print()
    slices = -(-runs // SLICE)
    return [line for line in lines if line["seed"] == SEED and int(str(line["slice"])) < slices]


def summarise(lines: list[dict[str, object]]) -> dict[tuple[str, float, str, str], tuple[int, int, int, int]]:
    """Add up (in, below, above, none) per design, share, scale and method."""
    found: dict[tuple[str, float, str, str], NDArray[np.intp]] = defaultdict(lambda: np.zeros(4, dtype=np.intp))
    for line in lines:
        for method, counts in line["counts"].items():  # type: ignore[attr-defined]
            key = (str(line["design"]), float(str(line["share"])), str(line["scale"]), method)
            found[key] += [counts.get(where, 0) for where in ("in", "below", "above", "none")]
    return {key: tuple(int(x) for x in value) for key, value in found.items()}  # type: ignore[misc]


def page(summary: dict[tuple[str, float, str, str], tuple[int, int, int, int]], runs: int) -> str:
    """Write the page of the documentation."""
    today = dt.datetime.now(tz=dt.UTC).date()
    parts = [
        "# Coverage of the intervals\n",
        (
            "How often a 95 % interval holds the true value, in per cent, by simulation: made by `bench/coverage.py` "
            f"on {today}, seed {SEED}, {runs:,} runs a cell (the bootstrap {runs * BOOTSTRAPPED // SLICE:,} with "
            f"{REFITS} refits each). One standard error is {100 * np.sqrt(0.95 * 0.05 / runs):.1f} points at "
            f"{runs:,} runs. Raters hold {RATER_SHARE:.0%} of the variance of a rating; the share of the targets is in "
            "the second column. Marked with ! is what lies outside 93 to 97. Ordinal ratings are the normal ones cut "
            "to 1 to 5; their true values are those of the cut ratings. Where no interval could be formed, the run "
            "counts as a miss.\n"
        ),
    ]
    for scale in SCALES:
        parts += [f"\n## {scale.capitalize()} ratings\n", _table(summary, scale)]
    return "\n".join(parts) + "\n"


def _table(summary: dict[tuple[str, float, str, str], tuple[int, int, int, int]], scale: str) -> str:
    methods = [m for m in METHODS if any(key[3] == m for key in summary)]
    rows = ["| design | targets' share | " + " | ".join(METHODS[m] for m in methods) + " |"]
    rows.append("| --- | ---: |" + " ---: |" * len(methods))
    for design, share in product(DESIGNS, SHARES):
        found = [summary.get((design, share, scale, m)) for m in methods]
        if any(found):
            rows.append(f"| {design} | {share:.2f} | " + " | ".join(_cell(x) for x in found) + " |")
    return "\n".join(rows)


def _cell(counts: tuple[int, int, int, int] | None) -> str:
    if counts is None or not sum(counts):
        return "–"
    share = 100.0 * counts[0] / sum(counts)
    return f"{share:.1f}{'' if 93.0 <= share <= 97.0 else ' !'}"


def main() -> None:
    """Parse, run, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000, help="runs a cell, rounded up to hundreds")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--kept", type=Path, default=ROOT / "bench/kept/coverage.jsonl")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/coverage.md")
    options = parser.parse_args()
    lines = collect(options.kept, options.runs, options.processes)
    text = page(summarise(lines), -(-options.runs // SLICE) * SLICE)
    options.page.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
