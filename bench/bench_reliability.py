"""Processor time of the main job, and of crossed REML beside statsmodels and lme4, in one run on one thread.

python bench/bench_reliability.py [--small]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from clock import ONE_THREAD, Row, cpu, cpu_of_command

os.environ.update(ONE_THREAD)  # before NumPy is loaded

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.io import from_frame
from dialgauge.stats.reml import fit_reml

HERE = Path(__file__).parent
DIMENSIONS = [f"y{i}" for i in range(1, 19)]


def crossed(n_targets: int, n_raters: int, per_target: int, *, columns: int = 1, seed: int = 0) -> pl.DataFrame:
    """Draw sparse crossed ratings: columns t, r, y1, y2, ... with standard deviations .6, .4, .9."""
    rng = np.random.default_rng(seed)
    t = np.repeat(np.arange(n_targets), per_target)
    r = np.concatenate([rng.choice(n_raters, per_target, replace=False) for _ in range(n_targets)])
    y = {
        f"y{i + 1}": 3.2
        + 0.6 * rng.normal(size=n_targets)[t]
        + 0.4 * rng.normal(size=n_raters)[r]
        + 0.9 * rng.normal(size=len(t))
        for i in range(columns)
    }
    return pl.DataFrame({"t": t, "r": r, **y})


def arrays(frame: pl.DataFrame) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return codes and values, dense."""
    t, r = (np.unique(frame[name].to_numpy(), return_inverse=True)[1] for name in ("t", "r"))
    return t, r, frame.drop("t", "r").to_numpy()


def has_lme4() -> bool:
    """Tell whether R and lme4 are there."""
    probe = ["Rscript", "-e", "library(lme4)"]
    return bool(shutil.which("Rscript")) and subprocess.run(probe, capture_output=True, check=False).returncode == 0


def lme4(frame: pl.DataFrame, job: str, *extra: str, times: int = 3) -> tuple[float, float]:
    """Return lme4's seconds and its REML criterion of the first column."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        frame.write_csv(path)
        command = ["Rscript", str(HERE / "lme4.R"), str(path), job, str(times), *extra]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **ONE_THREAD})
    seconds, criterion = done.stdout.split()
    return float(seconds), float(criterion)


def statsmodels_crossed(frame: pl.DataFrame) -> float:
    """Return the seconds of one fit by statsmodels' MixedLM with two variance components in one group."""
    from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec  # noqa: PLC0415 (a peer)

    t, r, values = arrays(frame)
    y = values[:, 0]
    ones = np.ones((len(y), 1))
    z_t, z_r = np.eye(t.max() + 1)[t], np.eye(r.max() + 1)[r]
    names = [[f"{letter}{i}" for i in range(z.shape[1])] for letter, z in (("t", z_t), ("r", z_r))]
    spec = VCSpec(["target", "rater"], [[names[0]], [names[1]]], [[z_t], [z_r]])

    def fit() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            MixedLM(y, ones, np.zeros(len(y)), exog_vc=spec).fit(reml=True)

    return cpu(fit, times=1, warm=False)


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
    found.append(Row(job, seconds, "statsmodels MixedLM", statsmodels_crossed(frame)))
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
