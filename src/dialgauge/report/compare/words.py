"""How differences between systems are called and written, wherever they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dialgauge.analyse.compare import ComparedMeasure, Difference, SystemsComparison
from dialgauge.analyse.compare.records import Family, SystemMean
from dialgauge.report.abilities.words import name_of
from dialgauge.report.abilities.words import title_of as title_of_measure
from dialgauge.report.numerals import DASH, MINUS, decimal, fixed, plural
from dialgauge.report.text import clean, join, typeset
from dialgauge.stats.compare import RankInterval
from dialgauge.stats.estimate import Estimate, Refusal

FAMILIES: Mapping[Family, str] = {
    "acceptance": "Acceptance by the user",
    "recommendation": "Recall of the last ranking",
    "success": "Success by turn",
    "sincerity": "Sincerity",
    "reliability": "Replies to a paraphrase",
    "rated": "Rated",
    "ability": "Abilities, 0 to 5",
}

ROUTES = {"mixed": "mixed model", "clustered": "clustered"}

COMPONENTS: Mapping[str, str] = {
    "persona": "persona",
    "preference": "preference",
    "persona x system": "persona × system",
    "preference x system": "preference × system",
    "dialogue": "dialogue",
    "rater": "rater",
    "rater x system": "rater × system",
    "residual": "residual",
}

NOT_SHOWN = "not shown"

ROUNDING, MORE_DIGITS = 1e-9, 6
"""Below the first a number is 0; above, an end of an interval has so many more digits rather than be printed as 0."""

MOST_MEASURES = 3
"""Measures that the verdict names for a pair."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What could not be compared or worked out, why, and what would help."""

    what: str
    reason: str
    remedy: str


def title_of(measure: ComparedMeasure | str) -> str:
    """Return what a measure is called in tables; an ability has no prefix, a rated dimension its own name."""
    name = measure if isinstance(measure, str) else measure.name
    if name.startswith("ability:"):
        return name_of(name.removeprefix("ability:"))
    if not isinstance(measure, str) and measure.family == "rated":
        return clean(name.replace("_", " "))
    return clean(title_of_measure(name))


def say_better(measure: ComparedMeasure) -> str:
    """Say which end of a measure is better."""
    return {
        "higher_is_better": "higher is better",
        "lower_is_better": "lower is better",
        "neutral": "neither end is better",
    }[measure.direction]


def write_value(value: float, measure: ComparedMeasure) -> str:
    """Write a mean: shares without the zero before the point. What is not 0 has the digits that say so."""
    digits = usual = 3 if measure.unit == "share" else 2
    while abs(value) > ROUNDING and round(abs(value), digits) == 0.0 and digits < usual + MORE_DIGITS:
        digits += 1
    return decimal(value, digits) if measure.unit == "share" else fixed(value, digits)


def write_gap(value: float, measure: ComparedMeasure) -> str:
    """Write a difference with its sign, such as ``+.12`` or ``−0.40``."""
    text = write_value(abs(value), measure)
    if not text.strip("0."):
        return text
    return f"{'+' if value > 0.0 else MINUS}{text}"


def write_mean(mean: SystemMean, measure: ComparedMeasure) -> str:
    """Write a mean with its interval."""
    found = mean.mean
    value = write_value(found.value, measure)
    if found.low is None or found.high is None:
        return value
    return f"{value} [{write_value(found.low, measure)}, {write_value(found.high, measure)}]"


def write_ends(found: Estimate, measure: ComparedMeasure) -> str:
    """Write the interval of a difference in brackets, or a dash."""
    if found.low is None or found.high is None:
        return DASH
    return f"[{write_gap(found.low, measure)}, {write_gap(found.high, measure)}]"


def write_rank(rank: RankInterval) -> str:
    """Write a rank with its interval: ``1 [1, 2]``."""
    return f"{rank.rank:g} [{rank.low}, {rank.high}]"


def write_p(p: float) -> str:
    """Write a p-value: three decimals, ``<.001`` below that."""
    return "<.001" if p < 0.001 else decimal(p)


