"""Speed on large and on many panels, beside the programs that do the same, in one run on one thread.

python bench/bench_panels.py [--small] [--plot docs/cost.svg]
"""

import argparse
import os
import resource
from collections.abc import Iterator
from pathlib import Path

from clock import ONE_THREAD, Row, cpu

os.environ.update(ONE_THREAD)  # before NumPy is loaded

import numpy as np
import polars as pl
from numpy.typing import NDArray
from peers import arrays, crossed, has_lme4, lme4

from dialgauge.seeding import child_rng
from dialgauge.stats.agreement.alpha import alpha_value
from dialgauge.stats.meansquares import icc_forms, mean_squares
from dialgauge.stats.reml import fit_reml
from dialgauge.stats.reml.bootstrap import refit

REFITS = 200


def agrees(name: str, ours: float, theirs: float, tolerance: float) -> None:
    """Stop where the peer did not compute the same: a ratio of unlike things is no ratio."""
    if abs(ours - theirs) > tolerance:
        message = f"{name}: Dialgauge {ours!r} and the peer {theirs!r} are not the same number"
        raise SystemExit(message)


def reml_rows(*, small: bool) -> Iterator[Row]:
    """Crossed REML against lme4: one dimension, 18 dimensions, a large panel, bootstrap refits."""
    jobs = [
        ("crossed REML, 1,000 ratings", crossed(100, 30, 10), 20),
        ("crossed REML, 18 dimensions of 1,000 ratings", crossed(200, 117, 5, columns=18), 5),
        ("crossed REML, 100,000 ratings (10,000 x 1,000)", crossed(10_000, 1_000, 10), 3),
    ]
    if small:
        jobs = [("crossed REML, 200 ratings", crossed(40, 15, 5), 3)]
    peer = has_lme4()
    for name, frame, times in jobs:
        t, r, values = arrays(frame)
        fits = fit_reml(t, r, values, model="crossed")
        seconds = cpu(lambda t=t, r=r, values=values: fit_reml(t, r, values, model="crossed"), times=times)  # type: ignore[misc]
        if not peer:
            yield Row(name, seconds, "Rscript with lme4 is not installed: not compared")
            continue
        peer_seconds, criterion = lme4(frame, "fit", times=1 if len(frame) > 10_000 else 5)
        agrees(name, fits[0].criterion, criterion, 1e-8 * abs(criterion) + 1e-5)
        yield Row(name, seconds, "lme4 (calc.derivs=FALSE)", peer_seconds)
    frame = jobs[0][1]
    (fit,) = fit_reml(*arrays(frame), model="crossed")
    n = 20 if small else REFITS
    seconds = cpu(lambda: refit(fit, n=n, rng=child_rng(1, "bench")), times=3)
    name = f"parametric bootstrap, {n} refits of {len(frame):,} ratings"
    yield Row(name, seconds, "bootMer", lme4(frame, "bootstrap", str(n), times=1)[0]) if peer else Row(name, seconds)


def million() -> Row:
    """Fit 1,000,000 ratings of 100,000 targets by 10,000 raters, and tell the memory."""
    rng = np.random.default_rng(0)
    t = np.repeat(np.arange(100_000), 10)
    r = rng.integers(0, 10_000, len(t))
    y = 0.6 * rng.normal(size=100_000)[t] + 0.4 * rng.normal(size=10_000)[r] + 0.9 * rng.normal(size=len(t))
    seconds = cpu(lambda: fit_reml(t, r, y, model="crossed"), times=1, warm=False)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return Row("crossed REML, 1,000,000 ratings (100,000 x 10,000)", seconds, f"peak memory {peak:.2f} GB")


