"""Crowd studies with raters planted in them."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.analyse.raters import RaterQuality, RaterReport, analyse_raters
from dialgauge.io import from_frame
from dialgauge.model import Ratings
from dialgauge.seeding import child_rng
from dialgauge.simulate.crowd import generate_crowd_study

Floats = NDArray[np.float64]


@dataclass
class Study:
    """A wide table of ratings that can be tampered with rater by rater."""

    frame: pl.DataFrame
    rng: np.random.Generator
    seconds: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.seconds = np.exp(self.rng.normal(4.7, 0.5, self.frame.height))

    @property
    def dimensions(self) -> list[str]:
        return self.frame.columns[2:]

    def replace(self, rater: str, change: Callable[[Floats], Floats]) -> None:
        """Put what ``change`` makes of the ratings of ``rater`` (targets, dimensions) in their place."""
        values = self.frame.select(self.dimensions).to_numpy().astype(np.float64)
        own = (self.frame["rater"] == rater).to_numpy()
        values[own] = change(values[own])
        self.frame = self.frame.with_columns(pl.Series(name, values[:, d]) for d, name in enumerate(self.dimensions))

    def hurry(self, rater: str, seconds: float) -> None:
        own = (self.frame["rater"] == rater).to_numpy()
        self.seconds[own] = seconds * np.exp(self.rng.normal(0.0, 0.3, int(own.sum())))

    def read(self) -> Ratings:
        return from_frame(self.frame, target="target", rater="rater", scale="1:5")

    def report(self, *, timed: bool = False) -> RaterReport:
        rows = pl.DataFrame({"row": np.arange(2, 2 + self.frame.height), "value": self.seconds})
        return analyse_raters(self.read(), seconds=rows if timed else None)


def crowd(seed: int) -> Study:
    """Return a study of 60 targets, 40 raters with about 7 targets each, and 8 dimensions."""
    ratings = generate_crowd_study(seed=seed, missing_share=0.0)
    wide = ratings.frame.pivot(on="dimension", index=["target", "rater"], values="value")
    return Study(wide.sort("target", "rater"), child_rng(seed, "planted"))


def grid(targets: int = 20, raters: int = 6, dimensions: int = 4, *, seed: int = 5, severity: float = 0.5) -> Study:
    """Return a small complete study."""
    rng = np.random.default_rng(seed)
    target, rater = (x.ravel() for x in np.meshgrid(np.arange(targets), np.arange(raters), indexing="ij"))
    values = 3.0 + rng.normal(size=(targets, 1))[target] + severity * rng.normal(size=(raters, 1))[rater]
    values = np.clip(np.round(values + 0.8 * rng.normal(size=(len(target), dimensions))), 1.0, 5.0)
    frame = pl.DataFrame(
        {
            "target": [f"t{i:02d}" for i in target],
            "rater": [f"r{j}" for j in rater],
            **{f"d{d}": values[:, d] for d in range(dimensions)},
        }
    )
    return Study(frame, rng)


def rater_of(report: RaterReport, name: str) -> RaterQuality:
    return next(rater for rater in report.raters if rater.name == name)


def rules_of(report: RaterReport, name: str) -> set[str]:
    return {flag.rule for flag in rater_of(report, name).flags}
