"""One HTML page that stands alone: verdict, table, figures, details, methods, and how the ratings were read."""

import re
from collections.abc import Iterable

from markupsafe import Markup

from dialgauge.analyse.results import DimensionReliability, Reliability
from dialgauge.report.average import asks_for_k, equate_k, write_k
from dialgauge.report.figures import draw_all
from dialgauge.report.grouping import group_findings
from dialgauge.report.numerals import decimal, fixed, tiny
from dialgauge.report.rows import Cell, make_cell, make_row
from dialgauge.report.sentences import conclude, describe_design, list_gaps, say_ratings
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source
from dialgauge.report.theme import say_undrawn
from dialgauge.report.words import BANDS, COEFFICIENTS, FACETS, MODELS, coefficient_of, say_kind
from dialgauge.stats.estimate import Estimate

_DF = re.compile(r"\bwith [\d.]+ df\b")
"""The part of a method that differs from dimension to dimension."""


def render_page(analysis: Reliability, *, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source.

    It asks nothing of the network; all names and notes in it are escaped.
    """
    facets = [facet for facet in FACETS if any(facet in d.variance.shares() for d in analysis.dimensions)]
    rows = [make_row(d, facets) for d in analysis.dimensions]
    return load_template("page.html.j2").render(
        verdict=conclude(analysis),
        title=name_source(analysis.source, title=title),
        source=clean(analysis.source) or "not named",
        level=f"{analysis.level * 100:g}",
        k=equate_k(analysis),
        k_asked=asks_for_k(analysis),
        facts=_facts(analysis),
        findings=group_findings(analysis),
        facets=[FACETS[facet] for facet in facets],
        rows=rows,
        bands=[(word, decimal(limit, 2)) for limit, word in BANDS],
        undrawn=say_undrawn(len(analysis.dimensions)),
        figures=[(figure, Markup(figure.svg)) for figure in draw_all(analysis)],  # noqa: S704 (Vega escapes its texts)
        gaps=list_gaps(analysis),
        refused=[(clean(d.name), _what_remains(d.mean, d.percent_agreement, d.marginals)) for d in analysis.refused],
        methods=_methods(analysis.dimensions),
        models=list(dict.fromkeys(MODELS[d.model] for d in analysis.dimensions)),
        steepest=_steepest(analysis.dimensions),
        ends_at_zero=[row.name for row in rows if row.ends_at_zero],
        ordinal="(ordinal)" in analysis.scale,
        notes=[clean(note) for note in analysis.notes],
        versions=analysis.versions,
        seed=analysis.seed,
    )


def render_notebook(analysis: Reliability) -> str:
    """Return a compact table with findings for a notebook cell."""
    facets = [facet for facet in FACETS if any(facet in d.variance.shares() for d in analysis.dimensions)]
    return load_template("notebook.html.j2").render(
        design=describe_design(analysis),
        level=f"{analysis.level * 100:g}",
        k=equate_k(analysis),
        facets=[FACETS[facet] for facet in facets],
        rows=[make_row(d, facets) for d in analysis.dimensions],
        findings=group_findings(analysis),
        gaps=list_gaps(analysis),
    )


def _facts(analysis: Reliability) -> list[tuple[str, str]]:
    design = analysis.design
    spread = f"{design.k_min} to {design.k_max}, harmonic mean {write_k(design.k_harmonic)}"
    links = "connected" if design.connected else f"{design.n_components} groups without a link"
    return [
        ("targets", f"{design.n_targets:,}"),
        ("raters", f"{design.n_raters:,}"),
        ("ratings per dimension", say_ratings(analysis)),
        ("raters per target", spread if design.k_min != design.k_max else f"{design.k_min} each"),
        ("design", f"{say_kind(design)}, {links}"),
        ("scale", clean(analysis.scale)),
    ]


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
                cell = make_cell(coefficient, title)
                method = _DF.sub("with degrees of freedom of its own", cell.method)
                found[Cell(value="", title=title, method=method, covers=cell.covers)] = None
    order = list(COEFFICIENTS.values())
    return sorted(found, key=lambda cell: order.index(cell.title))


def _steepest(dimensions: Iterable[DimensionReliability]) -> str:
    return tiny(max((d.fit.max_gradient for d in dimensions), default=0.0))
