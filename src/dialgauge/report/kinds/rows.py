"""Kinds of rater as every table shows them: a row per dimension and kind, and one per dimension and pair of kinds."""

from collections.abc import Mapping
from dataclasses import dataclass

from dialgauge.analyse.kinds import DimensionKinds, KindReliability, PairOfKinds
from dialgauge.analyse.kinds.pairs import PerfectCorrelation, Worth
from dialgauge.analyse.results import Coefficient
from dialgauge.report.numerals import DASH, MINUS, decimal, fixed, percent
from dialgauge.report.text import clean
from dialgauge.stats.estimate import Estimate

MARK = "*"
"""Stands behind numbers that hold in part only: for one rater, or with the noise of one kind left in."""

TIMES = "×"

FACETS: Mapping[str, str] = {"target": "target", "rater": "rater", "target_x_rater": "t×r", "residual": "res."}


@dataclass(frozen=True, slots=True)
class Cell:
    """A coefficient in a table: value, interval in brackets (or nothing), and a mark where it holds in part only."""

    value: str = DASH
    interval: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of rater on one dimension; all texts are ready to print, ``shares`` are in per cent by facet."""

    dimension: str
    kind: str
    raters: str
    mean: str
    shares: Mapping[str, str]
    k: str
    rel_single: Cell
    rel_k: Cell


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two kinds of rater on one dimension; all texts are ready to print."""

    dimension: str
    first: str
    second: str
    shared: str
    correlation: Cell
    p: str
    observed: Cell
    ceiling: str
    difference: Cell
    worth: Cell
    stand_in: str


def rows_of_kinds(d: DimensionKinds) -> list[KindRow]:
    """Return a row per kind of ``d``."""
    return [
        KindRow(
            dimension=clean(d.name),
            kind=clean(kind.kind),
            raters=f"{kind.design.n_raters:,}",
            mean=fixed(kind.mean.value),
            shares=_shares(kind),
            k=say_k(kind),
            rel_single=own_or(kind.rel_single, kind.this_rater_only),
            rel_k=own_or(kind.rel_k, kind.this_rater_only_k),
        )
        for kind in d.kinds
    ]


def rows_of_pairs(d: DimensionKinds) -> list[PairRow]:
    """Return a row per pair of kinds of ``d``."""
    return [
        PairRow(
            dimension=clean(d.name),
            first=clean(pair.first),
            second=clean(pair.second),
            shared=f"{pair.n_shared:,}",
            correlation=own_or(pair.correlation, pair.correlation_as_rated),
            p=say_p(pair),
            observed=cell_of(pair.observed),
            ceiling=DASH if pair.ceiling is None else decimal(pair.ceiling),
            difference=difference_cell(pair.difference),
            worth=_worth(pair),
            stand_in=_stand_in(pair),
        )
        for pair in d.pairs
    ]


def own_or(coefficient: Coefficient, narrower: Coefficient | None) -> Cell:
    """Return ``coefficient``, or with a mark the ``narrower`` one that stands where it is refused."""
    if isinstance(coefficient, Estimate) or not isinstance(narrower, Estimate):
        return cell_of(coefficient)
    return cell_of(narrower, mark=MARK)


def cell_of(coefficient: Coefficient | None, *, mark: str = "") -> Cell:
    """Return value and interval of a coefficient; a dash where there is none."""
    if not isinstance(coefficient, Estimate):
        return Cell()
    low, high = coefficient.low, coefficient.high
    interval = "" if low is None or high is None else f"[{decimal(low)}, {decimal(high)}]"
    return Cell(decimal(coefficient.value), interval or "no interval", mark)


def say_number(value: float) -> str:
    """Write a number of raters: ``3``, ``3.2``."""
    return f"{value:.1f}".removesuffix(".0")


def say_k(kind: KindReliability) -> str:
    """Write how many ratings a mean of k is taken of: raters, times the ratings of each where there are several."""
    times = say_number(kind.replicates)
    return say_number(kind.k) + (f" {TIMES} {times}" if times != "1" and kind.basis != "identical" else "")


def say_p(pair: PairOfKinds) -> str:
    """Write the p-value of a perfect correlation; a dash where it was not tested."""
    if not isinstance(pair.perfect, PerfectCorrelation):
        return DASH
    return "<.001" if pair.perfect.p < 0.001 else decimal(pair.perfect.p)


def difference_cell(difference: Coefficient) -> Cell:
    """Write a difference in scale units with its sign; a dash where there is none."""
    if not isinstance(difference, Estimate):
        return Cell()
    low, high = difference.low, difference.high
    ends = "no interval" if low is None or high is None else f"[{fixed(low)}, {fixed(high)}]"
    return Cell(f"{difference.value:+z.2f}".replace("-", MINUS), ends)


def _worth(pair: PairOfKinds) -> Cell:
    if not isinstance(pair.worth, Worth) or not isinstance(pair.worth.equal, Estimate):
        return Cell()
    equal = pair.worth.equal
    ends = "no interval" if equal.low is None or equal.high is None else f"[{fixed(equal.low)}, {fixed(equal.high)}]"
    return Cell(fixed(equal.value), ends)


def _stand_in(pair: PairOfKinds) -> str:
    if isinstance(pair.worth, Worth) and isinstance(pair.worth.stand_in, float):
        return fixed(pair.worth.stand_in)
    return DASH


def _shares(kind: KindReliability) -> dict[str, str]:
    """Return the share of each known component of one rating, in per cent; dashes where noise is not known."""
    v = kind.variance
    parts = {"target": v.target, "rater": v.rater, "target_x_rater": v.target_x_rater, "residual": v.residual}
    known = {name: value for name, value in parts.items() if isinstance(value, float)}
    total = sum(known.values())
    if "residual" not in known or not total > 0.0:
        known = {}
    return {name: percent(known[name] / total) if name in known else DASH for name in FACETS}
