"""How far raters of a study agree with people who rated elsewhere: rows, ready to print."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialgauge.analyse.kinds import AgreementWithPeople, KindsComparison
from dialgauge.report.kinds.rows import Cell, cell_of, difference_cell, say_number
from dialgauge.report.numerals import decimal, plural
from dialgauge.report.text import clean, typeset
from dialgauge.stats.estimate import Estimate, Refusal

LEGEND = (
    "Means of people beside those of each rater, target by target. Rel(k): reliability of the mean of k people, "
    "relative where they rated several targets each, else one-way, their severity counted as noise. Without their "
    "noise: the correlation divided by the root of Rel(k); the noise of the rater stays in. Alpha: Krippendorff's, "
    "interval, between the two means. Difference: rater minus people."
)


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """One rater, or kind of rater, beside people on one dimension, which they know as ``theirs``."""

    dimension: str
    theirs: str
    kind: str
    targets: str
    k: str
    reliability: Cell
    observed: Cell
    corrected: Cell
    alpha: Cell
    difference: Cell


def rows_of_people(comparison: KindsComparison) -> list[PeopleRow]:
    """Return a row for each dimension and kind of rater."""
    return [_row(one) for one in comparison.people]


def gaps_of_people(found: Sequence[AgreementWithPeople]) -> Iterator[str]:
    """Yield what could not be computed beside people, and why, like reasons together."""
    told: dict[tuple[str, str], dict[str, None]] = {}
    for one in found:
        named = {
            "correlation": one.observed,
            "reliability of people": one.reliability,
            "correlation without their noise": one.corrected,
            "alpha": one.alpha,
            "difference": one.difference,
        }
        for what, value in named.items():
            if isinstance(value, Refusal):
                where = f"{clean(one.dimension)}, {clean(one.kind)}: {what}"
                told.setdefault((value.reason, value.remedy), {})[where] = None
    for (reason, remedy), places in told.items():
        yield typeset(clean(f"{'; '.join(places)}: {reason}. What would help: {remedy}."))


def say_people(found: Sequence[AgreementWithPeople]) -> list[str]:
    """Say of each rater and dimension whether its means go with those of people at all, and how far at most."""
    return [typeset(sentence) for one in found if (sentence := _say(one))]


def _say(one: AgreementWithPeople) -> str:
    seen = one.observed
    if not isinstance(seen, Estimate) or seen.low is None or seen.high is None:
        return ""
    what = f"{clean(one.kind)} and people on {clean(one.dimension)} ({plural(one.n_targets, 'target')})"
    if seen.high < 0.0:
        return f"{what} disagree: what one rates higher the other rates lower."
    pure = one.corrected
    low, high = (pure.low, pure.high) if isinstance(pure, Estimate) else (None, None)
    if seen.low <= 0.0:
        told = f"{what}: no agreement is shown; a correlation of {decimal(seen.high)} is not ruled out"
        told += "" if high is None else f", nor one of {decimal(high)} without the noise of people"
    else:
        told = f"{what} agree beyond chance"
        told += (
            "" if low is None or high is None else f"; without the noise of people {decimal(low)} to {decimal(high)}"
        )
    return f"{told}."


def _row(one: AgreementWithPeople) -> PeopleRow:
    return PeopleRow(
        dimension=clean(one.dimension),
        theirs=clean(one.people_dimension),
        kind=clean(one.kind),
        targets=f"{one.n_targets:,}",
        k=say_number(one.k),
        reliability=cell_of(one.reliability),
        observed=cell_of(one.observed),
        corrected=cell_of(one.corrected),
        alpha=cell_of(one.alpha),
        difference=difference_cell(one.difference),
    )
