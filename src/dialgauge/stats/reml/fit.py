"""Variance components of ratings by exact REML: one-way, crossed, crossed with replication, nested."""

from dataclasses import dataclass, fields
from itertools import product
from typing import Literal

import numpy as np

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.reml.criterion import Evaluation, evaluate
from dialgauge.stats.reml.minimise import Minima, NoMinimumError, Plane, ResidualVanishesError, minimise
from dialgauge.stats.reml.panel import PROBES, Panel, Responses

Model = Literal["one_way", "crossed", "crossed_replicated", "nested"]

TARGET, RATER, CELL = 0, 1, 2
FACETS = ("target", "rater", "cell")
ACTIVE: dict[Model, tuple[int, ...]] = {
    "one_way": (TARGET,),
    "crossed": (TARGET, RATER),
    "crossed_replicated": (TARGET, RATER, CELL),
    "nested": (TARGET, CELL),
}
"""Which of the ratios (target, rater, cell) a model has."""

SMALL_DESIGN = 12
GRID = {1: (0.0, 0.01, 0.1, 1.0, 10.0, 100.0), 2: (0.0, 0.01, 0.1, 0.5, 2.0, 10.0, 100.0), 3: (0.0, 0.1, 1.0, 10.0)}
"""With few levels the criterion may have several minima: no point of this grid of ratios may then lie below the
answer.
"""

SPARSE = 0.5
"""Share of the target x rater pairs below which moment estimates are coarse."""

MAX_DESCENTS = 4

LOWER = 1e-6
"""How much lower another minimum must be to be another one."""


@dataclass(frozen=True, slots=True, eq=False)
class RemlFit:
    """Variance components of one dimension, with the evidence that they are the REML solution.

    Variances are in squared units of the ratings; ``rater`` and ``cell`` (target x rater) are ``None`` where the model
    has no such facet. ``criterion`` is minus twice the restricted log likelihood as lme4 prints it. ``boundary`` names
    the facets whose variance is exactly zero. ``ratios`` (3,) are the variances over the residual one.
    ``max_gradient`` is the largest derivative of the criterion in the log of a free ratio. ``panel`` and ``responses``
    (of this dimension alone) allow profiling without reading the data again.
    """

    model: Model
    target: float
    rater: float | None
    cell: float | None
    residual: float
    criterion: float
    mean: float
    mean_se: float
    target_effect: Floats
    rater_effect: Floats
    boundary: tuple[str, ...]
    ratios: Floats
    evaluations: int
    max_gradient: float
    panel: Panel
    responses: Responses

    @property
    def approximation(self) -> str:
        """Say what is not exact about the fit of a large panel; empty where all is exact."""
        return f"conjugate gradients, traces from {PROBES} fixed probes" if self.panel.large else ""

    @property
    def active(self) -> tuple[int, ...]:
        """Indices of the ratios (target, rater, cell) that the model has."""
        return ACTIVE[self.model]

    def evaluate(self, ratios: Floats) -> Evaluation:
        """Evaluate the criterion of this dimension at other ``ratios`` of shape (m, 3)."""
        repeated = self.responses.take(np.zeros(len(ratios), dtype=np.intp))
        return evaluate(self.panel, repeated, ratios, cell=CELL in self.active)


def fit_reml(target: Codes, rater: Codes, values: Floats, *, model: Model) -> list[RemlFit]:
    """Fit ``model`` to each column of ``values``.

    ``target`` and ``rater`` hold dense codes of shape (n,); ``values`` has shape (n,) or (n, m) without missing values:
    m dimensions of one design are fitted in one call and share the work on the design. Raises ``CannotEstimateError``
    for constant ratings, for ratings without residual variation, and when no minimum can be certified.
    """
    panel = Panel.build(target, rater)
    found = fit_panel(panel, np.asarray(values, dtype=np.float64).reshape(len(target), -1), model=model)
    for fit in found:
        if isinstance(fit, CannotEstimateError):
            raise fit
    return [fit for fit in found if isinstance(fit, RemlFit)]


def fit_panel(panel: Panel, values: Floats, *, model: Model) -> list[RemlFit | CannotEstimateError]:
    """Fit ``model`` to the columns of ``values`` (n, m) on a panel that was built before.

    What cannot be estimated comes back as the error that says why, in its place.
    """
    if panel.large and CELL in ACTIVE[model]:
        raise CannotEstimateError(
            f"the interaction of {panel.n_big:,} x {panel.n_small:,} targets and raters is too large to be estimated",
            remedy="average the replicates (--duplicates mean), or analyse a random part of the targets",
        )
    varies = np.ptp(values, axis=0) > 0.0
    if not varies.any():
        return [_constant() for _ in varies]
    responses = Responses.of(panel, values if varies.all() else values[:, varies])
    minima = _lowest(panel, responses, model)
    fitted = (_record(model, panel, responses, minima, i) for i in range(len(minima.found)))
    return [next(fitted) if varied else _constant() for varied in varies]


def _constant() -> CannotEstimateError:
    return CannotEstimateError(
        "all ratings are equal, so there is no variance to divide", remedy="use targets that differ, or a finer scale"
    )


