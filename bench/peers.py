"""Tables to measure on, and the other programs that do the same work."""

import os
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from clock import ONE_THREAD, cpu
from numpy.typing import NDArray

HERE = Path(__file__).parent


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
