"""One HTML page on kinds of rater that stands alone: verdict, tables, figures, details, methods, how it was read."""

from dataclasses import dataclass

from markupsafe import Markup

from dialgauge.analyse.kinds import DimensionKinds, KindReliability, KindsComparison
from dialgauge.report.kinds.charts import draw_kinds_figures
from dialgauge.report.kinds.people import LEGEND, gaps_of_people, rows_of_people, say_people
from dialgauge.report.kinds.rows import (
    FACETS,
    MARK,
    TIMES,
    Cell,
    KindRow,
    PairRow,
    cell_of,
    rows_of_kinds,
    rows_of_pairs,
    say_k,
    say_number,
)
from dialgauge.report.kinds.words import (
    BASES,
    conclude_kinds,
    list_kinds_gaps,
    print_sentence,
    say_gap,
    sentences_of,
)
from dialgauge.report.numerals import DASH, fixed, plural
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source, typeset
from dialgauge.report.theme import say_undrawn
from dialgauge.report.words import FLAGS, say_kind
from dialgauge.stats.estimate import Estimate, Refusal


@dataclass(frozen=True, slots=True)
class KindDetail:
    """A kind of rater in the details of a dimension: who, which variances, which coefficients by their titles."""

    name: str
    facts: tuple[tuple[str, str], ...]
    variances: tuple[tuple[str, str], ...]
    coefficients: tuple[tuple[str, Cell, str], ...]


@dataclass(frozen=True, slots=True)
class Detail:
    """A dimension in the details; all texts are ready to print."""

    name: str
    summary: str
    findings: tuple[str, ...]
    kinds: tuple[KindDetail, ...]
    pairs: tuple[PairRow, ...]
    fit: str


def render_kinds_page(comparison: KindsComparison, *, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source.

    It asks nothing of the network; all names and notes in it are escaped.
    """
    kinds: list[KindRow] = [row for d in comparison.dimensions for row in rows_of_kinds(d)]
    return load_template("kinds/page.html.j2").render(
        verdict=conclude_kinds(comparison),
        title=name_source(comparison.source, title=title),
        source=clean(comparison.source) or "not named",
        level=f"{comparison.level * 100:g}",
        facts=_facts(comparison),
        findings=_findings(comparison),
        kinds=kinds,
        repeated=any(TIMES in row.k for row in kinds),
        facets=[(facet, head) for facet, head in FACETS.items() if any(row.shares[facet] != DASH for row in kinds)],
        pairs=[row for d in comparison.dimensions for row in rows_of_pairs(d)],
        details=[_detail(d) for d in comparison.dimensions],
        anchors={clean(d.name): number for number, d in enumerate(comparison.dimensions, start=1)},
        undrawn=say_undrawn(len(comparison.dimensions)),
        figures=[(f, Markup(f.svg)) for f in draw_kinds_figures(comparison)],  # noqa: S704 (Vega escapes its texts)
        gaps=[(say_gap(gap, most=12), gap) for gap in list_kinds_gaps(comparison)],
        mark=MARK,
        people=rows_of_people(comparison),
        said_of_people=say_people(comparison.people),
        gaps_of_people=list(gaps_of_people(comparison.people)),
        legend_of_people=typeset(LEGEND),
        notes=[typeset(clean(note)) for note in comparison.notes],
        versions=comparison.versions,
    )


def _findings(comparison: KindsComparison) -> list[str]:
    """Return the sentences about all dimensions; where there is one only, those about it too."""
    alone = sentences_of(comparison.dimensions[0]) if len(comparison.dimensions) == 1 else ()
    return [*map(print_sentence, comparison.findings), *alone]


def _facts(comparison: KindsComparison) -> list[tuple[str, str]]:
    return [
        *((clean(kind), plural(n, "rater")) for kind, n in comparison.kinds.items()),
        ("held against", clean(comparison.reference)),
        ("targets", f"{comparison.n_targets:,}"),
        ("dimensions", f"{len(comparison.dimensions):,}"),
        ("scale", clean(comparison.scale)),
    ]


def _detail(d: DimensionKinds) -> Detail:
    rho = [row.correlation.value for row in rows_of_pairs(d) if row.correlation.value != DASH]
    return Detail(
        name=clean(d.name),
        summary=f"correlation without noise {', '.join(rho)}" if rho else "",
        findings=sentences_of(d),
        kinds=tuple(map(_kind, d.kinds)),
        pairs=tuple(rows_of_pairs(d)),
        fit=f"REML criterion {fixed(d.fit.criterion, 4)} after {plural(d.fit.evaluations, 'evaluation')}, largest "
        f"derivative {d.fit.max_gradient:.1e}",
    )


def _kind(kind: KindReliability) -> KindDetail:
    design, v = kind.design, kind.variance
    mean = kind.mean
    ends = "" if mean.low is None or mean.high is None else f" [{fixed(mean.low)}, {fixed(mean.high)}]"
    facts = [
        ("ratings", f"{design.n_ratings:,} of {plural(design.n_targets, 'target')}, {kind.n_missing:,} missing"),
        ("raters", f"{plural(design.n_raters, 'rater')}, {say_kind(design)}"),
        ("noise is told from targets by", BASES[kind.basis]),
        ("mean", f"{fixed(mean.value)}{ends}"),
        *([("beware", "; ".join(FLAGS[flag] for flag in kind.flags))] if kind.flags else []),
    ]
    named = [
        ("Rel(1), absolute", kind.rel_single),
        (f"Rel({say_k(kind)}), absolute", kind.rel_k),
        ("Rel(1), relative", kind.rel_single_relative),
        (f"Rel({say_k(kind)}), relative", kind.rel_k_relative),
        ("this rater only, one rating", kind.this_rater_only),
        (f"this rater only, mean of {say_number(kind.replicates)}", kind.this_rater_only_k),
    ]
    variances: list[tuple[str, float | Refusal | None]] = [
        ("target", v.target), ("rater (severity)", v.rater), ("target × rater", v.target_x_rater),
        ("residual", v.residual),
    ]  # fmt: skip
    return KindDetail(
        name=clean(kind.kind),
        facts=tuple(facts),
        variances=tuple((name, _variance(value)) for name, value in variances),
        coefficients=tuple(
            (name, cell_of(c), typeset(clean(c.covers))) for name, c in named if isinstance(c, Estimate)
        ),
    )


def _variance(value: float | Refusal | None) -> str:
    if isinstance(value, Refusal):
        return "not known"
    return "not told from the residual" if value is None else fixed(value, 3)