def say_verdict(difference: Difference, measure: ComparedMeasure) -> str:
    """Return the verdict with the name of the better system, or that no difference is shown."""
    if difference.verdict == "not shown":
        return NOT_SHOWN
    name = difference.first if difference.verdict == "first" else difference.second
    return f"{clean(name)} {word_of(measure)}"


def word_of(measure: ComparedMeasure) -> str:
    """Return what is said of the better system; where neither end is better, of the higher one."""
    return "is higher" if measure.direction == "neutral" else "is better"


def say_margin(difference: Difference, margin: float | None, measure: ComparedMeasure) -> str:
    """Say whether the difference is within the margin; nothing where there is none."""
    if margin is None or difference.within_margin is None:
        return ""
    width = f"±{write_value(margin, measure)}"
    return f"within {width}" if difference.within_margin else f"not shown to be within {width}"


def say_pair(difference: Difference) -> str:
    """Return both systems, the second subtracted."""
    return f"{clean(difference.first)} {MINUS} {clean(difference.second)}"


def say_difference(difference: Difference, measure: ComparedMeasure, margin: float | None) -> str:
    """Say in a sentence what a difference comes to; where none is shown, what can be ruled out."""
    first, second, title = clean(difference.first), clean(difference.second), title_of(measure)
    ends = difference.simultaneous
    size = write_value(abs(difference.difference.value), measure)
    if difference.verdict != "not shown":
        better, other = (first, second) if difference.verdict == "first" else (second, first)
        word = "higher" if measure.direction == "neutral" else "better"
        said = f"{better} is {word} than {other} on {title}, by {size}{_between(difference, measure)}."
    elif ends.low is None or ends.high is None:
        said = f"Nothing can be said of the difference between {first} and {second} on {title}: there is no interval."
    elif ends.low > 0.0 or ends.high < 0.0:
        said = (
            f"On {title} the interval of {first} less {second} ({write_gap(ends.low, measure)} to "
            f"{write_gap(ends.high, measure)}) leaves 0 out, but among all comparisons of this table the difference is "
            "not shown: asked alone, with --measure named beforehand, it would be."
        )
    else:
        said = (
            f"On {title} no difference between {first} and {second} is shown, which does not make them alike. "
            f"{_rule_out(ends.low, ends.high, difference, measure)}"
        )
    if difference.within_margin:
        said += f" They are within {write_value(margin or 0.0, measure)} of each other, by the interval of all pairs."
    return typeset(said)


def _between(difference: Difference, measure: ComparedMeasure) -> str:
    ends = difference.simultaneous
    if ends.low is None or ends.high is None:
        return ""
    low, high = sorted((abs(ends.low), abs(ends.high))) if ends.low * ends.high > 0.0 else (ends.low, ends.high)
    return (
        f" ({ends.level * 100:g}% interval for all pairs {write_value(low, measure)} to {write_value(high, measure)})"
    )


def _rule_out(low: float, high: float, difference: Difference, measure: ComparedMeasure) -> str:
    first, second = clean(difference.first), clean(difference.second)
    parts = []
    if high < measure_range(measure):
        parts.append(f"{first} being more than {write_value(max(high, 0.0), measure)} above {second}")
    if low > -measure_range(measure):
        parts.append(f"more than {write_value(max(-low, 0.0), measure)} below it")
    if not parts:
        return "Nothing can be ruled out."
    said = " or ".join(parts)
    if not said.startswith(first):
        said = f"{first} being {said.replace('below it', f'below {second}')}"
    return f"What can be ruled out is {said}."


def measure_range(measure: ComparedMeasure) -> float:
    """Return the greatest difference that there could be."""
    return measure.bounds[1] - measure.bounds[0]


def say_size(found: SystemsComparison) -> str:
    """Say what was compared: systems, dialogues, personas, preferences, comparisons."""
    counts = [system.n_dialogues for system in found.systems]
    alike = len(set(counts)) == 1
    each = plural(counts[0], "dialogue") if alike else f"{min(counts)} to {plural(max(counts), 'dialogue')}"
    head = f"{clean(found.data_set)}: " if found.data_set else ""
    parts = [f"{head}{plural(len(counts), 'system')}", f"{each} each"]
    parts += [plural(len(found.measures), "measure"), plural(found.n_comparisons, "comparison")]
    return ", ".join(parts)


