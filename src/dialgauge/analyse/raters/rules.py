"""When a rater is worth a look, and the words for it.

Each rule with a test takes the p-values of all raters together (Benjamini and Hochberg 1995) and asks for a difference
that matters besides. Nothing here says that a rater did anything wrong.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from dialgauge.analyse.raters.conduct import Conduct
from dialgauge.analyse.raters.judgement import Judgement
from dialgauge.analyse.raters.limits import (
    FALSE_SHARE,
    LEAST_TIMED,
    MOSTLY_FAST,
    NO_AGREEMENT,
    NOISY,
    SEVERE,
    STRAIGHT,
)
from dialgauge.analyse.raters.records import Flag, Rule, Unit
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.raters.screening import adjust_p


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All that the rules look at: what was measured, its adjusted p-values by rule, and the unit of severity."""

    judgement: Judgement
    conduct: Conduct
    p: Mapping[Rule, Floats]
    unit: Unit

    @classmethod
    def of(cls, judgement: Judgement, conduct: Conduct, unit: Unit) -> Self:
        """Adjust the p-values of each rule for the number of raters."""
        return cls(
            judgement=judgement,
            conduct=conduct,
            p={
                "severity": adjust_p(judgement.severity_p),
                "noise": adjust_p(judgement.consistency_p),
                "agreement": adjust_p(judgement.agreement_p),
                "straight_lining": adjust_p(conduct.straight_p),
                "one_value": adjust_p(conduct.one_value_p),
            },
            unit=unit,
        )

    def p_of(self, j: int) -> dict[Rule, float]:
        """Return the adjusted p-values of the rater numbered ``j``, for the rules that it was tested by."""
        return {rule: float(p[j]) for rule, p in self.p.items() if not np.isnan(p[j])}

    def flags_of(self, j: int) -> tuple[Flag, ...]:
        """Return the rules that the rater numbered ``j`` meets."""
        reasons = {rule: write(self, j) for rule, write in _RULES.items()}
        p = self.p_of(j)
        return tuple(Flag(rule, reason, p.get(rule)) for rule, reason in reasons.items() if reason)

    def found(self, rule: Rule, j: int) -> bool:
        """Whether the test of ``rule`` finds the rater numbered ``j``."""
        return bool(self.p[rule][j] < FALSE_SHARE)


def _severity(evidence: Evidence, j: int) -> str:
    severity = evidence.judgement.severity[j]
    if isinstance(severity, Refusal) or abs(severity.in_sd) <= SEVERE or not evidence.found("severity", j):
        return ""
    higher = "higher" if severity.estimate.value > 0.0 else "lower"
    return (
        f"gives {higher} values than the others: {_interval(severity.estimate, _signed)} {evidence.unit}"
        + (f", that is {abs(severity.in_sd):.1f} standard deviations" if evidence.unit == "scale points" else "")
        + " of one rating"
    )


def _noise(evidence: Evidence, j: int) -> str:
    ratio = evidence.judgement.consistency[j]
    if isinstance(ratio, Refusal) or ratio.value < NOISY or not evidence.found("noise", j):
        return ""
    return f"residual variance {_interval(ratio, _plain)} times that of the others"


def _agreement(evidence: Evidence, j: int) -> str:
    correlation = evidence.judgement.agreement[j]
    if isinstance(correlation, Refusal) or correlation.value > NO_AGREEMENT or not evidence.found("agreement", j):
        return ""
    expected = float(evidence.judgement.expected_agreement[j])
    return (
        f"values hardly follow those of the others on the same targets: correlation {_interval(correlation, _plain)}, "
        f"where the others have {_plain(expected)}"
    )


def _straight_lining(evidence: Evidence, j: int) -> str:
    lines = evidence.conduct.straight[j]
    if isinstance(lines, Refusal) or lines.share < STRAIGHT or not evidence.found("straight_lining", j):
        return ""
    others = "" if lines.by_others is None else f", and the others do so for {lines.by_others:.0%}"
    return (
        f"one value for all dimensions of {lines.n_straight} of {lines.n_targets} targets; own use of the scale would "
        f"give {lines.by_chance:.0%}{others}"
    )


def _one_value(evidence: Evidence, j: int) -> str:
    if not evidence.found("one_value", j):
        return ""
    use = max(evidence.conduct.use[j], key=lambda use: len(use.dimensions))
    return f"one value, {use.low:g}, for all {sum(count for _, count in use.counts)} ratings"


def _speed(evidence: Evidence, j: int) -> str:
    speed, timing = evidence.conduct.speed[j], evidence.conduct.timing
    if isinstance(speed, Refusal) or timing is None or speed.n < LEAST_TIMED or speed.fast <= MOSTLY_FAST:
        return ""
    return (
        f"{round(speed.fast * speed.n)} of {speed.n} answers took less than {timing.threshold:.0f} seconds, a third of "
        f"the median of {timing.panel:.0f}; own median {speed.median:.0f}"
    )


_RULES: Mapping[Rule, Callable[[Evidence, int], str]] = {
    "one_value": _one_value,
    "straight_lining": _straight_lining,
    "speed": _speed,
    "noise": _noise,
    "agreement": _agreement,
    "severity": _severity,
}


def _signed(value: float) -> str:
    """Write a difference with its sign: ``+0.81``, ``−0.81``, ``+0.00``."""
    return f"{value:+z.2f}".replace("-", "−")


def _plain(value: float) -> str:
    """Write a number with two decimals and a true minus sign."""
    return f"{value:z.2f}".replace("-", "−")


def _interval(estimate: Estimate, write: Callable[[float], str]) -> str:
    if estimate.low is None or estimate.high is None:
        return write(estimate.value)
    return f"{write(estimate.value)} [{write(estimate.low)}, {write(estimate.high)}]"
