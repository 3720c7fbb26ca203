"""Processor time of the main job, and of crossed REML beside statsmodels and lme4, in one run on one thread.

python bench/bench_reliability.py [--small]
"""

import argparse
import os
import sys
from importlib.util import find_spec

from clock import ONE_THREAD, Row, cpu, cpu_of_command

os.environ.update(ONE_THREAD)  # before NumPy is loaded

import polars as pl
from peers import arrays, crossed, has_lme4, lme4, statsmodels_crossed

from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.io import from_frame
from dialgauge.stats.reml import fit_reml

DIMENSIONS = [f"y{i}" for i in range(1, 19)]


def main_job(n_targets: int, n_raters: int) -> Row:
    """Time all coefficients and intervals of 18 dimensions of 1 to 5 ratings."""
    frame = crossed(n_targets, n_raters, 5, columns=18)
    likert = frame.with_columns(pl.col(DIMENSIONS).round().clip(1, 5))
    ratings = from_frame(likert, target="t", rater="r", scale="1:5", dimensions=DIMENSIONS)
    seconds = cpu(lambda: analyse_reliability(ratings), times=3)
    return Row(f"18 dimensions, {len(frame):,} ratings, all coefficients, intervals", seconds, "(wanted: under 2 s)")


def rows(*, small: bool) -> list[Row]:
    """Run every job."""
    command = [sys.executable, "-m", "dialgauge", "--help"]
    found = [
        Row("dialgauge --help", cpu_of_command(command), "(wanted: under 0.3 s)"),
        main_job(40, 20) if small else main_job(200, 117),
    ]
    frame = crossed(40, 15, 5) if small else crossed(100, 30, 10)
    t, r, values = arrays(frame)
    (fit,) = fit_reml(t, r, values, model="crossed")
    job, seconds = f"crossed REML, {len(frame):,} ratings", cpu(lambda: fit_reml(t, r, values, model="crossed"))
    if find_spec("statsmodels"):
        found.append(Row(job, seconds, "statsmodels MixedLM", statsmodels_crossed(frame)))
    else:
        found.append(Row(job, seconds, "statsmodels is not installed: not compared"))
    if has_lme4():
        peer_seconds, criterion = lme4(frame, "fit")
        if abs(criterion - fit.criterion) > 1e-5:
            message = f"lme4 finds the criterion {criterion}, Dialgauge {fit.criterion}: not the same fit"
            raise SystemExit(message)
        found.append(Row(job, seconds, "lme4 (calc.derivs=FALSE)", peer_seconds))
    else:
        found.append(Row(job, seconds, "Rscript with lme4 is not installed: not compared"))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="small tables: a check that it runs")
    print("seconds of processor time (user and system), one thread, best of several runs")
    for row in rows(small=parser.parse_args().small):
        print(row)
