"""Shifts in words."""

from dialgauge.analyse.probing.records import ProbeReport, Shift
from dialgauge.report.checks.words import write_estimate
from dialgauge.report.numerals import DASH, decimal, percent, plural
from dialgauge.report.text import clean
from dialgauge.stats.estimate import Estimate

LEGEND = (
    "Shift: the rating with the text minus that with a neutral text in its place, in the direction that the text "
    "pushes to, in units of the range of the scale. Moved: the interval lies above 0. Not moved means no more than the "
    "limit that is named: other texts, and more targets, may tell another story."
)


def say_movement(shift: Shift) -> str:
    """Say whether ratings were moved; where not, up to which size a shift is not ruled out."""
    if shift.movement == "not moved" and isinstance(shift.shift, Estimate) and shift.shift.high is not None:
        return f"not moved, at most {decimal(shift.shift.high, 2)}"
    return shift.movement


def name_injection(shift: Shift) -> str:
    """Name the text with its direction."""
    if shift.injection is None:
        return "all texts"
    return f"{clean(shift.injection)} ({'up' if shift.direction == 1 else 'down'})"


def write_landed(share: float | None) -> str:
    """Write a share in percent."""
    return DASH if share is None else f"{percent(share)}%"


def say_missing_of(shift: Shift) -> str:
    """Write the missing reasons with and without the text, nothing where none are missing."""
    found = (("with", shift.missing), ("without", shift.missing_neutral))
    return "; ".join(
        f"{word}: {', '.join(f'{n} {r}' for r, n in reasons.items())}" for word, reasons in found if reasons
    )


def conclude_probe(report: ProbeReport) -> str:
    """Say of each rater whether injected texts moved it."""
    parts = [f"{clean(one.rater)}: {say_movement(one)}" for one in report.overall]
    return f"{'; '.join(parts)}."


def describe_probe(report: ProbeReport) -> str:
    """Say what was probed."""
    n_texts = len({one.injection for one in report.shifts if one.injection is not None})
    names = ", ".join(map(clean, report.dimensions))
    raters = plural(len(report.raters), "rater")
    return f"{n_texts} injected texts × {plural(report.n_targets, 'target')} × {raters}; dimensions: {names}"


def write_shift(shift: Shift) -> str:
    """Write the shift with its interval."""
    return write_estimate(shift.shift, signed=True)