def conclude(found: SystemsComparison) -> str:
    """Say in a sentence or two how many comparisons show a better system, and for whom."""
    n = found.n_comparisons
    shown = [(d, m) for m in found.measures for d in m.differences if d.verdict != "not shown"]
    if not n:
        return "Nothing could be compared; the reasons are given below."
    rest = n - len(shown)
    if not shown:
        return (
            f"No difference is shown in {plural(n, 'comparison')}. That does not make the systems alike: the intervals "
            "say what can be ruled out."
        )
    wins: dict[tuple[str, str], list[str]] = {}
    for d, m in shown:
        pair = (d.first, d.second) if d.verdict == "first" else (d.second, d.first)
        wins.setdefault(pair, []).append(title_of(m))
    order = sorted(wins.items(), key=lambda item: -len(item[1]))
    if len(order) <= MOST_PAIRS:
        said = "; ".join(f"{clean(a)} over {clean(b)} on {_name_some(titles)}" for (a, b), titles in order)
        first = f"Shown to be better: {said}."
    else:
        on = _name_some([title_of(m) for _, m in shown])
        first = f"Of {n} comparisons {len(shown)} show a better system, on {on}."
    return f"{first} {_say_rest(rest)}" if rest else first


def _name_some(titles: Sequence[str]) -> str:
    names = list(dict.fromkeys(titles))
    if len(names) <= MOST_MEASURES:
        return join(names)
    return f"{', '.join(names[:MOST_MEASURES])} and {len(names) - MOST_MEASURES} more"


MOST_PAIRS = 3
"""Pairs of systems that the verdict names."""


def _say_rest(rest: int) -> str:
    return f"In {plural(rest, 'comparison')} no difference is shown, which does not make the systems alike."


def say_family(found: SystemsComparison) -> str:
    """Say what the verdicts are held to."""
    measures = plural(len(found.measures), "measure")
    if found.n_comparisons == 1:
        return "The verdict is that of one comparison."
    if len(found.measures) == 1:
        return f"Verdicts are held to all {plural(found.n_comparisons, 'pair')} of systems together."
    named = "named beforehand" if found.declared else "none was named beforehand with --measure"
    return (
        f"Verdicts are held to all {plural(found.n_comparisons, 'comparison')} of the table together ({measures}; "
        f"{named})."
    )


def list_gaps(found: SystemsComparison) -> list[Gap]:
    """Return what could not be compared, for whom, and what no number of dialogues would show."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for refused in found.refused:
        reasons.setdefault((refused.reason, refused.remedy), []).append(title_of(refused.name))
    for measure in found.measures:
        for left in measure.left_out:
            what = f"{title_of(measure)} of {clean(left.system)}"
            reasons.setdefault((left.reason, left.remedy), []).append(what)
        if isinstance(measure.needed, Refusal):
            what = f"what a difference takes on {title_of(measure)}"
            reasons.setdefault((measure.needed.reason, measure.needed.remedy), []).append(what)
    return [
        Gap(join(list(dict.fromkeys(names))), typeset(clean(reason)), typeset(clean(remedy)))
        for (reason, remedy), names in reasons.items()
    ]


def systems_of(found: SystemsComparison) -> list[str]:
    """Return the names of the systems as they can be printed."""
    return [clean(system.system) for system in found.systems]


def mean_of(measure: ComparedMeasure, system: str) -> SystemMean | None:
    """Return the mean of a system; None where it was left out of this measure."""
    return next((mean for mean in measure.means if mean.system == system), None)


def by_family(found: SystemsComparison) -> list[tuple[Family, Sequence[ComparedMeasure]]]:
    """Return the measures by family, in the order in which they were compared."""
    families = dict.fromkeys(measure.family for measure in found.measures)
    return [(family, [m for m in found.measures if m.family == family]) for family in families]
