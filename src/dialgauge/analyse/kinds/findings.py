"""Plain sentences for what changes a conclusion: about two kinds of rater, a dimension, and all of them."""

from collections.abc import Sequence

from dialgauge.analyse.findings import number
from dialgauge.analyse.kinds.pairs import PairOfKinds, PerfectCorrelation, Worth
from dialgauge.analyse.kinds.records import DimensionKinds, KindReliability
from dialgauge.analyse.results import Coefficient
from dialgauge.stats.estimate import Estimate, Refusal

SURE = 0.05
"""Below this p a perfect correlation is ruled out."""

HIGH = 0.8
"""A correlation of target effects from which two kinds see much the same."""

MOST_NAMES = 4


def findings_of_pair(pair: PairOfKinds, kinds: Sequence[KindReliability]) -> tuple[str, ...]:
    """Return the sentences that change the reading of one pair."""
    return (*_correlation(pair), *_perfect(pair), *_difference(pair, kinds), *_worth(pair, kinds))


def findings_of_dimension(d: DimensionKinds) -> tuple[str, ...]:
    """Return the sentences about the kinds of one dimension, each by itself."""
    found = [f"{one.kind} is left out: {one.reason}." for one in d.left_out]
    for kind in d.kinds:
        found += [*_own_view(kind), *_few(kind), *_edges(kind)]
        if kind.n_missing:
            found.append(
                f"{kind.n_missing} of {kind.n_missing + kind.design.n_ratings} ratings by {kind.kind} are missing and "
                "were left out."
            )
    return tuple(found)


def findings_of_study(dimensions: Sequence[DimensionKinds]) -> tuple[str, ...]:
    """Return the sentences that hold for the whole table, one for each pair of kinds."""
    by_pair: dict[tuple[str, str], list[tuple[str, Estimate, PairOfKinds]]] = {}
    for d in dimensions:
        for pair in d.pairs:
            if isinstance(pair.correlation, Estimate):
                by_pair.setdefault((pair.first, pair.second), []).append((d.name, pair.correlation, pair))
    found = []
    for (first, second), rows in by_pair.items():
        high = [name for name, rho, _ in rows if rho.low is not None and rho.low >= HIGH]
        apart = [name for name, _, pair in rows if _ruled_out(pair)]
        found.append(
            f"{first} and {second} see much the same in the targets (correlation without noise at least .80, beyond "
            f"sampling error) on {_of(high, len(rows))}; that they see exactly the same is ruled out on "
            f"{_of(apart, len(rows))}."
        )
    return tuple(found)


def _of(names: Sequence[str], n: int) -> str:
    shown = ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
    return f"{len(names)} of {n} dimensions" + (f" ({shown})" if names and len(names) < n else "")


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "without an interval"
    return f"{estimate.level:.0%} interval {number(estimate.low)} to {number(estimate.high)}"


def _correlation(pair: PairOfKinds) -> list[str]:
    names, observed = f"{pair.first} and {pair.second}", _observed(pair)
    if isinstance(pair.correlation, Estimate):
        rho = pair.correlation
        if (rho.low, rho.high) == (-1.0, 1.0):
            return [f"These ratings do not tell whether {names} see the same in the targets: any correlation fits."]
        edge = ", the edge of what is possible" if "boundary" in rho.flags else ""
        sentence = (
            f"Once noise is taken out, what {names} see in the targets correlates {number(rho.value)}{edge} "
            f"({_interval(rho)}).{observed}"
        )
        return [sentence]
    if isinstance(pair.correlation_as_rated, Estimate):
        rho = pair.correlation_as_rated
        sentence = (
            f"{names} correlate {number(rho.value)} ({_interval(rho)}) with the noise of single ratings left in, "
            f"since a kind has one rating per target: what they see in common may be more.{observed}"
        )
        return [sentence]
    return [f"How far {names} see the same in the targets cannot be told: {_reason(pair.correlation)}."]


def _reason(coefficient: Coefficient) -> str:
    return coefficient.reason if isinstance(coefficient, Refusal) else ""


def _observed(pair: PairOfKinds) -> str:
    if not isinstance(pair.observed, Estimate):
        return ""
    sentence = f" Their observed means correlate {number(pair.observed.value)}"
    if pair.ceiling is None:
        return sentence + ", which noise has lowered."
    return sentence + f"; noise alone would bring a perfect correlation down to about {number(pair.ceiling)}."


def _ruled_out(pair: PairOfKinds) -> bool:
    return isinstance(pair.perfect, PerfectCorrelation) and pair.perfect.p < SURE


