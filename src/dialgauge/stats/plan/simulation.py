"""Simulation on the very design that is planned: draw ratings, fit and profile them as in a real study, and count."""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.seeding import child_rng
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.components import Components, Score
from dialgauge.stats.plan.layout import Layout, assign
from dialgauge.stats.plan.ordinal import cut_components, place_cuts
from dialgauge.stats.ranges import require_count, require_open
from dialgauge.stats.reml import Model, Panel, RemlFit, fit_panel
from dialgauge.stats.reml.odds import Odds, step_up
from dialgauge.stats.reml.profile import profile_odds

BATCH, BATCH_NUMBERS = 50, 4_000_000
"""Most studies that are analysed side by side, and most numbers of their matrices of raters (32 MB)."""


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """A number found by simulation, with its Monte Carlo standard error, from ``n`` runs."""

    value: float
    standard_error: float
    n: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """What simulated studies say about one reliability.

    ``truth`` is the reliability that the ratings were drawn with (after they were cut to points, if they were),
    ``mean`` that of the estimates, ``sd`` their standard deviation. ``width`` and ``coverage`` are over the runs that
    gave an interval. ``power`` is the share of all runs whose lower limit reaches the ``wanted`` reliability, a run
    without a lower limit counting as one that does not; ``None`` where none was wanted.
    """

    truth: float
    mean: MonteCarlo
    sd: float
    width: MonteCarlo
    coverage: MonteCarlo
    wanted: float | None
    power: MonteCarlo | None


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """Simulated studies of one layout.

    Of ``runs`` studies, ``no_fit`` gave no estimate and ``no_interval`` gave one without an interval; ``boundary``
    counts the fits with a variance of exactly zero per facet. ``values`` holds the estimated odds of ``score`` for
    one rater, shape (runs - no_fit,), ``intervals`` the ends of their intervals, shape (runs - no_fit - no_interval,
    2), where the upper may be infinite; ``truth`` is the true odds.
    """

    layout: Layout
    model: Model
    score: Score
    level: float
    truth: float
    runs: int
    no_fit: int
    no_interval: int
    boundary: dict[str, int]
    values: Floats
    intervals: Floats

    def summarise(self, *, wanted: float | None = None, k: float | None = None) -> Simulated:
        """Summarise the reliability of the mean of ``k`` raters, by default those of ``score``.

        ``wanted`` in (0, 1) asks for the power to show that reliability. Raises ``InputError`` for a ``wanted`` out
        of range, and ``CannotEstimateError`` where no run gave an interval.
        """
        if not len(self.intervals):
            raise CannotEstimateError(
                f"none of {self.runs} simulated studies gave an interval", remedy="plan more targets, or more raters"
            )
        k = self.score.k if k is None else k
        truth = step_up(self.truth, k)
        values, ends = _step_up(self.values, k), _step_up(self.intervals, k)
        power = None
        if wanted is not None:
            require_open("the wanted reliability", wanted, 0.0, 1.0)
            power = _share(int(np.sum(ends[:, 0] >= wanted)), self.runs)
        return Simulated(
            truth=truth,
            mean=_mean(values),
            sd=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
            width=_mean(ends[:, 1] - ends[:, 0]),
            coverage=_share(int(np.sum((ends[:, 0] <= truth) & (truth <= ends[:, 1]))), len(ends)),
            wanted=wanted,
            power=power,
        )


def simulate_design(
    layout: Layout,
    components: Components,
    *,
    runs: int,
    seed: int,
    model: Model = "crossed",
    score: Score | None = None,
    level: float = 0.95,
    points: int | None = None,
) -> Simulation:
    """Simulate ``runs`` studies with one random assignment of raters to targets, and analyse each by ``model``.

    Effects and residuals are normal with the variances of ``components``; with ``points`` the ratings are cut to so
    many (see `dialgauge.stats.plan.ordinal`), and the truth is that of the cut ratings. Run i has a random stream of
    its own, so more runs under the same ``seed`` begin with the same ones. ``score`` is one rating of one rater by
    default, ``level`` in (0, 1) that of the profile intervals. Raises ``InputError``, and ``CannotEstimateError``
    where the variance that ``score`` asks for is not in ``components``.
    """
    require_count("the number of simulated studies", runs, 1)
    require_open("the confidence level", level, 0.0, 1.0)
    score = score or Score()
    truth = (components if points is None else cut_components(components, points)).odds(score)
    target, rater = assign(layout, seed=seed)
    draw = _Draw(target, rater, components, points)
    panel = Panel.build(target, rater)
    batch = max(1, min(BATCH, BATCH_NUMBERS // panel.n_small**2))
    fits: list[RemlFit] = []
    odds: list[Odds] = []
    for first in range(0, runs, batch):
        columns = [draw.ratings(child_rng(seed, "plan", "ratings", i)) for i in range(first, min(first + batch, runs))]
        found = [fit for fit in fit_panel(panel, np.column_stack(columns), model=model) if isinstance(fit, RemlFit)]
        odds += profile_odds(found, form=score.form, replicates=score.replicates, level=level)
        fits += found
    ends = [(o.low, o.high) for o in odds if o.low is not None and o.high is not None]
    return Simulation(
        layout=layout,
        model=model,
        score=score,
        level=level,
        truth=truth,
        runs=runs,
        no_fit=runs - len(fits),
        no_interval=len(odds) - len(ends),
        boundary=dict(Counter(facet for fit in fits for facet in fit.boundary)),
        values=np.array([o.value for o in odds]),
        intervals=np.array(ends, dtype=np.float64).reshape(-1, 2),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Draw:
    """Who rates whom, and the variances that ratings are drawn with."""

    target: Codes
    rater: Codes
    components: Components
    points: int | None

    def ratings(self, rng: np.random.Generator) -> Floats:
        """Return the ratings of one study, shape (n,)."""
        c, n_raters = self.components, int(self.rater.max()) + 1
        cell = np.unique(self.target * n_raters + self.rater, return_inverse=True)[1]
        y = math.sqrt(c.residual) * rng.standard_normal(len(self.target))
        for variance, codes in ((c.target, self.target), (c.rater, self.rater), (c.target_x_rater, cell)):
            if variance:
                y += math.sqrt(variance) * rng.standard_normal(int(codes.max()) + 1)[codes]
        if self.points is None:
            return y
        return np.searchsorted(place_cuts(self.points) * math.sqrt(c.total), y).astype(np.float64) + 1.0


def _step_up(odds: Floats, k: float) -> Floats:
    finite = np.where(np.isinf(odds), 1.0, odds)
    return np.where(np.isinf(odds), 1.0, k * finite / (1.0 + k * finite))


def _mean(values: Floats) -> MonteCarlo:
    n = len(values)
    return MonteCarlo(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf, n)


def _share(count: int, n: int) -> MonteCarlo:
    """Return a share with a standard error that is not zero at 0 or 1 (Agresti and Coull 1998)."""
    moved = (count + 2.0) / (n + 4.0)
    return MonteCarlo(count / n, math.sqrt(moved * (1.0 - moved) / (n + 4.0)), n)
