"""One HTML page that stands alone: verdict, table, figures, details, methods, and how the ratings were read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from dialgauge.analyse.results import Coefficient, DimensionReliability, Reliability
from dialgauge.report.figures import draw_all
from dialgauge.report.numerals import DASH, decimal, fixed, percent
from dialgauge.report.sentences import (
    asks_for_k,
    conclude,
    describe_design,
    group_findings,
    list_gaps,
    say_k,
    say_ratings,
)
from dialgauge.report.steps import RatersNeeded, raters_needed
from dialgauge.report.text import clean
from dialgauge.report.words import BANDS, COEFFICIENTS, FACETS, FLAGS, KINDS, MODELS, coefficient_of
from dialgauge.stats.estimate import Estimate

MOST_RATERS_NAMED = 1000

_DF = re.compile(r"\bwith [\d.]+ df\b")
"""The part of a method that differs from dimension to dimension."""


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
    """A dimension as it stands in the table and in its details; all texts are ready to print."""

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
    needs: tuple[tuple[str, str], ...]
    checks: tuple[tuple[str, str], ...]
    fit: str
    findings: tuple[str, ...]


def render_page(analysis: Reliability) -> str:
    """Return the page. It asks nothing of the network; all names and notes in it are escaped."""
    facets = [facet for facet in FACETS if any(facet in d.variance.shares() for d in analysis.dimensions)]
    return _template("page.html.j2").render(
        verdict=conclude(analysis),
        title=clean(PurePath(analysis.source).name) or "Ratings",
        source=clean(analysis.source) or "not named",
        level=f"{analysis.level * 100:g}",
        k=say_k(analysis),
        k_asked=asks_for_k(analysis),
        facts=_facts(analysis),
        findings=group_findings(analysis),
        facets=[FACETS[facet] for facet in facets],
        rows=[_row(d, facets) for d in analysis.dimensions],
        bands=[(word, decimal(limit, 2)) for limit, word in BANDS],
        figures=[(figure, Markup(figure.svg)) for figure in draw_all(analysis)],  # noqa: S704 (Vega escapes its texts)
        gaps=list_gaps(analysis),
        refused=[(clean(d.name), _what_remains(d.mean, d.percent_agreement, d.marginals)) for d in analysis.refused],
        methods=_methods(analysis.dimensions),
        models=list(dict.fromkeys(MODELS[d.model] for d in analysis.dimensions)),
        steepest=_steepest(analysis.dimensions),
        notes=[clean(note) for note in analysis.notes],
        versions=analysis.versions,
        seed=analysis.seed,
    )


def render_notebook(analysis: Reliability) -> str:
    """Return a compact table with findings for a notebook cell."""
    facets = [facet for facet in FACETS if any(facet in d.variance.shares() for d in analysis.dimensions)]
    return _template("notebook.html.j2").render(
        design=describe_design(analysis),
        level=f"{analysis.level * 100:g}",
        k=say_k(analysis),
        facets=[FACETS[facet] for facet in facets],
        rows=[_row(d, facets) for d in analysis.dimensions],
        findings=group_findings(analysis),
        gaps=list_gaps(analysis),
    )


@lru_cache(maxsize=4)
def _template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("dialgauge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _allow_breaks
    return environment.get_template(name)


def _allow_breaks(name: str) -> Markup:
    """Let the browser break an identifier after its underscores."""
    return Markup("_<wbr>").join(name.split("_"))


def _facts(analysis: Reliability) -> list[tuple[str, str]]:
    design = analysis.design
    spread = f"{design.k_min} to {design.k_max}" if design.k_min != design.k_max else f"{design.k_min} each"
    links = "connected" if design.connected else f"{design.n_components} groups without a link"
    return [
        ("targets", f"{design.n_targets:,}"),
        ("raters", f"{design.n_raters:,}"),
        ("ratings per dimension", say_ratings(analysis)),
        ("raters per target", f"{spread}, harmonic mean {design.k_harmonic:.2f}"),
        ("design", f"{KINDS[design.kind]}, {links}"),
        ("scale", clean(analysis.scale)),
    ]


def _row(d: DimensionReliability, facets: Iterable[str]) -> Row:
    shares = d.variance.shares()
    parts = {f: getattr(d.variance, f) for f in shares}
    return Row(
        name=clean(d.name),
        band=d.band or DASH,
        mean=_cell(d.mean, "mean", scale_units=True),
        shares=tuple(percent(shares[facet]) if facet in shares else DASH for facet in facets),
        rel_single=_cell(d.rel_single),
        rel_k=_cell(d.rel_k),
        alpha=_cell(d.alpha_ordinal),
        icc1=_cell(d.icc1),
        model=MODELS[d.model],
        counts=f"{d.design.n_ratings:,} ratings of {d.design.n_targets:,} targets by {d.design.n_raters:,} raters, "
        f"{d.n_missing:,} missing; k = {d.k:.2f}",
        flags=tuple(FLAGS.get(flag, flag) for flag in d.flags),
        variances=tuple((FACETS[f], fixed(parts[f], 3), percent(shares[f])) for f in parts),
        cells=(
            *(_cell(coefficient_of(d, name), title) for name, title in COEFFICIENTS.items()),
            *(() if d.rel_k_ordinal is None else (_cell(d.rel_k_ordinal, "Rel(k), latent ordinal scale"),)),
        ),
        forms=tuple(
            (_cell(form.estimate, f"{form.name}: {form.words}"), f"F = {form.f:.2f}, df {form.df1:g} and {form.df2:g}")
            for form in d.complete_forms
        ),
        needs=tuple(
            (f"{decimal(limit, 2)} ({word})", _say_needed(raters_needed(d.rel_k, limit, measured_k=d.k)))
            for limit, word in BANDS
        ),
        checks=tuple(
            (clean(c.name), f"{c.first:.6g} and {c.second:.6g}: {'they agree' if c.holds else 'THEY DIFFER'}")
            for c in d.checks
        ),
        fit=f"REML criterion {d.fit.criterion:.4f} (one-way {d.fit.criterion_one_way:.4f}), "
        f"{d.fit.iterations} evaluations, largest gradient {d.fit.max_gradient:.1e}",
        findings=tuple(map(clean, d.findings)),
    )


def _cell(coefficient: Coefficient, title: str = "", *, scale_units: bool = False) -> Cell:
    if not isinstance(coefficient, Estimate):
        return Cell(value=DASH, interval=clean(coefficient.reason), title=title)
    write = fixed if scale_units else decimal
    low, high = coefficient.low, coefficient.high
    return Cell(
        value=write(coefficient.value),
        interval=f"[{write(low)}, {write(high)}]" if low is not None and high is not None else "no interval",
        title=title,
        method=clean(coefficient.method),
        covers=clean(coefficient.covers),
        flags=tuple(FLAGS[flag] for flag in coefficient.flags),
    )


def _say_needed(needed: RatersNeeded) -> str:
    value, low, high = (_say_count(count) for count in (needed.value, needed.low, needed.high))
    return value if low == value == high else f"{value} ({low} to {high})"


def _say_count(count: int | None) -> str:
    if count is None:
        return "any number is too few"
    return f"{count:,}" if count <= MOST_RATERS_NAMED else f"over {MOST_RATERS_NAMED:,}"


def _what_remains(mean: float | None, agreement: float | None, marginals: Iterable[tuple[str, int]]) -> str:
    """Say what is known of a dimension that was refused."""
    parts = [f"mean {fixed(mean)}"] if mean is not None else []
    parts += [f"percent agreement {decimal(agreement)}"] if agreement is not None else []
    counts = ", ".join(f"{clean(value)}: {count:,}" for value, count in marginals)
    return "; ".join([*parts, *([f"ratings by value {counts}"] if counts else [])])


def _methods(dimensions: Iterable[DimensionReliability]) -> list[Cell]:
    """Return each way in which value and interval of a coefficient were made, once."""
    found: dict[Cell, None] = {}
    for d in dimensions:
        for name, title in COEFFICIENTS.items():
            coefficient = coefficient_of(d, name)
            if isinstance(coefficient, Estimate):
                method = _DF.sub("with degrees of freedom of its own", clean(coefficient.method))
                found[Cell(value="", title=title, method=method, covers=clean(coefficient.covers))] = None
    order = list(COEFFICIENTS.values())
    return sorted(found, key=lambda cell: order.index(cell.title))


def _steepest(dimensions: Iterable[DimensionReliability]) -> str:
    return f"{max((d.fit.max_gradient for d in dimensions), default=0.0):.1e}"
