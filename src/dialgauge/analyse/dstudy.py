"""Decision study of one dimension: how many raters are enough, and what other numbers of them would give."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.analyse.results import DimensionReliability
from dialgauge.errors import InputError
from dialgauge.model import Ratings
from dialgauge.stats.components import Components, Score
from dialgauge.stats.dstudy import Costs, Pair, cheapest_pair, raters_needed, target_errors
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.ranges import require_count
from dialgauge.stats.reml import RemlFit
from dialgauge.stats.reml.odds import Form, Odds, step_up
from dialgauge.stats.reml.profile import profile_odds

WANTED = (0.5, 0.75, 0.8, 0.9)
"""Where the bands of Koo and Li (2016) begin, and the .80 that is often asked for."""

GRID_RATERS, GRID_REPLICATES = (1, 2, 3, 5, 10, 20), (1, 2, 3, 5)


@dataclass(frozen=True, slots=True)
class Needed:
    """How many raters per target a wanted reliability takes.

    ``by_value`` goes by the point estimate; ``by_lower_limit`` is enough beyond sampling error. ``cheapest`` is the
    cheapest pair of raters and replicates by the point estimate, where costs were given.
    """

    wanted: float
    by_value: int | Refusal
    by_lower_limit: int | Refusal
    cheapest: Pair | Refusal | None = None


@dataclass(frozen=True, slots=True)
class Averaged:
    """The reliability of the mean of ``k`` raters with ``replicates`` ratings each."""

    k: int
    replicates: float
    reliability: Estimate


@dataclass(frozen=True, slots=True)
class DecisionStudy:
    """What other numbers of raters would make of one dimension.

    ``curve`` holds Rel(k) for k = 1, 2, ... at ``replicates``, ``grid`` Rel(k, r) for some of both; the grid is empty
    where the interaction of target and rater cannot be told from the residual, for then nobody knows what replicates
    gain. ``level`` is the confidence level of every interval.
    """

    name: str
    form: Form
    replicates: float
    level: float
    components: Components
    needed: tuple[Needed, ...]
    curve: tuple[Averaged, ...]
    grid: tuple[Averaged, ...]


@dataclass(frozen=True, slots=True)
class TargetPrecision:
    """What one target's mean is worth: its standard error in scale units, and the reliability of such means."""

    target: str
    n_raters: int
    n_ratings: int
    mean: float
    standard_error: float
    reliability: float


def decision_study(
    source: DimensionReliability | RemlFit,
    *,
    wanted: Sequence[float] = WANTED,
    most_raters: int = 20,
    form: Form = "absolute",
    replicates: float = 1.0,
    costs: Costs | None = None,
    level: float = 0.95,
    name: str = "",
) -> DecisionStudy:
    """Return how many raters give each of the ``wanted`` reliabilities, and Rel(k) for k = 1 to ``most_raters``.

    From a fit every number of ``replicates`` per rater has its interval, of confidence ``level``; from the record of
    an analysis only 1 and the number that was collected have one, and its own level and name are used. ``costs`` asks
    for the cheapest pair of raters and replicates for as many targets as ``source`` has, everybody rating everything.
    Raises ``InputError`` for numbers out of range, and ``CannotEstimateError`` where ``source`` cannot tell what
    replicates gain.
    """
    require_count("the largest number of raters", most_raters, 1)
    basis = _of_fit(source, form, level, name) if isinstance(source, RemlFit) else _of_record(source, form)
    components = basis.components
    odds = basis.odds(replicates)
    needed = []
    for goal in wanted:
        by_limit = _no_interval() if odds.low is None else raters_needed(odds.low, goal)
        pair = cheapest_pair(components, goal, costs=costs, n_targets=basis.n_targets, form=form) if costs else None
        needed.append(Needed(goal, raters_needed(odds.value, goal), by_limit, pair))
    curve = [basis.averaged(k, replicates, odds) for k in range(1, most_raters + 1)]
    grid = []
    if components.target_x_rater is not None:
        by_replicates = {r: basis.odds(r) for r in GRID_REPLICATES}
        grid = [basis.averaged(k, r, by_replicates[r]) for k in GRID_RATERS for r in GRID_REPLICATES]
    return DecisionStudy(
        basis.name, form, replicates, basis.level, components, tuple(needed), tuple(curve), tuple(grid)
    )


