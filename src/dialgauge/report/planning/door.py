"""The door of the library to planning: what is known and wanted in, a plan out."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import polars as pl

from dialgauge.analyse.planning import PlanOptions, StudyPlan, plan_study, state_components
from dialgauge.analyse.results import DimensionReliability
from dialgauge.report.files import write_whole
from dialgauge.report.planning.latex import plan_to_latex
from dialgauge.report.planning.page import render_plan_page
from dialgauge.report.planning.record import plan_to_csv, plan_to_dict, plan_to_frame, plan_to_json
from dialgauge.report.planning.terminal import render_plan
from dialgauge.stats.dstudy import Costs


@dataclass(frozen=True, slots=True)
class PlanReport:
    """A plan, ready to be printed, saved or passed on; ``plan`` holds the numbers."""

    plan: StudyPlan

    @property
    def notes(self) -> Sequence[str]:
        """What the numbers rest on, in sentences."""
        return self.plan.notes

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain dicts, lists, texts and numbers, without NaN."""
        return plan_to_dict(self.plan)

    def to_json(self) -> str:
        """Return `to_dict` as strict JSON."""
        return plan_to_json(self.plan)

    def to_frame(self) -> pl.DataFrame:
        """Return the table of designs, or that of what targets buy where nothing was assumed of the ratings."""
        return plan_to_frame(self.plan)

    def to_csv(self, path: str | Path) -> None:
        """Write `to_frame` as CSV. Raises InputError where it cannot be written."""
        write_whole(path, plan_to_csv(self.plan))

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return the table as LaTeX (it needs booktabs), and write it to ``path`` if one is given."""
        text = plan_to_latex(self.plan)
        if path is not None:
            write_whole(path, text)
        return text

    def save_html(self, path: str | Path) -> None:
        """Write the page, one HTML file that needs no network. Raises InputError where it cannot be written."""
        write_whole(path, render_plan_page(self.plan))

    def __str__(self) -> str:
        return render_plan(self.plan).rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def plan(  # noqa: PLR0913 (the options of the command, one by one)
    *,
    targets: int | None = None,
    raters: int | None = None,
    per_target: int = 5,
    replicates: int = 1,
    icc: float | None = None,
    components: Sequence[float] | None = None,
    pilot: DimensionReliability | None = None,
    ruled_out: float = 0.0,
    wanted: float = 0.5,
    width: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    cost_rating: float = 1.0,
    cost_rater: float = 0.0,
    cost_target: float = 0.0,
    simulate: int = 0,
    points: int | None = None,
    seed: int = 0,
) -> PlanReport:
    """Plan a study: what it would show, how many targets and raters that takes, and what it costs.

    The design is ``targets``, each rated by ``per_target`` out of a pool of ``raters``, ``replicates`` times each. One
    thing may be assumed of the ratings: ``icc``, the reliability of one rating; ``components``, the variances of
    target, rater, target x rater (may be left out) and residual; or ``pilot``, a dimension of a reliability report.

    ``ruled_out`` is the ICC that the test by formula is against, ``wanted`` the reliability of the mean of
    ``per_target`` raters that the lower limit is to reach, ``width`` the wanted width of the interval of one rating's
    reliability. ``alpha`` is the level of the tests, 1 - alpha that of the intervals, ``power`` the wanted probability
    of success. The costs are per rating, per rater of the pool and per target. ``simulate`` studies are drawn under
    ``seed``, their ratings cut to ``points`` if given.

    Raises InputError for numbers out of range or at odds, CannotEstimateError where the assumptions do not tell what
    replicates gain.
    """
    options = PlanOptions(
        targets=targets,
        raters=raters,
        per_target=per_target,
        replicates=replicates,
        icc=icc,
        components=None if components is None else state_components(components),
        pilot=pilot,
        ruled_out=ruled_out,
        wanted=wanted,
        width=width,
        alpha=alpha,
        power=power,
        costs=Costs(cost_rating, cost_rater, cost_target),
        simulate=simulate,
        points=points,
        seed=seed,
    )
    return PlanReport(plan_study(options))
