"""How often do intervals of coefficients of agreement hold the true value? Kept as a table in the documentation.

python bench/coverage_agreement.py [--runs 500] [--processes 2] [--page docs/agreement.md]

Ratings are drawn with crossed effects of targets and raters and cut to the points 1 to 5; the true values of the
population of targets and raters come by quadrature. Every case has its own random stream. --runs 20 is a quick check.
"""

import argparse
import datetime as dt
import multiprocessing
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.agreement.alpha import krippendorff_alpha
from dialgauge.stats.agreement.chance import brennan_prediger, fleiss_kappa, gwet_ac
from dialgauge.stats.agreement.cohen import light_kappa
from dialgauge.stats.agreement.conger import conger_kappa
from dialgauge.stats.agreement.counts import Counts, tabulate
from dialgauge.stats.agreement.jackknife import two_way_jackknife
from dialgauge.stats.agreement.leaveout import two_way_agreement
from dialgauge.stats.agreement.observed import percent_agreement
from dialgauge.stats.agreement.pairs import two_way_light
from dialgauge.stats.agreement.weights import Kind, rating_weights
from dialgauge.stats.estimate import Estimate

SEED = 20261130
RATER_SHARE = 0.15
SHARES = (0.05, 0.25, 0.50)
CUTS = {"spread": np.array([-1.3, -0.5, 0.3, 1.1]), "skewed": np.array([-2.3, -1.9, -1.4, -0.7])}
"""Where a standard normal rating is cut to get 1 to 5; skewed, 76 % of the ratings are 5."""

STUDIES: tuple[tuple[str, Kind], ...] = (("spread", "ordinal"), ("spread", "identity"), ("skewed", "identity"))
BEGIN, END = "<!-- coverage: made by bench/coverage_agreement.py -->", "<!-- end of coverage -->"

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