def _perfect(pair: PairOfKinds) -> list[str]:
    if not isinstance(pair.perfect, PerfectCorrelation):
        return []
    p = "p < .001" if pair.perfect.p < 0.001 else f"p = {number(pair.perfect.p)}"  # below what three decimals show
    if _ruled_out(pair):
        return [f"They do not see exactly the same: a correlation of 1 is ruled out ({p})."]
    return [f"That they see exactly the same is not ruled out ({p}), which does not prove it."]


def _difference(pair: PairOfKinds, kinds: Sequence[KindReliability]) -> list[str]:
    d = pair.difference
    if isinstance(d, Refusal) or d.low is None or d.high is None:
        return []
    few = [k for k in kinds if k.kind in {pair.first, pair.second} and 1 < k.design.n_raters < 6]  # as in Design
    rests = ""
    if few:
        rests = f" It rests on {few[0].design.n_raters} raters of {few[0].kind} and hardly speaks for others."
    if d.low <= 0.0 <= d.high:
        sentence = (
            f"{pair.second} and {pair.first} do not differ in their means beyond sampling error (difference "
            f"{number(d.value)}, {_interval(d)}).{rests}"
        )
        return [sentence]
    word = "higher" if d.value > 0.0 else "lower"
    return [f"{pair.second} rates {number(abs(d.value))} {word} than {pair.first} ({_interval(d)}).{rests}"]


def _worth(pair: PairOfKinds, kinds: Sequence[KindReliability]) -> list[str]:
    if not isinstance(pair.worth, Worth) or not isinstance(pair.worth.equal, Estimate):
        return []
    units = {k.kind: "raters" if k.basis == "raters" else "ratings of the one rater" for k in kinds}
    found = [f"{_equal(pair.worth.equal, pair, units)}, each held against its own kind's view."]
    if isinstance(pair.worth.stand_in, Refusal):
        return [*found, f"As stand-ins for {pair.first}: {pair.worth.stand_in.reason}."]
    if pair.worth.stand_in <= 1.0:
        single = "rater" if units[pair.second] == "raters" else "rating of the one rater"
        return [*found, f"To stand in for one rater of {pair.first} one {single} of {pair.second} is enough."]
    takes = f"{pair.worth.stand_in:.1f} {units[pair.second]} of {pair.second}"
    return [*found, f"To stand in for one rater of {pair.first} it takes {takes}."]


def _equal(equal: Estimate, pair: PairOfKinds, units: dict[str, str]) -> str:
    """Say which one is worth several of the other, so that the number is not below 1."""
    one, other, value, low, high = pair.first, pair.second, equal.value, equal.low, equal.high
    if value < 1.0:
        one, other, value = other, one, 1.0 / value
        low, high = (None if end is None else 1.0 / end for end in (equal.high, equal.low))
    interval = "without an interval"
    if low is not None and high is not None:
        interval = f"{equal.level:.0%} interval {low:.1f} to {high:.1f}"
    single = "rater" if units[one] == "raters" else "rating of the one rater"
    return f"One {single} of {one} is as reliable as {value:.1f} {units[other]} of {other} ({interval})"


def _own_view(kind: KindReliability) -> list[str]:
    if kind.basis == "raters":
        return []
    one = kind.design.n_raters == 1
    name = "" if kind.raters[0] == kind.kind else f" ({kind.raters[0]})"
    who = f"{kind.kind} is one rater{name}" if one else f"Each target has one rater of {kind.kind}"
    found = [f"{who}: its own view cannot be told from what raters of that kind share, so all figures are its own."]
    if kind.basis == "identical":
        found.append(
            f"All replicates by {kind.kind} are equal and count as one rating: repeating itself is no evidence of "
            "being right."
        )
    return found


def _few(kind: KindReliability) -> list[str]:
    if "few_raters" not in kind.flags or kind.design.n_raters == 1:
        return []
    sentence = (
        f"With {kind.design.n_raters} raters of {kind.kind} their severity is hardly identified: the relative figures "
        "(these raters only) are the safer reading."
    )
    return [sentence]


def _edges(kind: KindReliability) -> list[str]:
    found = []
    if kind.variance.target == 0.0:
        found.append(f"{kind.kind} does not tell the targets apart: their variance is estimated as exactly zero.")
    if kind.variance.rater == 0.0:
        found.append(f"Raters of {kind.kind} are estimated to be equally severe, the edge of what is possible.")
    return found
