"""Verdicts as they are shown: words with a mark, the reasons behind them, and the uses that have a column of them."""

from collections.abc import Mapping

from dialgauge.decide.decisions import Decision, Decisions
from dialgauge.decide.judge import VERDICTS, Verdict
from dialgauge.decide.policy import Use
from dialgauge.report.numerals import MINUS, drop_zeros
from dialgauge.report.text import clean, typeset

MARKS: Mapping[Verdict, str] = {"trust": "✓", "average k raters": "≈", "collect n more": "+", "do not use": "✗"}
"""Beside the words, so that a column can be skimmed."""

UNKNOWN, UNLIKELY = "?", MINUS

LEGEND = (
    "✓ the lower limit reaches the threshold; ≈ it does for the mean of so many raters (or replicates of one rater); "
    "+ the interval contains the threshold, and so many more targets are expected to pass it; "
    f"{UNLIKELY} it contains it, and so many more are expected to rule the use out; ✗ it lies below, or something "
    "speaks against it; ? not known, so not permitted."
)

_CLASSES: Mapping[Verdict, str] = dict(zip(VERDICTS, ("trust", "average", "collect", "refuse"), strict=True))


def say_verdict(decision: Decision, *, short: bool = False) -> str:
    """Write a verdict with its mark, which is another one where nothing is known; ``short`` for narrow columns."""
    words = decision.words
    if decision.expected == "rule out":
        count = f"{'>' if decision.n_is_least else ''}{decision.n:,}"
        return f"{UNLIKELY} {f'unlikely ({count} to rule out)' if short else words}"
    if short:
        words = words.removesuffix(f" {decision.unit}").replace(" more ", " ").replace("over ", ">")
    return f"{UNKNOWN if decision.undecided else MARKS[decision.verdict]} {words}"


def class_of(decision: Decision) -> str:
    """Return the class of a verdict on the page, for its colour."""
    return "unlikely" if decision.expected == "rule out" else _CLASSES[decision.verdict]


def say_reasons(decision: Decision, *, vetoes: bool = True) -> str:
    """Write all reasons as one paragraph; without ``vetoes`` those that are no failed checks."""
    shown = [reason for reason in decision.reasons if vetoes or reason not in decision.vetoes]
    return " ".join(map(say_reason, shown))


def say_reason(reason: str) -> str:
    """Write one reason as a sentence."""
    return f"{drop_zeros(typeset(clean(reason[0].upper() + reason[1:])))}."


def split_uses(decisions: Decisions) -> tuple[tuple[Use, ...], tuple[str, ...]]:
    """Return the uses that have a column of verdicts, and a sentence on each that is unknown throughout, with why.

    Where nothing is known of any use, all have columns.
    """
    unknown: dict[str, str] = {}
    for use in decisions.uses:
        found = [d for d in decisions.decisions if d.use == use.name]
        reasons = {say_reasons(d, vetoes=False) for d in found}
        if len(reasons) == 1 and all(d.undecided for d in found):
            unknown[use.name] = f"{UNKNOWN} {clean(use.name)}, not permitted for any dimension. {reasons.pop()}"
    shown = tuple(use for use in decisions.uses if use.name not in unknown)
    return (shown, tuple(unknown.values())) if shown else (decisions.uses, ())
