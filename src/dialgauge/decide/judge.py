"""The verdict on one coefficient: where its interval lies, and what averaging or collecting more would make of it."""

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

from dialgauge.decide.expectation import targets_per_system_until, targets_until
from dialgauge.decide.policy import Requirement, Use
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.reml.odds import step_up

Verdict = Literal["trust", "average k raters", "collect n more", "do not use"]

Expected = Literal["pass", "rule out"]
"""What collecting more is expected to do to a use: to let it pass, or to rule it out."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""From the best to the worst."""

ROUNDING = 1e-9
"""Relative excess over a whole number that counts as rounding."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A coefficient on its way to a verdict.

    ``estimate`` is the reliability of a mean of ``k``; ``what`` says in words of what. ``counted`` names what k counts,
    ``per_target`` is the number of ratings per target, ``n`` the number of targets, and of targets per system with
    ``of_systems``.
    """

    estimate: Estimate
    k: float
    what: str
    counted: str
    n: float
    per_target: float
    of_systems: bool = False

    def odds(self, reliability: float) -> float:
        """Return the odds of one rating behind a ``reliability`` of the mean of k; none are negative."""
        return math.inf if reliability >= 1.0 else max(reliability, 0.0) / (1.0 - reliability) / self.k

    def at(self, k: float) -> "Candidate":
        """Return the same for the mean of ``k`` (Spearman 1910, Brown 1910)."""
        if k == self.k:
            return self
        e = self.estimate
        low, high = (None if end is None else step_up(self.odds(end), k) for end in (e.low, e.high))
        return replace(self, estimate=replace(e, value=step_up(self.odds(e.value), k), low=low, high=high), k=k)

    def needed(self, threshold: float) -> float:
        """Return the least whole number of which the mean has its lower limit at ``threshold``; may be infinite."""
        low = 0.0 if self.estimate.low is None else self.odds(self.estimate.low)
        wanted = threshold / (1.0 - threshold)
        if low == 0.0 or wanted / low > 1e9:
            return math.inf
        return float(max(1, math.ceil(wanted / low * (1.0 - ROUNDING))))


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict with its numbers and reasons.

    ``k`` is what to average over: the number that was looked at ("trust") or that is needed. ``n`` is how many
    ``n_unit`` more to collect; with ``n_is_least`` the expectation is beyond what the policy lets suggest. ``expected``
    says whether so many more are expected to let the use pass or to rule it out, None where n is a demand and no
    expectation. ``undecided`` says that nothing is known, which is why nothing is permitted. ``vetoes`` are those of
    the reasons that tell of a failed check.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    k: float | None = None
    n: int | None = None
    n_unit: str = ""
    n_is_least: bool = False
    expected: Expected | None = None
    undecided: bool = False
    vetoes: tuple[str, ...] = ()

    def capped(self, verdict: Verdict, reason: str, *, n: int | None = None, n_unit: str = "") -> "Outcome":
        """Return the worse of this verdict and ``verdict``; the reason is added either way."""
        reasons = (*self.reasons, reason)
        if VERDICTS.index(self.verdict) > VERDICTS.index(verdict):
            return replace(self, reasons=reasons)
        if self.verdict == verdict and self.n is not None and self.n_unit == n_unit and n is not None:
            return replace(self, reasons=reasons, n=max(self.n, n))
        if self.verdict == verdict:
            return replace(self, reasons=reasons)
        return replace(
            self, verdict=verdict, reasons=reasons, k=None, n=n, n_unit=n_unit, n_is_least=False, expected=None
        )

    def vetoed(self, reason: str) -> "Outcome":
        """Return a verdict that permits nothing; the reason tells of a failed check."""
        capped = self.capped("do not use", reason)
        return replace(capped, vetoes=(*self.vetoes, reason))


def number(value: float) -> str:
    """Write a coefficient: ``.812``, ``-.012``, ``1.000``."""
    text = f"{abs(value):.3f}"
    return ("-" if value < 0.0 and float(text) != 0.0 else "") + text.removeprefix("0")


