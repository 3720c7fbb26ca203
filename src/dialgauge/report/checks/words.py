"""Checks in words: a row for each rater and check, the sentences on what failed, and on what was not made."""

from dataclasses import dataclass

from dialgauge.analyse.checking.records import (
    CONSTANT,
    HALO,
    KEYS,
    KNOWN,
    LENGTH,
    MASS,
    SELF,
    Contrast,
    RaterChecks,
)
from dialgauge.model import RaterCheck
from dialgauge.report.checks.biases import BiasSummary, summarise_biases
from dialgauge.report.checks.numbers import two_digits
from dialgauge.report.checks.numbers import write_estimate as write_estimate  # noqa: PLC0414 (others take it from here)
from dialgauge.report.numerals import drop_zeros, percent, plural
from dialgauge.report.text import clean, typeset
from dialgauge.stats.estimate import Estimate

RULES = {
    CONSTANT: "fails where one value takes 99% of the ratings or more (of at least ten targets)",
    KEYS: "fails where half of the steps from key to key go one point, and permutations of the same answers hardly do",
    MASS: "fails where over a tenth of the ratings have less than .9 of the probability on the scale",
    "free against constrained answers": "fails where the whole interval lies beyond .05 of the range",
    "order of the questions": "fails where the whole interval lies beyond .05 of the range",
    HALO: "fails where the whole interval of the change lies beyond .10",
    "order of the answers": "fails where the whole interval lies beyond .05 of the range",
    LENGTH: "fails where the whole interval of the difference from others lies beyond .05 of the range per doubling",
    SELF: "fails where the whole interval of the difference from others lies beyond .05 of the range",
    KNOWN: "passes where the lower limit of the share of right pairs is above .50, and the test by triplets agrees",
}
"""The rule of each check, in words."""


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check of one rater: how many dimensions passed and failed, and what was found, ready to print."""

    rater: str
    check: str
    passed: int
    failed: int
    found: str

    @property
    def word(self) -> str:
        """Say how it ended."""
        return f"{self.failed} failed" if self.failed else "passed"


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """What a page on something else shows of the checks."""

    verdict: str
    rows: tuple[CheckRow, ...]
    failed: tuple[str, ...]
    not_made: tuple[str, ...]
    level: str
    biases: BiasSummary | None


def summarise_checks(found: RaterChecks, *, full: bool = False) -> CheckSummary:
    """Return what the section on checks shows, with ``full`` also biases by dimension; all names are cleaned."""
    return CheckSummary(
        verdict=conclude_checks(found),
        rows=tuple(list_rows(found)),
        failed=tuple(say_check(check) for check in found.failed),
        not_made=tuple(say_not_made(found)),
        level=f"{found.level * 100:g}",
        biases=summarise_biases(found, full=full),
    )


def conclude_checks(found: RaterChecks) -> str:
    """Say how many checks were passed and failed."""
    failed = len(found.failed)
    raters = plural(len(found.raters), "model rater")
    if not found.raters:
        return "No model rater to check."
    if not found.checks:
        return f"{raters}: nothing could be checked yet."
    tail = f", {failed} failed" if failed else ""
    return f"{raters}, {plural(len(found.checks), 'check')}: {len(found.checks) - failed:,} passed{tail}."


def list_rows(found: RaterChecks) -> list[CheckRow]:
    """Return a row for each rater and check, in their order."""
    grouped: dict[tuple[str, str], list[RaterCheck]] = {}
    for check in found.checks:
        grouped.setdefault((check.rater, check.check), []).append(check)
    return [
        CheckRow(
            rater=clean(rater),
            check=check,
            passed=sum(one.passed for one in ones),
            failed=sum(not one.passed for one in ones),
            found=_summary(found, rater, check),
        )
        for (rater, check), ones in grouped.items()
    ]


def say_check(check: RaterCheck) -> str:
    """Say in a sentence what a check found."""
    where = f", {clean(check.dimension)}" if check.dimension else ""
    return typeset(f"{clean(check.rater)}, {check.check}{where}: {drop_zeros(clean(check.detail))}.")


def say_not_made(found: RaterChecks) -> list[str]:
    """Say which checks were not made and why, raters with the same reason together."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for one in found.not_made:
        grouped.setdefault((one.check, one.reason), []).append(clean(one.rater))
    every = len(found.raters)
    return [
        f"{check}: {reason}" + ("." if len(raters) == every else f" ({', '.join(raters)}).")
        for (check, reason), raters in grouped.items()
    ]


def _summary(found: RaterChecks, rater: str, check: str) -> str:
    """Write the number of a check that says most, over all dimensions."""
    if check == CONSTANT:
        top = max((c for c in found.constants if c.rater == rater), key=lambda c: c.share)
        return f"most frequent value at most {percent(top.share)}%"
    if check == KEYS:
        (key_order,) = (k for k in found.key_orders if k.rater == rater)
        return f"{percent(key_order.share)}% of steps, by chance {percent(key_order.by_chance)}%"
    if check == MASS:
        masses = [m for m in found.masses if m.rater == rater]
        worst, least = max(m.below for m in masses), min(m.median for m in masses)
        return f"at most {percent(worst)}% below .9, least median {two_digits(least)}"
    if check == HALO:
        (halo,) = (h for h in found.halos if h.rater == rater)
        return f"{write_estimate(halo.change, signed=True)} in correlation"
    if check == KNOWN:
        (groups,) = (g for g in found.known_groups if g.rater == rater)
        return f"{write_estimate(groups.right)} in order"
    return _difference(found, rater, check)


def _difference(found: RaterChecks, rater: str, check: str) -> str:
    """Write the difference from a variant or from others over all dimensions, or the first where there is none."""
    if check == LENGTH:
        slopes = (one.difference for one in found.lengths if one.rater == rater)
        return f"{write_estimate(next(s for s in slopes if isinstance(s, Estimate)), signed=True)} per doubling"
    if check == SELF:
        own = next(one for one in found.self_preferences if one.rater == rater)
        return f"{write_estimate(own.preference, signed=True)} of the range"
    (whole,) = (c for c in found.contrasts if (c.rater, c.check, c.dimension) == (rater, check, None))
    return f"{write_estimate(whole.difference, signed=True)} of the range"


def say_missing(contrast: Contrast) -> str:
    """Write the missing reasons before and after, nothing where none are missing."""
    parts = [
        f"{where} {', '.join(f'{n} {reason}' for reason, n in reasons.items())}"
        for where, reasons in (("before:", contrast.missing), ("after:", contrast.missing_variant))
        if reasons
    ]
    return "; ".join(parts)