def _lowest(panel: Panel, responses: Responses, model: Model) -> Minima:
    """Return the lowest minimum of each dimension; small designs and boundary answers are checked against a grid."""
    active = list(ACTIVE[model])
    best = _minimise(panel, responses, active, _start(panel, responses, active))
    doubtful = ~best.found | (best.x == 0.0).any(axis=1) | (panel.n_small <= SMALL_DESIGN)
    rows = np.flatnonzero(doubtful & ~best.vanished)
    if not rows.size:
        return best
    grid = np.array(list(product(GRID[len(active)], repeat=len(active))))
    at_grid = _on_grid(panel, responses.take(rows), active, grid)
    for _ in range(MAX_DESCENTS):
        lowest = at_grid.argmin(axis=1)
        limit = np.where(best.found[rows], best.at.criterion[rows], np.inf)
        limit[best.vanished[rows]] = -np.inf
        lower = at_grid[np.arange(len(rows)), lowest] < limit - LOWER
        if not lower.any():
            break
        some = rows[lower]
        other = _minimise(panel, responses.take(some), active, grid[lowest[lower]])
        better = other.found & (other.at.criterion < limit[lower] - LOWER)
        best = merge(best, some, other, np.flatnonzero(better | other.vanished))
        at_grid[np.arange(len(rows)), lowest] = np.inf
    return best


def _on_grid(panel: Panel, responses: Responses, active: list[int], grid: Floats) -> Floats:
    """Return the criterion of each dimension at each point of ``grid``, shape (m, n_points)."""
    m, points = len(responses.scale), len(grid)
    ratios = np.zeros((m * points, 3))
    ratios[:, active] = np.tile(grid, (m, 1))
    repeated = responses.take(np.repeat(np.arange(m), points))
    return evaluate(panel, repeated, ratios, cell=CELL in active, second=False).criterion.reshape(m, points)


def _minimise(panel: Panel, responses: Responses, active: list[int], start: Floats) -> Minima:
    m = len(start)
    plane = Plane(base=np.zeros((m, 3)), matrix=np.broadcast_to(np.eye(3)[:, active], (m, 3, len(active))))

    def objective(rows: Codes, ratios: Floats, *, second: bool) -> Evaluation:
        chosen = responses if len(rows) == m else responses.take(rows)
        return evaluate(panel, chosen, ratios, cell=CELL in active, second=second)

    return minimise(objective, plane, start)


def merge(best: Minima, rows: Codes, other: Minima, which: Codes) -> Minima:
    """Return ``best`` with its searches ``rows[which]`` replaced by ``which`` of ``other``, all evaluations counted."""
    evaluations = best.evaluations.copy()
    evaluations[rows] += other.evaluations
    merged = {}
    for f in fields(Minima):
        value = getattr(best, f.name)
        if f.name == "at":
            merged[f.name] = value.put(rows[which], other.at.take(which))
        else:
            merged[f.name] = value.copy()
            merged[f.name][rows[which]] = getattr(other, f.name)[which]
    return Minima(**{**merged, "evaluations": evaluations})


def _start(panel: Panel, responses: Responses, active: list[int]) -> Floats:
    """Return moment estimates of the ratios, shape (m, len(active)), by Henderson's (1953) first method.

    For one factor it is the analysis of variance, which on balanced data is the answer already. On sparse crossed data,
    where the estimates are coarse, all dimensions start at their geometric mean: one factored matrix then serves all.
    On a small design the start may decide between several minima, so each dimension starts at its own.
    """
    d, e, n = panel.big_total, panel.small_total, panel.n
    squares = panel.cell_count**2
    small_sums = panel.turned @ responses.big_mean + responses.small_apart
    sums_of_squares = [(d[:, None] * responses.big_mean**2).sum(axis=0), (small_sums**2 / e[:, None]).sum(axis=0)]
    small_in_big, big_in_small = (float((squares / x).sum()) for x in (d[panel.big], e[panel.small]))
    expected = np.array([[n, small_in_big, len(d)], [big_in_small, n, len(e)], [n, n, n]], dtype=np.float64)
    expected -= np.array([float(d @ d) / n, float(e @ e) / n, 1.0])  # the grand mean, which is zero here
    observed = np.array([*sums_of_squares, np.full(len(responses.scale), n)])  # of unit variance
    facets = (TARGET, RATER) if panel.small_is_rater else (RATER, TARGET)  # of the rows and columns: big, then small
    used = [i for i, facet in enumerate(facets) if facet in active]
    keep = [*used, 2]
    system = expected[keep][:, keep]
    solved = np.linalg.solve(system + 1e-9 * n * np.eye(len(keep)), observed[keep])  # singular where raters are nested
    residual = np.maximum(solved[-1], 0.05)
    start = {facets[i]: np.clip(variance / residual, 0.02, 50.0) for i, variance in zip(used, solved, strict=False)}
    own = np.array([start.get(facet, np.full(len(residual), 0.2)) for facet in active]).T
    sparse = panel.n_cells < SPARSE * panel.n_big * panel.n_small
    if len(own) == 1 or len(used) == 1 or not sparse or panel.n_small <= SMALL_DESIGN:
        return own
    return np.broadcast_to(np.exp(np.log(own).mean(axis=0)), own.shape)


def _record(model: Model, panel: Panel, responses: Responses, minima: Minima, i: int) -> RemlFit | CannotEstimateError:
    if minima.vanished[i]:
        return ResidualVanishesError()
    if not minima.found[i]:
        return NoMinimumError()
    at, ratios, active = minima.at, minima.ratios[i], ACTIVE[model]
    residual = float(at.residual[i])
    variance = [float(ratio) * residual if j in active else None for j, ratio in enumerate(ratios)]
    return RemlFit(
        model=model,
        target=variance[TARGET] or 0.0,
        rater=variance[RATER],
        cell=variance[CELL],
        residual=residual,
        criterion=float(at.criterion[i]),
        mean=float(at.mean[i]),
        mean_se=float(at.mean_se[i]),
        target_effect=at.target_effect[i],
        rater_effect=at.rater_effect[i],
        boundary=tuple(FACETS[j] for j in active if ratios[j] == 0.0),
        ratios=ratios,
        evaluations=int(minima.evaluations[i]),
        max_gradient=float(minima.max_gradient[i]),
        panel=panel,
        responses=responses.take(slice(i, i + 1)),
    )
