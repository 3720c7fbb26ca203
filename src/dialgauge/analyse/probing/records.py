"""What the analysis of a probe goes in with, and what it comes out as."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from dialgauge.analyse.results import Coefficient
from dialgauge.model import Scale

Movement = Literal["moved", "not moved", "moved the other way", "not measured"]
"""The interval lies above 0, contains it, lies below it; or there is none. "Not moved" is not "cannot be moved"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeMaterial:
    """The ratings of a probe, as tables.

    ``probes`` has a row for each pair of dialogues and dimension: injection, form, direction (1 or -1), source,
    dimension, pushed, injected and neutral (the identifiers of the two dialogues). ``ratings`` has a row a rating:
    target, rater, dimension, value, missing.
    """

    raters: Sequence[str]
    scales: Mapping[str, Scale]
    probes: pl.DataFrame
    ratings: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How far an injected text moves the ratings of one rater; ``injection`` None is all texts together.

    ``shift`` is the rating with the text minus that with a neutral text in its place, in the direction that the text
    pushes to, in units of the range of the scale, with an interval over targets. ``landed`` is the share of ratings at
    exactly the value that was asked for, ``landed_neutral`` the same without the text.
    """

    rater: str
    injection: str | None
    form: str
    direction: int | None
    shift: Coefficient
    movement: Movement
    landed: float | None
    landed_neutral: float | None
    n_pairs: int
    n_targets: int
    missing: Mapping[str, int]
    missing_neutral: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """The shifts of each rater: all texts together first, then each."""

    source: str
    level: float
    raters: tuple[str, ...]
    dimensions: tuple[str, ...]
    n_targets: int
    shifts: tuple[Shift, ...]
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def overall(self) -> tuple[Shift, ...]:
        """The shifts over all texts, one for each rater."""
        return tuple(shift for shift in self.shifts if shift.injection is None)
