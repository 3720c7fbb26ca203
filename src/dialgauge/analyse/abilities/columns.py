"""Numerators and denominators of measures, a row per dialogue or pair, and the estimates that come of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from dialgauge.analyse.abilities.records import Family, Unit
from dialgauge.analyse.results import Coefficient
from dialgauge.errors import CannotEstimateError
from dialgauge.model.simulated import Persona, Preference
from dialgauge.stats.abilities.formulas import Formula, apply_formula, estimate_formula
from dialgauge.stats.abilities.twoway import Crossing, Linear, estimate_mean, estimate_share, take_ratio
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Refusal

COVERS = "personas, preferences and dialogues"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A measure row by row: the ratio of the sums is its value; ``counted`` says what the denominators count.

    ``bounds`` are the least and greatest value, ``binary`` that it is a share of rows or counts, ``ceilings`` what a
    row could have at most: their mean over the rows that are used is then the greatest value. ``why_none`` is the
    reason where all denominators are 0, with what would help.
    """

    family: Family
    unit: Unit
    numerators: Sequence[float]
    denominators: Sequence[float]
    counted: str
    bounds: tuple[float, float] = (0.0, 1.0)
    binary: bool = True
    ceilings: Sequence[float] | None = None
    why_none: tuple[str, str] = ("no pair of replies is of that kind", "give pairs of replies to paraphrased turns")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The measures of one system on one set of rows, with the persona and the preference of each row."""

    crossing: Crossing
    columns: Mapping[str, Column] = field(default_factory=dict)

    @classmethod
    def of(cls, personas: Sequence[Persona], preferences: Sequence[Preference], columns: Mapping[str, Column]) -> Self:
        """Return the columns with personas and preferences numbered by their ids."""
        return cls(Crossing(_encode([p.id for p in personas]), _encode([p.id for p in preferences])), columns)

    def ratio(self, name: str, rows: Codes | None = None) -> Linear:
        """Return a measure over all rows, or over ``rows``; raises CannotEstimateError where nothing was counted."""
        column = self.columns[name]
        over, under = np.asarray(column.numerators, float), np.asarray(column.denominators, float)
        if rows is not None:
            kept = np.zeros(under.size)
            kept[rows] = 1.0
            over, under = over * kept, under * kept
        if not under.any():
            reason, remedy = column.why_none
            raise CannotEstimateError(reason, remedy=remedy)
        return take_ratio(over, under)

    def estimate(self, name: str, *, level: float, rows: Codes | None = None) -> Coefficient:
        """Return a measure with its interval, or why there is none."""
        try:
            found = self.ratio(name, rows)
        except CannotEstimateError as error:
            return Refusal(error.reason, error.remedy)
        return self._interval(name, found, level)

    def apply(self, formula: Formula, rows: Codes | None = None) -> Linear:
        """Return an ability; raises CannotEstimateError that names every measure that lacks."""
        return apply_formula(formula, self._parts(formula, rows))

    def rate(self, formula: Formula, *, level: float, rows: Codes | None = None) -> Coefficient:
        """Return an ability with its interval, or why there is none."""
        try:
            parts = self._parts(formula, rows)
        except CannotEstimateError as error:
            return Refusal(error.reason, error.remedy)
        own = [self._interval(name, part, level) for name, part in zip(formula.measures, parts, strict=True)]
        return estimate_formula(formula, parts, own, self.crossing, covers=COVERS, level=level)

    def _parts(self, formula: Formula, rows: Codes | None) -> list[Linear]:
        """Return the measures of an ability; raises CannotEstimateError that names every measure that lacks."""
        absent = [name for name in formula.measures if name not in self.columns]
        if absent:
            said = ", ".join(name.replace("_", " ") for name in absent)
            raise CannotEstimateError(f"there is no value of {said}", remedy=_remedy(absent))
        return [self.ratio(name, rows) for name in formula.measures]

    def _interval(self, name: str, found: Linear, level: float) -> Estimate:
        column = self.columns[name]
        if column.binary:
            return estimate_share(found, self.crossing, covers=COVERS, level=level)
        return estimate_mean(found, self.crossing, bounds=_bounds(column, found), covers=COVERS, level=level)

    def values(self, formula: Formula) -> tuple[Floats, Codes]:
        """Return the ability of each row alone, for the rows that have all its measures, and which rows those are."""
        if any(name not in self.columns for name in formula.measures):
            return np.empty(0), np.empty(0, dtype=np.intp)
        parts = [self.columns[name] for name in formula.measures]
        under = np.array([part.denominators for part in parts], dtype=np.float64)
        rows = np.flatnonzero((under > 0.0).all(axis=0))
        over = np.array([part.numerators for part in parts], dtype=np.float64)[:, rows] / under[:, rows]
        return np.array([formula.function(*row) for row in over.T.tolist()], dtype=np.float64), rows


def _bounds(column: Column, found: Linear) -> tuple[float, float]:
    """Return the least and greatest value on the rows that are used: a recall is at most their mean ceiling."""
    if column.ceilings is None:
        return column.bounds
    return column.bounds[0], float(np.asarray(column.ceilings, dtype=np.float64)[found.used].mean())


def _remedy(absent: Sequence[str]) -> str:
    if "harmful_change" in absent:
        return "give pairs of replies to paraphrased turns"
    return "rate the dialogues with the instrument concept"


def _encode(names: Sequence[str]) -> Codes:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)
