"""A plan for a terminal: at most 100 columns, readable without colour, in ASCII where it must be."""

from collections.abc import Sequence

from rich.cells import cell_len

from dialgauge.analyse.bands import band
from dialgauge.analyse.dstudy import DecisionStudy
from dialgauge.analyse.planning import Answer, StudyPlan
from dialgauge.report.lines import WIDTH, Column, Lines
from dialgauge.report.needs import say_needed
from dialgauge.report.numerals import DASH, decimal
from dialgauge.report.planning.numbers import (
    say_amount,
    say_answer,
    say_coefficient,
    say_goal,
    say_monte_carlo,
    say_power,
    say_width,
)
from dialgauge.report.planning.sentences import (
    conclude_plan,
    count_runs,
    describe_plan,
    group_answers,
    number_sources,
    title_of_targets,
)
from dialgauge.report.planning.wishes import list_wishes
from dialgauge.report.text import clean
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.plan.search import PricedLayout

MOST_DESIGNS = 5
ROOM_FOR_UNITS = 60
CURVE_RATERS = (1, 2, 3, 5, 10, 20)
MARK = ">"


def render_plan(plan: StudyPlan, *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False) -> str:
    """Return all that is planned as text, no line wider than ``width`` (44 to 100).

    A narrow table leaves columns out and says so. ``styled`` adds the codes of terminals for bold and dim;
    ``ascii_only`` writes all signs and names in ASCII.
    """
    writer = _Writer(width=width, ascii_only=ascii_only)
    writer.say(describe_plan(plan), style="bold")
    writer.say(conclude_plan(plan))
    writer.add_answers(plan)
    writer.add_targets(plan)
    writer.add_designs(plan)
    writer.add_cheapest(plan)
    writer.add_simulation(plan)
    if plan.decision is not None:
        writer.add_decision(plan.decision, plan.options.per_target)
    writer.section("What the numbers rest on", [clean(note) for note in plan.notes])
    writer.add_sources(plan)
    return writer.to_text(styled=styled)


class _Writer(Lines):
    """Writes the parts of a plan."""

    _whole = True

    def add_answers(self, plan: StudyPlan) -> None:
        cells = self._cells(plan)
        if not cells:
            return
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        room = min(self.width - sum(widths) - 5, max(len(answer.label) for answer in plan.answers))
        values = dict(zip(plan.answers, cells, strict=True))
        for group, answers in group_answers(plan).items():
            self._title(group.capitalize())
            for answer in answers:
                whole, rest, unit, cited = (
                    text.rjust(widths[0]) if i == 0 else text.ljust(widths[i]) for i, text in enumerate(values[answer])
                )
                first, *others = self.wrap(answer.label, room)
                self.line(f"{first.ljust(room)}  {whole}{rest} {unit}  {cited}")
                for line in others:
                    self.line(f"  {line}")
                self._remark(answer)

    def _cells(self, plan: StudyPlan) -> list[tuple[str, str, str, str]]:
        """Return value (before and from its point), unit and source of each answer; a narrow terminal has no units."""
        sources = number_sources(plan)
        return [
            (*_split(say_answer(a)), a.unit if self.width >= ROOM_FOR_UNITS else "", f"[{sources[a.source]}]")
            for a in plan.answers
        ]

    def add_targets(self, plan: StudyPlan) -> None:
        rows, level = plan.by_targets, plan.options.level_text
        self._title(title_of_targets(plan))
        powers = [power.at for power in max((row.powers for row in rows), key=len)]
        columns = [
            _marks([row.planned for row in rows]),
            Column(("", "targets"), [f"{row.targets:,}" for row in rows]),
            Column(("least", "ICC(1)"), _align([say_coefficient(row.least_icc) for row in rows])),
            Column.group(
                f"width of the {level} interval at ICC(1)",
                [
                    Column(("", say_goal(width.at)), [say_width(row.widths[i].value) for row in rows])
                    for i, width in enumerate(rows[0].widths)
                ],
                rank=1,
            ),
        ]
        if powers:
            parts = [
                Column(
                    ("", say_goal(r)),
                    [say_power(row.powers[i].value) if row.powers else DASH for row in rows],
                )
                for i, r in enumerate(powers)
            ]
            columns.append(Column.group("power for a correlation of", parts, rank=2))
        self._table(columns, [row.planned for row in rows])

    def add_designs(self, plan: StudyPlan) -> None:
        if not plan.table:
            return
        rows, name, wanted = plan.table, f"Rel({plan.options.per_target})", say_goal(plan.options.wanted)
        each = f"{plan.options.per_target} raters per target"
        self._title(f"Designs with {each}: expected widths, power to show {name} ≥ {wanted}, and cost")
        columns = [
            _marks([row.planned for row in rows]),
            Column(("", "targets"), [f"{row.layout.n_targets:,}" for row in rows]),
            Column(("", "raters"), [f"{row.layout.n_raters:,}" for row in rows]),
            Column(("targets", "per rater"), [f"{row.load:,.1f}" for row in rows], rank=4),
            Column(("", "ratings"), [f"{row.layout.n_ratings:,}" for row in rows], rank=5),
            Column(("Rel(1)", "width"), [decimal(row.width_single) for row in rows], rank=1),
            Column(("", name), [decimal(row.rel_k) for row in rows], rank=3),
            Column((name, "width"), [decimal(row.width_k) for row in rows], rank=2),
            Column(("power", f"≥ {wanted}"), [say_power(row.power) for row in rows]),
            Column(("", "cost"), _align([say_amount(row.cost) for row in rows])),
        ]
        self._table(columns, [row.planned for row in rows])

    def add_cheapest(self, plan: StudyPlan) -> None:
        for wish in list_wishes(plan):
            self._title(wish.title)
            if isinstance(wish.found, Refusal):
                self.say(wish.missing)
                continue
            self._table(_columns_of_priced(wish.found[:MOST_DESIGNS]), [])
            more = len(wish.found) - MOST_DESIGNS
            if more > 0:
                self.say(
                    f"The cheapest for each number of raters per target; {more} more in JSON and page.", style="dim"
                )
            if wish.caveat:
                self.say(wish.caveat, style="dim")

    def add_simulation(self, plan: StudyPlan) -> None:
        if plan.simulation is None:
            return
        self._title("Simulated studies of the planned design")
        if plan.simulated:
            names, found = list(plan.simulated), list(plan.simulated.values())
            columns = [
                Column(("", ""), names, left=True),
                Column(("", "true"), [decimal(s.truth) for s in found]),
                Column(("", "mean ± se"), [say_monte_carlo(s.mean) for s in found], rank=1),
                Column(("", "sd"), [decimal(s.sd) for s in found], rank=3),
                Column(("", "width ± se"), [say_monte_carlo(s.width) for s in found]),
                Column(("", "coverage ± se"), [say_monte_carlo(s.coverage) for s in found], rank=2),
                Column(("", "power ± se"), [say_monte_carlo(s.power) for s in found]),
            ]
            self._table(columns, [])
        self.say(count_runs(plan.simulation), style="dim")

    def add_decision(self, study: DecisionStudy, per_target: int) -> None:
        self._title(f"Raters per target that {clean(study.name)} needs, from the pilot")
        columns = [
            Column(("for a", "reliability of"), [say_goal(needed.wanted) for needed in study.needed]),
            Column(("by the", "value"), [say_needed(needed.by_value) for needed in study.needed], rank=1),
            Column(("by its", "lower limit"), [say_needed(needed.by_lower_limit) for needed in study.needed]),
        ]
        self._table(columns, [])
        shown = {*CURVE_RATERS, per_target}
        points = [point for point in study.curve if point.k in shown]
        self.line()
        columns = [
            Column(("", "k raters"), [str(point.k) for point in points]),
            Column(("", f"Rel(k) [{100.0 * study.level:g}%]"), [_interval(point.reliability) for point in points]),
            Column(("", "band"), [band(point.reliability.value) for point in points], left=True),
        ]
        self._table(columns, [point.k == per_target for point in points])

    def add_sources(self, plan: StudyPlan) -> None:
        if not self._whole:
            self.line()
            self.say("Some columns do not fit this terminal; page and JSON have all of them.", style="dim")
        if plan.answers:
            self._title("Sources")
        for source, number in number_sources(plan).items():
            self.say(source, bullet=f"[{number}] ")

    def _title(self, title: str) -> None:
        self.line()
        self.say(title, style="bold")

    def _table(self, columns: Sequence[Column], planned: Sequence[bool]) -> None:
        self._whole &= self.table(columns, bold=[i for i, mark in enumerate(planned) if mark])

    def _remark(self, answer: Answer) -> None:
        remarks = [answer.remark] if answer.remark else []
        if isinstance(answer.value, Refusal):
            remarks.append(f"not possible: {answer.value.reason}. What would help: {answer.value.remedy}.")
        for remark in remarks:
            for line in self.wrap(clean(remark), self.width - 2):
                self.line(f"  {line}", style="dim")


