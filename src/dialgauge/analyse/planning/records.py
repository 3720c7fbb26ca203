"""What a study planner gives, and what planning returns: plain numbers with labels and units, curves as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dialgauge.analyse.dstudy import DecisionStudy
from dialgauge.analyse.results import DimensionReliability
from dialgauge.errors import InputError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.components import Components
from dialgauge.stats.dstudy import Costs
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.plan import Layout, Limits, Simulation
from dialgauge.stats.plan.search import PricedLayout
from dialgauge.stats.plan.simulation import Simulated
from dialgauge.stats.ranges import require_count, require_open, require_share


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What is known and wanted of a study to be planned.

    ``targets``, the pool of ``raters``, raters ``per_target`` and ``replicates`` per rater are the design. What is
    assumed of the ratings is one of: ``icc``, the reliability of one rating (no severity assumed); ``components``;
    ``pilot``, an analysed dimension. ``ruled_out`` is the ICC that the test of the formulas is against, ``wanted``
    the reliability of the mean of ``per_target`` raters that the lower limit is to reach, ``width`` the wanted width
    of the interval of one rating's reliability. ``alpha`` is the level of the one-sided test of the formulas, and 1 -
    alpha that of the intervals. ``simulate`` is the number of simulated studies, with ratings cut to ``points`` if
    given; ``limits`` bound the search for the cheapest design (by default no fewer targets than planned, for they are
    to be scored, up to 200 raters, and 2 to 20 per target). Raises ``InputError`` for numbers out of range and for more
    than one assumption.
    """

    targets: int | None = None
    raters: int | None = None
    per_target: int = 5
    replicates: int = 1
    icc: float | None = None
    components: Components | None = None
    pilot: DimensionReliability | None = None
    ruled_out: float = 0.0
    wanted: float = 0.5
    width: float | None = None
    alpha: float = 0.05
    power: float = 0.8
    costs: Costs = field(default_factory=Costs)
    limits: Limits | None = None
    simulate: int = 0
    points: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        given = [name for name in ("icc", "components", "pilot") if getattr(self, name) is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} were given; give one of icc, components and pilot to plan from")
        if self.targets is not None:
            require_count("the number of targets", self.targets, 2)
        require_count("the number of raters per target", self.per_target, 2)
        if self.raters is not None:
            require_count("the number of raters", self.raters, self.per_target)
        require_count("the number of replicates", self.replicates, 1)
        require_count("the number of simulated studies", self.simulate, 0)
        if self.icc is not None:
            require_open("the expected ICC", self.icc, 0.0, 1.0)
        require_share("the ICC to be ruled out", self.ruled_out)
        for name, value in (("reliability", self.wanted), ("width", self.width), ("power", self.power)):
            if value is not None:
                require_open(f"the wanted {name}", value, 0.0, 1.0)
        require_open("alpha", self.alpha, 0.0, 0.5)
        if self.points is not None:
            require_count("the number of points of the scale", self.points, 2)
            if not self.simulate:
                raise InputError("points are what simulated ratings are cut to; ask for simulated studies too")
        if self.simulate and (self.targets is None or self.raters is None or not given):
            raise InputError(
                "a simulation needs a design and what to draw: give targets, raters and one of icc, components, pilot"
            )

    @property
    def level(self) -> float:
        """Confidence level of the intervals."""
        return 1.0 - self.alpha

    @property
    def level_text(self) -> str:
        """The confidence level in words, such as ``95%``."""
        return f"{100.0 * self.level:g}%"


@dataclass(frozen=True, slots=True)
class Answer:
    """One number of the plan.

    ``key`` is its name for programs. ``group`` and ``label`` say what it is, ``unit`` in what it is counted (empty for
    shares and coefficients), ``source`` whence it comes, and ``remark`` what else one should know of it, if anything.
    """

    key: str
    group: str
    label: str
    value: float | Refusal
    unit: str
    source: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class At:
    """A number at a given value: the width at an ICC, the power at a correlation."""

    at: float
    value: float


@dataclass(frozen=True, slots=True)
class TargetsRow:
    """What a number of targets buys by formula, whatever the ratings will be.

    ``least_icc`` is the least detectable ICC(1), ``least_icc_on_grid`` the least on the `GRID` of a published study,
    ``None`` where none suffices there. ``widths`` are of the interval at some ICC(1), ``powers`` of the two-sided test
    at some correlations (empty for three targets or fewer). ``planned`` marks the number that was asked for.
    """

    targets: int
    least_icc: float
    least_icc_on_grid: float | None
    widths: tuple[At, ...]
    powers: tuple[At, ...]
    planned: bool


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A figure in numbers: for each level of ``by`` in ``series`` the values at ``x``.

    ``mark`` is the planned study, if any, and ``focus`` the level that it belongs to.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    x: Floats
    by: str
    series: dict[float, Floats]
    mark: tuple[float, float] | None = None
    focus: float | None = None


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One design of the table: expected widths of intervals, the power to show the wanted reliability, and the cost.

    ``load`` is the mean number of targets per rater; ``width_single`` is for one rating, ``rel_k`` and ``width_k``
    for the mean of all raters of a target; ``planned`` marks the design that was asked for.
    """

    layout: Layout
    load: float
    width_single: float
    rel_k: float
    width_k: float
    power: float
    cost: float
    planned: bool


@dataclass(frozen=True, slots=True, eq=False)
class StudyPlan:
    """All that can be said of a planned study.

    ``layout`` is the planned design, ``None`` where targets or raters were left open; ``components`` is what was
    assumed, ``None`` where nothing was. ``answers`` are the single numbers in groups, ``by_targets`` what numbers of
    targets buy by formula, ``table`` designs around the planned one. ``for_width`` and ``for_wanted`` are the cheapest
    designs for either goal (the cheapest first, one for each number of raters per target), ``None`` where the goal was
    not given. ``simulated`` holds the summaries of ``simulation`` by label, ``decision`` the decision study of the
    pilot. ``notes`` are sentences on what the numbers rest on.
    """

    options: PlanOptions
    layout: Layout | None
    components: Components | None
    answers: Sequence[Answer]
    by_targets: Sequence[TargetsRow]
    curves: Sequence[Curve]
    table: Sequence[PlanRow]
    for_width: Sequence[PricedLayout] | Refusal | None
    for_wanted: Sequence[PricedLayout] | Refusal | None
    simulation: Simulation | None
    simulated: dict[str, Simulated]
    decision: DecisionStudy | None
    notes: Sequence[str]


def state_components(variances: Sequence[float]) -> Components:
    """Return the components of ``variances``: target, rater, target x rater (may be left out), residual.

    They may be shares or in squared units of the ratings. Raises ``InputError`` for another number of them, for a
    negative one and where all are zero.
    """
    if len(variances) == 3:
        target, rater, residual = variances
        return Components(target=target, rater=rater, residual=residual)
    if len(variances) == 4:
        target, rater, interaction, residual = variances
        return Components(target=target, rater=rater, target_x_rater=interaction, residual=residual)
    raise InputError(
        "components are the variances of target, rater, target x rater (may be left out) and residual, "
        f"3 or 4 numbers, got {len(variances)}"
    )