def alpha_rows(*, small: bool) -> Iterator[Row]:
    """Krippendorff's alpha against the package of that name."""
    n_targets, n_raters, per_target = (100, 500, 10) if small else (1_000, 10_000, 100)
    frame = crossed(n_targets, n_raters, per_target)
    t, r, values = arrays(frame)
    likert = np.clip(np.round(values[:, 0]), 1, 5)
    name = f"ordinal alpha, {len(t):,} ratings ({n_targets:,} x {n_raters:,})"
    seconds = cpu(lambda: alpha_value(likert, t, metric="ordinal"))
    try:
        import krippendorff  # noqa: PLC0415 (a peer, under the GPL: never a dependency)
    except ImportError:
        yield Row(name, seconds, "krippendorff is not installed: not compared")
    else:

        def pivoted() -> float:
            table = pl.DataFrame({"t": t, "r": r, "y": likert}).pivot(
                "t", index="r", values="y", aggregate_function="first"
            )
            data = table.drop("r").to_numpy().astype(float)
            return float(krippendorff.alpha(reliability_data=data, level_of_measurement="ordinal"))

        agrees(name, alpha_value(likert, t, metric="ordinal"), pivoted(), 1e-9)
        yield Row(name, seconds, "krippendorff, with pivot", cpu(pivoted, times=2, warm=False))
    n = 10_000 if small else 1_000_000
    y = np.random.default_rng(1).normal(size=n)
    targets = np.repeat(np.arange(n // 10), 10)
    yield Row(f"interval alpha, {n:,} reals", cpu(lambda: alpha_value(y, targets, metric="interval"), times=3))


def icc_row(*, small: bool) -> Row:
    """Six ICCs of a complete table against pingouin."""
    n, k = (200, 5) if small else (100_000, 10)
    rng = np.random.default_rng(2)
    table = rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(1, k)) + rng.normal(size=(n, k))
    name = f"six ICCs of a complete {n:,} x {k} table"
    seconds = cpu(lambda: icc_forms(mean_squares(table)))
    try:
        import pandas as pd  # noqa: PLC0415 (for the peer)
        import pingouin  # noqa: PLC0415 (a peer, under the GPL: never a dependency)
    except ImportError:
        return Row(name, seconds, "pingouin is not installed: not compared")
    long = pd.DataFrame({"t": np.repeat(np.arange(n), k), "r": np.tile(np.arange(k), n), "y": table.ravel()})
    found = pingouin.intraclass_corr(long, targets="t", raters="r", ratings="y")
    ours = icc_forms(mean_squares(table))[2].estimate
    agrees(name, getattr(ours, "value", np.nan), float(found["ICC"].iloc[2]), 1e-9)
    peer = cpu(lambda: pingouin.intraclass_corr(long, targets="t", raters="r", ratings="y"), times=1, warm=False)
    return Row(name, seconds, "pingouin", peer)


def cost(sizes: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ratings and seconds of crossed fits with 10 ratings a target and a tenth as many raters as targets."""
    seconds = []
    for n in sizes:
        n_targets = n // 10
        rng = np.random.default_rng(n)
        t, r = np.repeat(np.arange(n_targets), 10), rng.integers(0, max(n_targets // 10, 10), n)
        r = np.unique(r, return_inverse=True)[1]
        y = 0.6 * rng.normal(size=n_targets)[t] + 0.4 * rng.normal(size=r.max() + 1)[r] + 0.9 * rng.normal(size=n)
        seconds.append(cpu(lambda t=t, r=r, y=y: fit_reml(t, r, y, model="crossed"), times=3 if n <= 100_000 else 1))  # type: ignore[misc]
    return np.array(sizes, dtype=np.float64), np.array(seconds)


def plot(path: Path, sizes: list[int]) -> None:
    """Draw how the cost of a fit grows with the number of ratings."""
    import altair as alt  # noqa: PLC0415 (for the plot only)

    n, seconds = cost(sizes)
    frame = pl.DataFrame({"ratings": n, "seconds": seconds})
    base = alt.Chart(frame, title="Processor time of one crossed REML fit (one thread)").encode(
        x=alt.X("ratings:Q", title="ratings", scale=alt.Scale(type="log")),
        y=alt.Y("seconds:Q", title="seconds", scale=alt.Scale(type="log")),
    )
    chart = (base.mark_line(color="#0072b2") + base.mark_point(color="#0072b2", filled=True, size=60)).properties(
        width=520, height=300
    )
    chart.save(str(path))
    for ratings, spent in zip(n, seconds, strict=True):
        print(f"{int(ratings):>10,} ratings {spent:>9.3f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="small tables: a check that it runs")
    parser.add_argument("--plot", type=Path, help="draw the cost against the number of ratings into this SVG file")
    options = parser.parse_args()
    print("seconds of processor time (user and system), one thread, best of several runs")
    if not options.small:
        print(million(), flush=True)  # first: the peak of memory is its own
    for row in reml_rows(small=options.small):
        print(row, flush=True)
    for row in alpha_rows(small=options.small):
        print(row, flush=True)
    print(icc_row(small=options.small), flush=True)
    if options.plot:
        plot(
            options.plot,
            [300, 1_000, 3_000, 10_000]
            if options.small
            else [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000],
        )