def _split(number: str) -> tuple[str, str]:
    """Split ``number`` at its decimal point, so that points can stand below each other."""
    whole, point, rest = number.partition(".")
    return whole, point + rest


def _marks(planned: Sequence[bool]) -> Column:
    return Column(("", ""), [MARK if mark else "" for mark in planned])


def _align(numbers: Sequence[str]) -> list[str]:
    """Fill numbers with blanks at their end so that right alignment puts their decimal points below each other."""
    most = max(cell_len(_split(number)[1]) for number in numbers)
    return [number + " " * (most - cell_len(_split(number)[1])) for number in numbers]


def _columns_of_priced(options: Sequence[PricedLayout]) -> list[Column]:
    scores = {option.score.k for option in options}
    name = f"Rel({options[0].score.k:g})" if len(scores) == 1 else "Rel(k)"
    level = f"[{100.0 * options[0].precision.level:g}%]"
    precisions = [option.precision for option in options]
    columns = [
        Column(("per", "target"), [str(option.layout.per_target) for option in options]),
        Column(("", "targets"), [f"{option.layout.n_targets:,}" for option in options]),
        Column(("", "raters"), [f"{option.layout.n_raters:,}" for option in options]),
        Column(("", "ratings"), [f"{option.layout.n_ratings:,}" for option in options], rank=3),
        Column(("", "cost"), _align([say_amount(option.cost) for option in options])),
        Column(
            ("expected", f"{name} {level}"),
            [f"{decimal(p.value)} [{decimal(p.low)}, {decimal(p.high)}]" for p in precisions],
            rank=2,
        ),
        Column(("", "width"), [decimal(p.width) for p in precisions], rank=1),
    ]
    if any(option.layout.replicates > 1 for option in options):
        columns.insert(1, Column(("", "repl."), [str(option.layout.replicates) for option in options]))
    return columns


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{decimal(estimate.value)} without an interval"
    return f"{decimal(estimate.value)} [{decimal(estimate.low)}, {decimal(estimate.high)}]"
