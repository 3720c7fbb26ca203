"""What the numbers of a rater are called, and how they are written."""

from collections.abc import Mapping

from dialgauge.analyse.raters.records import RaterQuality, RaterReport, Rule
from dialgauge.report.numerals import plural
from dialgauge.report.text import clean
from dialgauge.report.words import say_kind

RULE_WORDS: Mapping[Rule, str] = {
    "one_value": "one value",
    "straight_lining": "straight lines",
    "speed": "speed",
    "noise": "scatter",
    "agreement": "agreement",
    "severity": "severity",
}
"""Short names of the rules, as they stand in tables."""

MEASURES: Mapping[str, str] = {
    "severity": "severity",
    "consistency": "scatter",
    "agreement": "agreement with the others",
    "straight_lining": "straight-lining",
    "halo": "halo",
    "speed": "speed",
}
"""The measures of a rater that may be refused, with their titles, in the order in which they are shown."""


def describe_raters(report: RaterReport) -> str:
    """Say in one line who rated what, on which scale."""
    design = report.design
    ratings = plural(sum(rater.n_ratings for rater in report.raters), "rating")
    parts = [
        f"{plural(len(report.raters), 'rater')} × {plural(design.n_targets, 'target')}",
        f"{ratings} of {plural(len(report.dimensions) + len(report.refused), 'dimension')}",
        say_kind(design),
    ]
    if design.kind != "disconnected":
        parts.append("connected" if design.connected else f"{design.n_components} groups that share nothing")
    return clean(", ".join([*parts, f"scale {report.scale}"]))


def conclude_raters(report: RaterReport) -> str:
    """Say in one or two sentences what the page is about to show."""
    n, flagged = len(report.raters), report.flagged
    if not flagged:
        return f"None of the {plural(n, 'rater')} stands out by any rule."
    counts = {word: sum(any(f.rule == rule for f in r.flags) for r in flagged) for rule, word in RULE_WORDS.items()}
    parts = ", ".join(f"{word} {count}" for word, count in counts.items() if count)
    verb = "is" if len(flagged) == 1 else "are"
    return f"{len(flagged)} of {plural(n, 'rater')} {verb} worth a look ({parts}); the others meet no rule."


def say_k(report: RaterReport) -> str:
    """Return the number of raters that Rel(k) averages over, such as ``5.20``, or ``4.00 to 5.20``."""
    low, high = (f"{end(report.k.values()):.2f}".removesuffix(".00") for end in (min, max))
    return low if low == high else f"{low} to {high}"


def say_rules(rater: RaterQuality) -> str:
    """Return the short names of the rules that ``rater`` meets."""
    return ", ".join(RULE_WORDS[flag.rule] for flag in rater.flags)
