"""The page of a plan: what it comes to, the answers with their sources, tables, figures, and methods in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dialgauge.analyse.bands import band
from dialgauge.analyse.dstudy import DecisionStudy
from dialgauge.analyse.planning import Answer, PlanRow, StudyPlan, TargetsRow
from dialgauge.report.needs import say_needed
from dialgauge.report.numerals import DASH, decimal
from dialgauge.report.planning.figures import draw_pilot, draw_plan
from dialgauge.report.planning.numbers import (
    say_amount,
    say_answer,
    say_coefficient,
    say_goal,
    say_monte_carlo,
    say_power,
    say_width,
)
from dialgauge.report.planning.record import list_versions
from dialgauge.report.planning.sentences import (
    conclude_plan,
    count_runs,
    group_answers,
    name_scores,
    title_of_plan,
    title_of_targets,
)
from dialgauge.report.planning.wishes import Wish, list_wishes
from dialgauge.report.templating import load_template
from dialgauge.report.text import clean
from dialgauge.report.words import BANDS
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan.search import PricedLayout
from dialgauge.stats.plan.simulation import Simulated

MOST_DESIGNS = 8

NBSP = "\u00a0"

ORIGINS = {"icc": "an ICC", "components": "variance components", "pilot": "a pilot"}


@dataclass(frozen=True, slots=True)
class Line:
    """An answer as it stands in its table; ``missing`` says why there is no value, if there is none."""

    label: str
    value: str
    unit: str
    source: str
    remark: str
    missing: str


@dataclass(frozen=True, slots=True)
class Cells:
    """A row of a table, its texts ready to print; ``starts`` marks the first of a group of rows."""

    texts: tuple[str, ...]
    planned: bool = False
    starts: bool = False


@dataclass(frozen=True, slots=True)
class Designs:
    """The cheapest designs for one wish, or why there is none."""

    title: str
    rows: tuple[Cells, ...]
    replicates: bool
    score: str
    more: int
    caveat: str
    missing: str


def render_plan_page(plan: StudyPlan) -> str:
    """Return the page. It asks nothing of the network; all names and notes in it are escaped."""
    options = plan.options
    pilot = draw_pilot(plan)
    figures = [(figure, caption, _markup(figure.svg)) for figure, caption in draw_plan(plan)]
    return load_template("planning/page.html.j2").render(
        title=title_of_plan(plan),
        verdict=conclude_plan(plan),
        facts=_facts(plan),
        groups=[(group.capitalize(), [_line(a) for a in answers]) for group, answers in group_answers(plan).items()],
        targets_title=title_of_targets(plan),
        targets_heads=_targets_heads(plan.by_targets),
        targets=_targets(plan.by_targets),
        figures=figures,
        designs=_table(plan.table),
        name=f"Rel({options.per_target})",
        rel_k=decimal(plan.table[0].rel_k) if plan.table else "",
        wanted=say_goal(options.wanted),
        wishes=[_designs(wish) for wish in list_wishes(plan)],
        simulated=[_simulated(name, found) for name, found in plan.simulated.items()],
        runs="" if plan.simulation is None else count_runs(plan.simulation),
        needs=[] if plan.decision is None else _needs(plan.decision),
        curve=[] if plan.decision is None else _curve(plan.decision, options.per_target),
        pilot="" if plan.decision is None else clean(plan.decision.name),
        pilot_figure=None if pilot is None else (pilot, _markup(pilot.svg)),
        per_target=options.per_target,
        level=options.level_text,
        assumed=plan.components is not None,
        points=options.points,
        notes=[clean(note) for note in plan.notes],
        seed=options.seed,
        versions=list_versions(),
    )


def _markup(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704 (Vega escapes its texts)


def _facts(plan: StudyPlan) -> list[tuple[str, str]]:
    options, layout = plan.options, plan.layout
    left_open = "left open"
    facts = [
        ("targets", left_open if options.targets is None else f"{options.targets:,}"),
        ("raters in the pool", left_open if options.raters is None else f"{options.raters:,}"),
        ("raters per target", f"{options.per_target}"),
    ]
    if options.replicates > 1:
        facts.append(("replicates per rater", f"{options.replicates}"))
    if layout is not None:
        facts += [("ratings", f"{layout.n_ratings:,}"), ("targets per rater", f"{layout.load:,.1f}")]
    if plan.components is None:
        facts.append(("assumed of the ratings", "nothing"))
        return facts
    origin = next(words for name, words in ORIGINS.items() if getattr(options, name) is not None)
    rel = [
        f"{name}{NBSP}={NBSP}{decimal(plan.components.reliability(score))}" for name, score in name_scores(plan).items()
    ]
    return [*facts, (f"assumed, from {origin}", ", ".join(rel))]


def _line(answer: Answer) -> Line:
    missing = ""
    if isinstance(answer.value, Refusal):
        missing = f"{clean(answer.value.reason)}. What would help: {clean(answer.value.remedy)}."
    return Line(answer.label, say_answer(answer), answer.unit, answer.source, answer.remark, missing)


def _targets_heads(rows: Sequence[TargetsRow]) -> tuple[list[str], list[str]]:
    longest = max((row.powers for row in rows), key=len)
    return [say_goal(width.at) for width in rows[0].widths], [say_goal(power.at) for power in longest]


def _targets(rows: Sequence[TargetsRow]) -> list[Cells]:
    """Return what targets buy; where there are too few for a correlation, its powers are dashes."""
    most = max(len(row.powers) for row in rows)
    found = []
    for row in rows:
        widths = (say_width(width.value) for width in row.widths)
        powers = [*(say_power(power.value) for power in row.powers), *[DASH] * (most - len(row.powers))]
        found.append(Cells((f"{row.targets:,}", say_coefficient(row.least_icc), *widths, *powers), row.planned))
    return found


def _table(rows: Sequence[PlanRow]) -> list[Cells]:
    """Return the table of designs, in groups of equally many targets."""
    before = [None, *(row.layout.n_targets for row in rows)]
    return [_design(row, starts=row.layout.n_targets != last) for row, last in zip(rows, before, strict=False)]


def _design(row: PlanRow, *, starts: bool) -> Cells:
    layout = row.layout
    texts = (
        f"{layout.n_targets:,}",
        f"{layout.n_raters:,}",
        f"{row.load:,.1f}",
        f"{layout.n_ratings:,}",
        decimal(row.width_single),
        decimal(row.width_k),
        say_power(row.power),
        say_amount(row.cost),
    )
    return Cells(texts, row.planned, starts)


def _designs(wish: Wish) -> Designs:
    if isinstance(wish.found, Refusal):
        return Designs(wish.title, (), replicates=False, score="", more=0, caveat="", missing=wish.missing)
    shown = wish.found[:MOST_DESIGNS]
    replicates = any(option.layout.replicates > 1 for option in shown)
    scores = {option.score.k for option in shown}
    return Designs(
        title=wish.title,
        rows=tuple(Cells(_priced(option, replicates=replicates)) for option in shown),
        replicates=replicates,
        score=f"Rel({shown[0].score.k:g})" if len(scores) == 1 else "Rel(k)",
        more=len(wish.found) - len(shown),
        caveat=wish.caveat,
        missing="",
    )


def _priced(option: PricedLayout, *, replicates: bool) -> tuple[str, ...]:
    layout, p = option.layout, option.precision
    return (
        f"{layout.per_target}",
        *((f"{layout.replicates}",) if replicates else ()),
        f"{layout.n_targets:,}",
        f"{layout.n_raters:,}",
        f"{layout.n_ratings:,}",
        say_amount(option.cost),
        f"{decimal(p.value)} [{decimal(p.low)}, {decimal(p.high)}]",
        decimal(p.width),
    )


def _simulated(name: str, found: Simulated) -> Cells:
    numbers = map(say_monte_carlo, (found.mean, found.width, found.coverage, found.power))
    mean, *others = numbers
    return Cells((name, decimal(found.truth), mean, decimal(found.sd), *others))


def _needs(study: DecisionStudy) -> list[Cells]:
    words = dict(BANDS)
    return [
        Cells(
            (
                f"{say_goal(n.wanted)} ({words[n.wanted]})" if n.wanted in words else say_goal(n.wanted),
                say_needed(n.by_value),
                say_needed(n.by_lower_limit),
            )
        )
        for n in study.needed
    ]


def _curve(study: DecisionStudy, per_target: int) -> list[Cells]:
    rows = []
    for point in study.curve:
        rel = point.reliability
        interval = (
            "no interval" if rel.low is None or rel.high is None else f"[{decimal(rel.low)}, {decimal(rel.high)}]"
        )
        rows.append(Cells((f"{point.k}", decimal(rel.value), interval, band(rel.value)), point.k == per_target))
    return rows