def judge(candidate: Candidate, use: Use, requirement: Requirement) -> Outcome:
    """Return the verdict by the interval alone.

    Trust where the lower limit reaches the threshold; average where it does for a larger number within the policy's;
    do not use where even the upper limit of the largest number is below; else collect more.
    """
    threshold, estimate = requirement.threshold, candidate.estimate
    if estimate.low is None or estimate.high is None:
        reason = f"{candidate.what} is {number(estimate.value)} without an interval, and no interval means unknown"
        return Outcome("do not use", (reason,), undecided=True)
    seen = f"{candidate.what} is {number(estimate.value)}, {estimate.level * 100:g}% interval {_interval(estimate)}"
    if estimate.low >= threshold:
        reason = f"{seen}: the lower limit reaches {number(threshold)}"
        return Outcome("trust", (reason,), k=None if candidate.of_systems else candidate.k)
    if candidate.of_systems:
        return _judge_systems(candidate, seen, use, threshold)
    most = max(float(use.most_k), candidate.k)
    needed = candidate.needed(threshold)
    if needed <= most:
        reason = (
            f"{seen}: the lower limit is below {number(threshold)}, and that of the mean of {needed:g} "
            f"{candidate.counted}, {_ends(candidate.at(needed).estimate)[0]}, reaches it"
        )
        return Outcome("average k raters", (reason,), k=needed)
    return _judge_open(candidate, seen, use, threshold)


def _judge_open(candidate: Candidate, seen: str, use: Use, threshold: float) -> Outcome:
    """Judge where no lower limit reaches the threshold."""
    best = candidate.at(max(float(use.most_k), candidate.k))
    more_raters = best.k > candidate.k
    averaged = f" (of the mean of {best.k:g} {candidate.counted}: {_interval(best.estimate)})" if more_raters else ""
    if (best.estimate.high or 0.0) < threshold:
        return Outcome("do not use", (f"{seen}{averaged}: even the upper limit is below {number(threshold)}",))
    looked = candidate if candidate.estimate.value > threshold else best
    rises = looked.estimate.value > threshold
    end = looked.estimate.low if rises else looked.estimate.high
    value, limit, wanted = (looked.odds(x or 0.0) for x in (looked.estimate.value, end, threshold))
    total = targets_until(value, limit, wanted, n=looked.n, per_target=looked.per_target)
    n, least, more = _suggest(total - looked.n, use.most_more)
    mean = f" of the mean of {looked.k:g} {looked.counted}" if looked.k > candidate.k else ""
    if rises:
        hope = f"the lower limit{mean} is expected to reach it with {more} more targets, if the estimate stays as it is"
    else:
        hope = (
            f"the estimate{mean} is not above it, so more targets are expected to rule the use out: with {more} more, "
            "if the estimate stays as it is"
        )
    reason = f"{seen}{averaged}: the interval contains {number(threshold)}; {hope}"
    return Outcome(
        "collect n more",
        (reason,),
        k=looked.k if mean else None,
        n=n,
        n_unit="targets",
        n_is_least=least,
        expected="pass" if rises else "rule out",
    )


def _judge_systems(candidate: Candidate, seen: str, use: Use, threshold: float) -> Outcome:
    estimate = candidate.estimate
    best = candidate.at(candidate.k + use.most_more)
    if (best.estimate.high or 0.0) < threshold:
        reason = (
            f"{seen}: even {use.most_more:,} more targets per system leave the upper limit below {number(threshold)}"
        )
        return Outcome("do not use", (reason,))
    value, low = candidate.odds(estimate.value), (estimate.low or 0.0)
    total = targets_per_system_until(value, _signed_odds(low) / candidate.k, threshold, per_system=candidate.k)
    n, least, more = _suggest(total - candidate.k, use.most_more)
    reason = (
        f"{seen}: the lower limit is below {number(threshold)}; it is expected to reach it with {more} more targets "
        "per system, if the estimate stays as it is"
    )
    return Outcome("collect n more", (reason,), n=n, n_unit="targets per system", n_is_least=least, expected="pass")


def _signed_odds(reliability: float) -> float:
    return reliability / (1.0 - reliability) if reliability < 1.0 else math.inf


def _suggest(more: float, most: int) -> tuple[int, bool, str]:
    """Return what may be suggested, whether more than that is expected, and how the expectation is worded."""
    if more > most:
        return most, True, f"over {most:,}"
    n = max(1, math.ceil(more))
    return n, False, f"{n:,}"


def _interval(estimate: Estimate) -> str:
    return f"[{', '.join(_ends(estimate))}]"


def _ends(estimate: Estimate) -> tuple[str, str]:
    return number(estimate.low or 0.0), number(estimate.high or 0.0)