COLUMNS = {
    "percent": "percent",
    "alpha": "alpha",
    "fleiss": "Fleiss",
    "conger": "Conger",
    "light": "Light",
    "brennan_prediger": "B-P",
    "gwet": "AC",
}
DESIGNS = {
    "30 x 5 complete": (30, 5, 5),
    "100 x 5 of 30": (100, 5, 30),
    "100 x 5 of 10": (100, 5, 10),
    "200 x 5 of 117": (200, 5, 117),
    "200 x 3 complete": (200, 3, 3),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One design, one target share, one way to cut, one kind of weights."""

    design: str
    share: float
    cut: str
    weights: Kind
    runs: int


def lay_out(design: str) -> tuple[Codes, Codes]:
    """Each target is rated by some of the raters, drawn once."""
    n_targets, per_target, n_raters = DESIGNS[design]
    rng = child_rng(SEED, "design", design)
    rater = np.concatenate([rng.choice(n_raters, per_target, replace=False) for _ in range(n_targets)])
    return np.repeat(np.arange(n_targets), per_target), np.unique(rater, return_inverse=True)[1]


def truth(case: Case, weights: Floats) -> dict[str, float]:
    """Return the population values: agreement of two raters at random, by quadrature over the effect of the target."""
    nodes, density = np.polynomial.hermite_e.hermegauss(120)
    density = density / density.sum()
    below = ndtr((CUTS[case.cut] - np.sqrt(case.share) * nodes[:, None]) / np.sqrt(1.0 - case.share))
    shares = np.diff(np.column_stack([np.zeros(len(nodes)), below, np.ones(len(nodes))]), axis=1)
    pi, q = density @ shares, len(weights)
    joint = (shares * density[:, None]).T @ shares
    seen, drawn = float(np.sum(joint * weights)), float(pi @ weights @ pi)
    chance = {
        "percent": 0.0,
        **dict.fromkeys(("fleiss", "conger"), drawn),
        "brennan_prediger": float(weights.mean()),
        "gwet": float(weights.sum() / (q * (q - 1)) * np.sum(pi * (1.0 - pi))),
    }
    found = {name: (seen - p_e) / (1.0 - p_e) for name, p_e in chance.items()}
    ranks = np.cumsum(pi) - pi / 2.0
    distance = 1.0 - np.eye(q) if case.weights == "identity" else (ranks[:, None] - ranks) ** 2
    return {**found, "alpha": 1.0 - float(np.sum(joint * distance)) / float(pi @ distance @ pi)}


def intervals(counts: Counts, case: Case, weights: Floats) -> Iterator[tuple[str, str, Estimate]]:
    """Yield (coefficient, scope, estimate): for new raters and for these raters."""
    plain = {
        "percent": percent_agreement,
        "fleiss": fleiss_kappa,
        "conger": conger_kappa,
        "brennan_prediger": brennan_prediger,
        "gwet": gwet_ac,
    }
    for name, compute in plain.items():
        yield name, "these", compute(counts, weights)
        yield name, "random", two_way_agreement(counts, name, weights)  # type: ignore[arg-type]
    values, metric = counts.category.astype(np.float64), "nominal" if case.weights == "identity" else "ordinal"
    yield "alpha", "these", krippendorff_alpha(values, counts.target, metric=metric)  # type: ignore[arg-type]
    yield "alpha", "random", two_way_jackknife(values, counts.target, counts.rater, metric=metric)  # type: ignore[arg-type]
    if "complete" in case.design:
        table = np.empty((counts.n_targets, len(counts.rater_table)), dtype=np.intp)
        table[counts.target, counts.rater] = counts.category
        yield "light", "these", light_kappa(table, len(weights), weights=weights)
        yield "light", "random", two_way_light(table, len(weights), weights=weights)


def run(case: Case) -> tuple[Case, dict[tuple[str, str], int]]:
    """Count how often each interval holds the true value; where none could be formed, it does not."""
    target, rater = lay_out(case.design)
    rng = child_rng(SEED, case.design, str(case.share), case.cut)
    weights = rating_weights(case.weights, np.arange(1.0, 6.0))
    true = truth(case, weights)
    true["light"] = true["conger"]
    hits: dict[tuple[str, str], int] = {}
    for _ in range(case.runs):
        y = np.sqrt(case.share) * rng.standard_normal(target.max() + 1)[target]
        y += np.sqrt(RATER_SHARE) * rng.standard_normal(rater.max() + 1)[rater]
        y += np.sqrt(1.0 - case.share - RATER_SHARE) * rng.standard_normal(len(target))
        counts = tabulate(target, np.searchsorted(CUTS[case.cut], y), n_categories=5, rater_codes=rater)
        try:
            for name, scope, found in intervals(counts, case, weights):
                held = found.low is not None and found.high is not None and found.low <= true[name] <= found.high
                hits[name, scope] = hits.get((name, scope), 0) + held
        except CannotEstimateError:
            continue
    return case, hits


def page(results: dict[Case, dict[tuple[str, str], int]], runs: int) -> str:
    """Write the part of the documentation."""
    head = (
        f"Made on {dt.datetime.now(tz=dt.UTC).date()}, seed {SEED}, {runs:,} runs a cell: one standard error is "
        f"{100 * np.sqrt(0.95 * 0.05 / runs):.1f} points. First the interval for new targets and new raters, in "
        "brackets that for these raters only; ! marks what lies outside 92 to 98."
    )
    parts = [head]
    for cut, kind in STUDIES:
        names = [name for name in COLUMNS if any((name, "random") in hits for hits in results.values())]
        parts += [
            f"\n**{'Ordinal weights' if kind == 'ordinal' else 'Exact matches'}, ratings {cut}**\n",
            "| design | targets' share | " + " | ".join(COLUMNS[name] for name in names) + " |",
            "| --- | ---: |" + " ---: |" * len(names),
        ]
        for design, share in product(DESIGNS, SHARES):
            hits = results[Case(design, share, cut, kind, runs)]
            cells = [_cell(hits.get((name, "random")), hits.get((name, "these")), runs) for name in names]
            parts.append(f"| {design} | {share:.2f} | {' | '.join(cells)} |")
    return "\n".join(parts)


def _cell(wide: int | None, narrow: int | None, runs: int) -> str:
    if wide is None or narrow is None:
        return "–"
    share = round(100.0 * wide / runs)
    return f"{share}{'' if 92 <= share <= 98 else '!'} ({100.0 * narrow / runs:.0f})"


def main() -> None:
    """Parse, run, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500, help="runs a cell")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--page", type=Path, help="a page of the documentation whose table is replaced")
    options = parser.parse_args()
    cases = [Case(d, s, cut, kind, options.runs) for cut, kind in STUDIES for d, s in product(DESIGNS, SHARES)]
    with multiprocessing.Pool(options.processes) as pool:
        results = dict(pool.imap_unordered(run, cases))
    text = page(results, options.runs)
    print(text)
    if options.page is not None:
        before, _, rest = options.page.read_text().partition(BEGIN)
        after = rest.partition(END)[2]
        options.page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    main()