def rate_targets(
    ratings: Ratings, dimension: DimensionReliability, *, form: Form = "absolute"
) -> tuple[TargetPrecision, ...]:
    """Return what each target's own mean of ``dimension`` is worth, in the order of the targets' names.

    ``ratings`` are those that ``dimension`` was analysed from. Raises ``InputError`` where they do not hold it.
    """
    kept = ratings.frame.filter((pl.col("dimension") == dimension.name) & pl.col("value").is_not_null())
    if not len(kept):
        raise InputError(f"there are no ratings of {dimension.name}; give the ratings that were analysed")
    names, target = np.unique(kept["target"].to_numpy(), return_inverse=True)
    rater = np.unique(kept["rater"].to_numpy(), return_inverse=True)[1]
    errors = target_errors(to_components(dimension), target, rater, form=form)
    means = np.bincount(target, kept["value"].to_numpy()) / errors.n_ratings
    columns = zip(
        names, errors.n_raters, errors.n_ratings, means, np.sqrt(errors.error), errors.reliability, strict=True
    )
    return tuple(
        TargetPrecision(str(label), int(raters), int(n), float(mean), float(se), float(reliability))
        for label, raters, n, mean, se, reliability in columns
    )


def to_components(dimension: DimensionReliability) -> Components:
    """Return the variance components of an analysed dimension as the decision study takes them."""
    v = dimension.variance
    return Components(target=v.target, rater=v.rater, target_x_rater=v.target_x_rater, residual=v.residual)


@dataclass(frozen=True, slots=True, eq=False)
class _Basis:
    """The odds of one rater, and what every Estimate that is made of them says."""

    name: str
    components: Components
    known: dict[float, Odds]
    fit: RemlFit | None
    form: Form
    level: float
    method: str
    covers: str
    n: int
    n_targets: int
    flags: tuple[Flag, ...]

    def odds(self, replicates: float) -> Odds:
        """Return the odds of one rater with ``replicates`` ratings; without ends where no interval is known."""
        if replicates not in self.known:
            value = self.components.odds(Score(1.0, replicates, self.form))
            self.known[replicates] = (
                Odds(value, None, None, method="none")
                if self.fit is None
                else profile_odds([self.fit], form=self.form, replicates=replicates, level=self.level)[0]
            )
        return self.known[replicates]

    def averaged(self, k: int, replicates: float, odds: Odds) -> Averaged:
        """Put the reliability of the mean of ``k`` raters into an Estimate."""
        low, high = (None if end is None else step_up(end, k) for end in (odds.low, odds.high))
        if low is None or high is None:
            low = high = None
        missing: tuple[Flag, ...] = ("no_interval",) if low is None else ()
        estimate = Estimate(
            value=step_up(odds.value, k),
            low=low,
            high=high,
            level=self.level,
            method=self.method,
            covers=self.covers,
            n=self.n,
            flags=tuple(dict.fromkeys((*self.flags, *missing))),
        )
        return Averaged(k, replicates, estimate)


def _of_fit(fit: RemlFit, form: Form, level: float, name: str) -> _Basis:
    components = Components(target=fit.target, rater=fit.rater, target_x_rater=fit.cell, residual=fit.residual)
    return _Basis(
        name=name,
        components=components,
        known={},
        fit=fit,
        form=form,
        level=level,
        method=f"REML {fit.model.replace('_', ' ')}, {form}, profile likelihood",
        covers="targets" if fit.rater is None else "targets and raters",
        n=fit.panel.n,
        n_targets=len(fit.target_effect),
        flags=("boundary",) if fit.boundary else (),
    )


def _of_record(d: DimensionReliability, form: Form) -> _Basis:
    single, averaged = (d.rel_single, d.rel_k) if form == "absolute" else (d.rel_single_relative, d.rel_k_relative)
    return _Basis(
        name=d.name,
        components=to_components(d),
        known={d.replicates: _to_odds(averaged, d.k), 1.0: _to_odds(single, 1.0)},
        fit=None,
        form=form,
        level=single.level,
        method=single.method,
        covers=single.covers,
        n=single.n,
        n_targets=d.design.n_targets,
        flags=tuple(flag for flag in single.flags if flag != "no_interval"),
    )


def _to_odds(estimate: Estimate, k: float) -> Odds:
    """Return the odds of one rater behind the reliability of a mean of ``k``."""

    def of_one(reliability: float) -> float:
        return reliability / (1.0 - reliability) / k if reliability < 1.0 else math.inf

    low, high = (None if end is None else of_one(end) for end in (estimate.low, estimate.high))
    return Odds(of_one(estimate.value), low, high, method=estimate.method)


def _no_interval() -> Refusal:
    return Refusal("the interval could not be formed, so its lower limit is unknown", "collect ratings of more targets")
