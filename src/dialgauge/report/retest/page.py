"""One HTML page on repeated measurement that stands alone: hypotheses, three studies, every dimension, methods."""

from dataclasses import dataclass

from markupsafe import Markup

from dialgauge.analyse.retest.classes import CLASSES
from dialgauge.analyse.retest.records import (
    PARTS,
    BandCounts,
    Correspondence,
    GroupConcordance,
    GroupSummary,
    Part,
    Repeat,
    Retest,
    ValuePair,
)
from dialgauge.report.checks.words import CheckSummary
from dialgauge.report.numerals import DASH
from dialgauge.report.retest.charts import COLOURS, draw_retest_figures
from dialgauge.report.retest.words import (
    CLASS_LIMITS,
    FORMS,
    MEASURES,
    SHORT_FORMS,
    SYMBOLS,
    print_sentence,
    say_group,
    say_use,
    whole,
    write_interval,
    write_number,
    write_value,
)
from dialgauge.report.retest.words import PARTS as PART_WORDS
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source


@dataclass(frozen=True, slots=True)
class RepeatCell:
    """One dimension by one rater as it stands in the long table; all texts are ready to print."""

    value: str
    interval: str
    word: str
    supported: bool
    mean: str
    use: str
    note: str


@dataclass(frozen=True, slots=True)
class ClassTable:
    """The counts of one rater by group: one of the tables of Study 1."""

    rater: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One dimension by one pair of raters in Study 3."""

    dimension: str
    pair: str
    measure: str
    value: str
    interval: str
    trimmed: str
    span: str
    band: str
    supported: str
    n_targets: str


def render_retest_page(analysis: Retest, *, checks: CheckSummary | None = None, title: str = "") -> str:
    """Return the page, with a section on the ``checks`` of the raters where there are some.

    ``title`` heads it, by default the name of the source. It asks nothing of the network; all names and notes in it are
    escaped.
    """
    return load_template("retest/page.html.j2").render(
        verdict=_conclude(analysis),
        title=name_source(analysis.source, title=title),
        source=clean(analysis.source) or "not named",
        level=f"{analysis.level * 100:g}",
        facts=_facts(analysis),
        checks=checks,
        hypotheses=[print_sentence(sentence) for sentence in analysis.hypotheses],
        findings=[print_sentence(sentence) for sentence in analysis.findings],
        form=FORMS[analysis.form],
        other_form=SHORT_FORMS["shrout-fleiss" if analysis.form == "printed" else "printed"],
        class_limits=CLASS_LIMITS,
        classes=CLASSES,
        colours=list(COLOURS.items()),
        parts=[(part, PART_WORDS[part], SYMBOLS[part]) for part in PARTS],
        class_tables={part: _class_tables(analysis, part) for part in PARTS},
        studies=[
            (study, SYMBOLS[study.part], [_correspondence(p) for p in study.pairs], [_group(g) for g in study.groups])
            for study in analysis.universality
        ],
        raters=[clean(rater) for rater in analysis.raters],
        dimensions=_dimensions(analysis),
        figures=[(figure, Markup(figure.svg)) for figure in draw_retest_figures(analysis)],  # noqa: S704 (Vega escapes its texts)
        bands=[_bands(found) for found in analysis.values.bands],
        why_none=analysis.values.why_none,
        scope=analysis.values.scope,
        pairs=[_pair(pair) for pair in analysis.values.pairs],
        dominant=f"{analysis.dominant * 100:g}",
        notes=[clean(note) for note in analysis.notes],
        versions=analysis.versions,
    )


def _conclude(analysis: Retest) -> str:
    parts = []
    for single in whole(analysis, "single"):
        n = sum(single.counts.values())
        high = single.counts["perfect"] + single.counts["excellent"]
        parts.append(f"{clean(single.rater)} repeats {high} of {n} dimensions at least excellently")
    sentence = f"{'; '.join(parts)}."
    if analysis.universality:
        last = analysis.universality[0].groups[-1]
        sentence += f" {last.excellent} of {last.n} are excellent by all raters."
    return sentence


def _facts(analysis: Retest) -> list[tuple[str, str]]:
    return [
        ("targets", f"{analysis.n_targets:,}"),
        ("dimensions", f"{len(analysis.dimensions):,}"),
        ("raters", f"{len(analysis.raters):,}"),
        ("replicates", f"{len(analysis.replicates):,}"),
        ("ratings with a value", f"{analysis.n_ratings:,}"),
        ("form of the ICC", SHORT_FORMS[analysis.form]),
    ]


def _class_tables(analysis: Retest, part: Part) -> list[ClassTable]:
    return [
        ClassTable(
            clean(rater),
            tuple(_summary(s) for s in analysis.summaries if s.rater == rater and s.part == part),
        )
        for rater in analysis.raters
    ]


def _summary(s: GroupSummary) -> tuple[str, ...]:
    counts = [f"{s.counts[name]} ({s.supported[name]})" if s.counts[name] else DASH for name in CLASSES]
    ends = [write_number(value) for value in (s.lowest, s.highest, s.average)]
    return (say_group(s.group), str(s.n), *ends, *counts, str(s.n_excluded), str(s.n_refused))


def _correspondence(pair: Correspondence) -> tuple[str, str, str, tuple[tuple[str, tuple[int, ...]], ...]]:
    same = f"{pair.n_same} of {pair.n} in one class"
    if pair.same is not None:
        same += f" ({write_value(pair.same, 2)}, interval {write_interval(pair.same)})"
    return clean(pair.first), clean(pair.second), same, tuple(zip(CLASSES, pair.table, strict=True))


def _group(g: GroupConcordance) -> tuple[str, ...]:
    return (say_group(g.group), str(g.n), *map(str, g.counts), f"{g.excellent} ({g.supported})", str(g.n_left_out))


def _dimensions(analysis: Retest) -> list[tuple[str, str, str, list[RepeatCell]]]:
    """Return a row per dimension: name, group, level of the scale, and a cell for each rater."""
    found: dict[str, list[Repeat]] = {}
    for repeat in analysis.repeats:
        found.setdefault(repeat.dimension, []).append(repeat)
    return [(clean(name), clean(rows[0].group), rows[0].level, list(map(_cell, rows))) for name, rows in found.items()]


def _cell(r: Repeat) -> RepeatCell:
    missing = ", ".join(f"{count} {clean(reason)}" for reason, count in r.missing.items())
    beside = [
        f"other form {write_value(r.other_single)}" if r.coefficient == "icc" else "nominal alpha",
        f"{r.n_targets} targets × {r.replicates} replicates",
        *([f"{len(r.left_out)} incomplete left out"] if r.left_out else []),
        *([f"REML on all {write_value(r.reml_single)} {write_interval(r.reml_single)}"] if r.reml_single else []),
        *([f"missing: {missing}"] if missing else []),
        *([f"same value in all replicates: {write_value(r.same)} of the targets"] if r.same else []),
    ]
    return RepeatCell(
        value=write_value(r.single),
        interval=write_interval(r.single),
        word=r.class_single or r.status,
        supported=bool(r.supported_single),
        mean=write_value(r.mean),
        use=say_use(r),
        note="; ".join(beside) if r.status == "ok" else clean(r.reason),
    )


def _bands(found: BandCounts) -> tuple[str, int, list[str], list[tuple[str, tuple[int, ...]]]]:
    """Return title, number of dimensions, heading and rows of a table of bands."""
    heads = [f"{clean(a)} / {clean(b)}" for a, b in found.pairs]
    rows = [(w, (*(row[i] for row in found.counts), found.in_all[i])) for i, w in enumerate(found.bands)]
    return MEASURES[found.measure], found.n_dimensions, heads, rows


def _pair(pair: ValuePair) -> PairRow:
    measure = MEASURES[pair.measure].partition(",")[0]
    span = f"{write_number(pair.lowest)} to {write_number(pair.highest)}" if pair.lowest is not None else ""
    return PairRow(
        dimension=clean(pair.dimension),
        pair=f"{clean(pair.first)} / {clean(pair.second)}",
        measure=f"{measure}, {pair.weights}" if pair.measure == "weighted_kappa" else measure,
        value=write_value(pair.result),
        interval=write_interval(pair.result) or clean(getattr(pair.result, "reason", "")),
        trimmed=write_number(pair.trimmed),
        span=span,
        band=pair.band or DASH,
        supported="" if pair.supported is None else "yes" if pair.supported else "no",
        n_targets=f"{pair.n_targets:,}",
    )
