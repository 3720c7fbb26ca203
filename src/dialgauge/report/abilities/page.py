"""One HTML page on measures and abilities that stands alone: formulas, tables, figures, breakdowns, methods."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dialgauge.analyse.abilities.records import FACETS, Abilities, Facet, Unit
from dialgauge.analyse.results import Coefficient
from dialgauge.report.abilities.charts import draw_abilities
from dialgauge.report.abilities.words import (
    ABILITIES,
    COVERS,
    FAMILIES,
    FORMULAS,
    Gap,
    digits_of,
    list_gaps,
    measures_by_family,
    name_of,
    names_of,
    persona_shares,
    result_of,
    say_failed,
    say_size,
    scores_of,
    title_of,
    write_interval,
    write_value,
)
from dialgauge.report.figures import Figure
from dialgauge.report.numerals import decimal, fixed
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean, name_source, typeset
from dialgauge.stats.estimate import Refusal


@dataclass(frozen=True, slots=True)
class PageCell:
    """Value and interval as they are printed, and below the pointer what they rest on."""

    value: str
    interval: str
    note: str


@dataclass(frozen=True, slots=True)
class PageRow:
    """A measure or an ability of all systems."""

    title: str
    note: str
    cells: tuple[PageCell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Everything on one data set."""

    key: str
    title: str
    size: str
    systems: list[str]
    failed: list[str]
    facts: list[tuple[str, str, str, str]]
    abilities: list[PageRow]
    personas: list[PageRow]
    spreads: list[tuple[str, ...]]
    families: list[tuple[str, list[PageRow]]]
    figures: list[tuple[Figure, Markup]]
    groups: list[tuple[str, list[str], list[tuple[str, list[PageRow]]]]]
    findings: list[str]
    gaps: list[Gap]
    notes: list[str]


def render_abilities_page(found: Sequence[Abilities], *, title: str = "") -> str:
    """Return the page, headed by ``title`` or the name of the source.

    It asks nothing of the network; all names and notes in it are escaped.
    """
    first = found[0]
    return load_template("abilities/page.html.j2").render(
        title=name_source(first.source, title=title, otherwise="Simulated dialogues"),
        source=clean(first.source) or "not named",
        level=f"{first.level * 100:g}",
        covers=COVERS,
        whole=first.title_match == "whole",
        formulas=[(name_of(name), text) for name, text in FORMULAS.items()],
        blocks=[_block(each) for each in found],
        versions=first.versions,
    )


def _block(found: Abilities) -> Block:
    scores = [scores_of(system) for system in found.systems]
    return Block(
        key="".join(sign if sign.isalnum() else "-" for sign in found.data_set),
        title=clean(found.data_set),
        size=say_size(found),
        systems=names_of(found.systems),
        failed=[say_failed(system) for system in found.systems],
        facts=[(clean(s.system), str(s.n_dialogues), str(s.n_personas), str(s.n_preferences)) for s in found.systems],
        abilities=[
            PageRow(ABILITIES[name], FORMULAS[name], tuple(_cell(score[name], None) for score in scores))
            for name in ABILITIES
        ],
        personas=_personas(found),
        spreads=_spreads(found),
        families=_families(found),
        figures=[(figure, Markup(figure.svg)) for figure in draw_abilities(found)],  # noqa: S704 (Vega escapes its texts)
        groups=[_groups(found, facet) for facet in FACETS],
        findings=[typeset(clean(sentence)) for sentence in found.findings],
        gaps=list_gaps(found),
        notes=[clean(note) for note in found.notes],
    )


def _cell(result: Coefficient | None, unit: Unit | None, *, digits: int = 2, n: str = "") -> PageCell:
    if isinstance(result, Refusal):
        note = f"{result.reason}; {result.remedy}"
    else:
        note = "" if result is None else "; ".join(filter(None, [n, result.method]))
    return PageCell(
        write_value(result, unit, digits=digits),
        write_interval(result, unit, digits=digits),
        typeset(clean(note)),
    )


def _personas(found: Abilities) -> list[PageRow]:
    return [
        PageRow(title, "", tuple(_cell(share, "share") for share in own))
        for title, own in persona_shares(found).items()
    ]


def _spreads(found: Abilities) -> list[tuple[str, ...]]:
    return [
        (
            clean(system.system),
            ABILITIES[spread.ability],
            fixed(spread.lowest),
            fixed(spread.highest),
            fixed(spread.mean),
            fixed(spread.spread),
            str(spread.n_personas),
            fixed(spread.per_persona, 1),
        )
        for system in found.systems
        for spread in system.coordination.spreads
    ]


def _families(found: Abilities) -> list[tuple[str, list[PageRow]]]:
    tables = []
    for family, measures in measures_by_family(found).items():
        rows = []
        for m in measures:
            own = [s.measure(m.name) for s in found.systems]
            tops = [each.ceiling for each in own if each is not None and each.ceiling is not None]
            note = f"of {m.counted}{_say_ceilings(tops)}"
            cells = tuple(
                _cell(
                    result_of(s, m.name),
                    m.unit,
                    digits=digits_of(m.unit),
                    n=f"{each.denominator} {each.counted}" if each else "",
                )
                for s, each in zip(found.systems, own, strict=True)
            )
            rows.append(PageRow(title_of(m.name), note, cells))
        tables.append((FAMILIES[family], rows))
    return tables


def _say_ceilings(tops: Sequence[float]) -> str:
    """Say what the systems could have at most, where that is below 1."""
    if not tops or min(tops) >= 1.0:
        return ""
    ends = dict.fromkeys((decimal(min(tops)), decimal(max(tops))))
    return f"; ceiling {' to '.join(ends)}"


def _groups(found: Abilities, facet: Facet) -> tuple[str, list[str], list[tuple[str, list[PageRow]]]]:
    """Return the facet, the headings, and for each level a row per system."""
    own = [(s, {g.level: g for g in s.groups if g.facet == facet}) for s in found.systems]
    levels = sorted({level for _, groups in own for level in groups})
    names = list(next(g.results for s in found.systems for g in s.groups))
    rows = []
    for level in levels:
        inner = []
        for system, groups in own:
            group = groups.get(level)
            if group is None:
                continue
            cells = tuple(
                _cell(result, None if name in ABILITIES else "share", digits=2 if name in ABILITIES else 3)
                for name, result in group.results.items()
            )
            inner.append(PageRow(clean(system.system), str(group.n_dialogues), cells))
        rows.append((clean(level), inner))
    return facet, [title_of(name) for name in names], rows
