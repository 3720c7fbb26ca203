"""Dimensions and coefficients as they stand on the page: all texts are ready to print."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dialgauge.analyse.dstudy import Needed
from dialgauge.analyse.results import Check, Coefficient, DimensionReliability
from dialgauge.report.average import write_k
from dialgauge.report.needs import UNREACHED, needs_of, say_needed
from dialgauge.report.numerals import DASH, decimal, fixed, percent, plural, tiny
from dialgauge.report.text import clean, typeset
from dialgauge.report.words import BANDS, COEFFICIENTS, FACETS, FLAGS, MODELS, CoefficientName, coefficient_of
from dialgauge.stats.estimate import Estimate, Refusal

_SQUARES: tuple[CoefficientName, ...] = ("icc1_anova", "icc1_k_anova")


@dataclass(frozen=True, slots=True)
class Cell:
    """A coefficient as it stands in a table: the value, and its interval or what stands in its place."""

    value: str
    interval: str = ""
    title: str = ""
    method: str = ""
    covers: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A dimension as it stands in the table and in its details.

    ``forms`` are the coefficients of a complete table, each with its test; ``needs`` a wanted reliability with the
    raters it takes by the value and by its lower limit, ``unreached`` says what a dash among them means;
    ``ends_at_zero`` says that the profile interval of Rel(k) does.
    """

    name: str
    band: str
    mean: Cell
    shares: tuple[str, ...]
    rel_single: Cell
    rel_k: Cell
    alpha: Cell
    icc1: Cell
    model: str
    counts: str
    flags: tuple[str, ...]
    variances: tuple[tuple[str, str, str], ...]
    cells: tuple[Cell, ...]
    forms: tuple[tuple[Cell, str], ...]
    needs: tuple[tuple[str, str, str], ...]
    unreached: str
    checks: tuple[tuple[str, str], ...]
    fit: str
    findings: tuple[str, ...]
    ends_at_zero: bool


def make_row(d: DimensionReliability, facets: Iterable[str]) -> Row:
    """Return ``d`` in words, with a share of variance for each of ``facets``."""
    shares = d.variance.shares()
    parts = {f: getattr(d.variance, f) for f in shares}
    needs = needs_of(d)
    return Row(
        name=clean(d.name),
        band=d.band or DASH,
        mean=make_cell(d.mean, "mean", scale_units=True),
        shares=tuple(percent(shares[facet]) if facet in shares else DASH for facet in facets),
        rel_single=make_cell(d.rel_single),
        rel_k=make_cell(d.rel_k),
        alpha=make_cell(d.alpha_ordinal),
        icc1=make_cell(d.icc1),
        model=MODELS[d.model],
        counts=_say_counts(d),
        flags=tuple(FLAGS.get(flag, flag) for flag in d.flags),
        variances=tuple((FACETS[f], fixed(parts[f], 3), percent(shares[f])) for f in parts),
        cells=tuple(make_cell(coefficient, title) for coefficient, title in _list_coefficients(d)),
        forms=tuple(
            (make_cell(form.estimate, f"{form.name}: {form.words}"), _say_test(form.f, form.df1, form.df2, form.p))
            for form in d.complete_forms
        ),
        needs=tuple((_name_goal(n.wanted), _say_raters(n.by_value), _say_raters(n.by_lower_limit)) for n in needs),
        unreached=_say_unreached(needs),
        checks=tuple((clean(check.name), _say_check(check)) for check in d.checks),
        fit=f"REML criterion {fixed(d.fit.criterion, 4)}{_say_one_way(d.fit.criterion_one_way)}, "
        f"{plural(d.fit.iterations, 'evaluation')}, largest gradient {tiny(d.fit.max_gradient)}",
        findings=tuple(typeset(clean(finding)) for finding in d.findings),
        ends_at_zero=d.rel_k.low == 0.0 and "profile" in d.rel_k.method,
    )


def make_cell(coefficient: Coefficient, title: str = "", *, scale_units: bool = False) -> Cell:
    """Return ``coefficient`` in words, with as many decimals as it has in papers, or as one in ``scale_units`` has."""
    if not isinstance(coefficient, Estimate):
        return Cell(value=DASH, interval=clean(coefficient.reason), title=title)
    write = fixed if scale_units else decimal
    low, high = coefficient.low, coefficient.high
    return Cell(
        value=write(coefficient.value),
        interval=f"[{write(low)}, {write(high)}]" if low is not None and high is not None else "no interval",
        title=title,
        method=typeset(clean(coefficient.method)),
        covers=clean(coefficient.covers),
        flags=tuple(FLAGS[flag] for flag in coefficient.flags),
    )


def _list_coefficients(d: DimensionReliability) -> list[tuple[Coefficient, str]]:
    """Return the coefficients with their titles; what the forms of a complete table repeat is left to these."""
    forms = [form.estimate.value for form in d.complete_forms if isinstance(form.estimate, Estimate)]
    found: list[tuple[Coefficient, str]] = []
    for name, title in COEFFICIENTS.items():
        coefficient = coefficient_of(d, name)
        value = coefficient.value if isinstance(coefficient, Estimate) else math.nan
        if name not in _SQUARES or not any(math.isclose(value, form, abs_tol=1e-9) for form in forms):
            found.append((coefficient, title))
    if d.rel_k_ordinal is not None:
        found.append((d.rel_k_ordinal, "Rel(k), latent ordinal scale"))
    return found


def _say_counts(d: DimensionReliability) -> str:
    design = d.design
    sizes = [plural(design.n_ratings, "rating"), plural(design.n_targets, "target"), plural(design.n_raters, "rater")]
    return f"{sizes[0]} of {sizes[1]} by {sizes[2]}, {d.n_missing:,} missing; k = {write_k(d.k)}"


def _say_test(f: float, df1: float, df2: float, p: float) -> str:
    statistic = "∞" if math.isinf(f) else f"{f:.2f}"
    return f"F = {statistic}, df {df1:g} and {df2:g}, p {'< .001' if p < 0.0005 else f'= {decimal(p)}'}"


def _say_check(check: Check) -> str:
    first, second = (fixed(value, 6).rstrip("0").rstrip(".") for value in (check.first, check.second))
    if check.relation == "at_most":
        return f"{first}, {'not above' if check.holds else 'ABOVE'} {second}{', as it must be' if check.holds else ''}"
    return f"{first} and {second}: {'they agree' if check.holds else 'THEY DIFFER'}"


def _say_raters(needed: int | Refusal) -> str:
    return DASH if isinstance(needed, Refusal) else say_needed(needed)


def _say_unreached(needs: Sequence[Needed]) -> str:
    """Say what a dash in the table of raters means; nothing where there is none."""
    if any(isinstance(needed.by_value, Refusal) for needed in needs):
        return f"{DASH}: {UNREACHED} by any number of raters"
    if any(isinstance(needed.by_lower_limit, Refusal) for needed in needs):
        return f"{DASH}: {UNREACHED} beyond sampling error"
    return ""


def _name_goal(wanted: float) -> str:
    word = dict(BANDS).get(wanted)
    return f"{decimal(wanted, 2)} ({word})" if word else decimal(wanted, 2)


def _say_one_way(criterion: float | None) -> str:
    """Set the criterion of the one-way model beside it, where both were fitted to the same ratings."""
    return "" if criterion is None else f" (one-way {fixed(criterion, 4)})"
