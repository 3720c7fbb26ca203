"""Biases of raters in one table: the order of what is asked, the length of dialogues, own systems."""

from collections.abc import Iterator
from dataclasses import dataclass

from dialgauge.analyse.checking.records import (
    LENGTH,
    LISTING,
    QUESTIONS,
    SELF,
    LengthBias,
    RaterChecks,
    SelfPreference,
)
from dialgauge.report.checks.numbers import write_estimate
from dialgauge.report.numerals import DASH
from dialgauge.report.text import clean, join
from dialgauge.stats.estimate import Estimate

ORDER = (QUESTIONS, LISTING)
"""Checks of the order of what is asked."""

LONGER, LONGER_WITHIN = "length, per doubling", "length within systems"
OWN, OWN_FIRST = "own systems", "own first, of pairs"

UNITS = "In units of the range of the scale, towards its better end."

ON_LENGTH = (
    "Length: that longer dialogues are rated higher is an association, for they may be better. Only the difference "
    "from others on the same targets can fail."
)
ON_OWN = "Own systems: their mean less that of other systems; and how often they are put first, a tie as one half."


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasRow:
    """One number of one rater, that of others on the same targets, and the difference, ready to print."""

    rater: str
    dimension: str
    bias: str
    own: str
    others: str
    difference: str
    failed: bool

    @property
    def words(self) -> str:
        """The numbers in a row of words."""
        parts = {"": self.own, "others ": self.others, "difference ": self.difference}
        return ", ".join(f"{what}{number}" for what, number in parts.items() if number)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasSummary:
    """What the section on biases shows: rows over all dimensions, rows by dimension (where asked for), sentences."""

    rows: tuple[BiasRow, ...]
    by_dimension: tuple[BiasRow, ...]
    notes: tuple[str, ...]
    level: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that hold some number: "own", "others", "difference"."""
        every = (*self.rows, *self.by_dimension)
        cells = {
            "own": [row.own for row in every],
            "others": [row.others for row in every],
            "difference": [row.difference for row in every],
        }
        return tuple(name for name, column in cells.items() if set(column) - {"", DASH})


def summarise_biases(found: RaterChecks, *, full: bool = False) -> BiasSummary | None:
    """Return the section on biases, all names cleaned; None where nothing is known of any."""
    rows = tuple(row for rater in found.raters for row in _list(found, rater) if not row.dimension)
    if not rows:
        return None
    every = (row for rater in found.raters for row in _list(found, rater) if row.dimension)
    return BiasSummary(
        rows=rows, by_dimension=tuple(every) if full else (), notes=tuple(_notes(found)), level=f"{found.level * 100:g}"
    )


def _list(found: RaterChecks, rater: str) -> Iterator[BiasRow]:
    failed = {(check.check, check.dimension) for check in found.failed if check.rater == rater}
    for contrast in found.contrasts:
        if contrast.rater == rater and contrast.check in ORDER:
            moved = write_estimate(contrast.difference, signed=True)
            here = (contrast.check, contrast.dimension) in failed
            yield _row(rater, contrast.dimension, contrast.check, ("", "", moved), failed=here)
    for length in found.lengths:
        if length.rater == rater:
            yield from _of_length(length, failed=(LENGTH, length.dimension) in failed)
    for own in found.self_preferences:
        if own.rater == rater:
            yield from _of_own(own, failed=(SELF, own.dimension) in failed)


def _of_length(one: LengthBias, *, failed: bool) -> Iterator[BiasRow]:
    if not isinstance(one.slope, Estimate):
        return
    cells = [write_estimate(slope, signed=True) for slope in (one.slope, one.slope_others, one.difference)]
    yield _row(one.rater, one.dimension, LONGER, (cells[0], cells[1], cells[2]), failed=failed)
    if isinstance(one.slope_within, Estimate):
        within, apart = (write_estimate(slope, signed=True) for slope in (one.slope_within, one.difference_within))
        yield _row(one.rater, one.dimension, LONGER_WITHIN, (within, "", apart), failed=False)


def _of_own(one: SelfPreference, *, failed: bool) -> Iterator[BiasRow]:
    means = [write_estimate(v, signed=True) for v in (one.difference, one.difference_others, one.preference)]
    yield _row(one.rater, one.dimension, OWN, (means[0], means[1], means[2]), failed=failed)
    shares = write_estimate(one.first), write_estimate(one.first_others)
    yield _row(one.rater, one.dimension, OWN_FIRST, (*shares, ""), failed=False)


def _row(rater: str, dimension: str | None, bias: str, cells: tuple[str, str, str], *, failed: bool) -> BiasRow:
    own, others, difference = cells
    return BiasRow(
        rater=clean(rater),
        dimension=clean(dimension) if dimension else "",
        bias=bias,
        own=own,
        others=others,
        difference=difference,
        failed=failed,
    )


def _notes(found: RaterChecks) -> Iterator[str]:
    yield UNITS
    if found.lengths:
        yield ON_LENGTH
    if found.self_preferences:
        yield ON_OWN
    beside = {(one.rater, one.beside) for one in found.lengths} | {(o.rater, o.beside) for o in found.self_preferences}
    models = [clean(name) for name in found.raters if (name, "other models") in beside]
    if models:
        shared = "a bias that all share is not seen, and of two that differ both may fail"
        yield f"For {join(models)} others are models: {shared}."
