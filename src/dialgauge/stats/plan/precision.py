r"""How precise a planned study would be: expected REML information, carried over to the log odds of a reliability.

With the variances :math:`\theta` = (target, rater, error of a cell mean) the expected information is :math:`I_{ij} =
\frac12 \mathrm{tr}(P V_i P V_j)`. Where all raters have the same number d of targets and all targets the same number
k of raters, everything commutes: for each eigenvalue q of N'N (raters sharing targets) except that of the constant,
with the ratios a and b of target and rater variance to the error, :math:`\kappa = 1 / (1 + a k)`, :math:`K = d - a
\kappa q` and :math:`S = 1 + b K`,

.. math::
    \mathrm{tr}(P Z_t Z_t')^2 = (I - 1) k^2 \kappa^2 - 2 b \kappa^3 k \sum q / S + b^2 \kappa^4 \sum q^2 / S^2, \quad
    \lVert Z_t' P Z_r \rVert^2 = \kappa^2 \sum q / S^2, \quad \mathrm{tr}(P Z_r Z_r')^2 = \sum K^2 / S^2

and the entries of the error follow from P V P = P. The interval is symmetric in the log odds, which for the mean of k
raters only shift by ln k. Source: Searle, Casella and McCulloch (1992), ch. 6 for the information; the delta method.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import expit, ndtr, ndtri

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.components import Components, Score
from dialgauge.stats.plan.layout import Layout
from dialgauge.stats.ranges import require_open

NODES = 6
"""Points at which the integral of a power is taken; its error is then below 1e-3 over any range of use."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The numbers of many layouts at once: arrays of one shape, () for a single one; ``replicates`` holds for all."""

    n_targets: Floats
    n_raters: Floats
    per_target: Floats
    replicates: int


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigenvalues of N'N but that of the constant: ``values`` and how often each occurs, both of shape (..., m)."""

    values: Floats
    times: Floats

    @classmethod
    def of_balanced(cls, shapes: Shapes) -> Self:
        """Return what is found where any two raters share equally many targets (m = 1)."""
        rank = np.minimum(shapes.n_targets, shapes.n_raters) - 1.0
        cells = shapes.n_targets * shapes.per_target
        value = cells * (1.0 - shapes.per_target / shapes.n_raters) / rank
        return cls(values=np.asarray(value)[..., None], times=np.asarray(rank)[..., None])

    @classmethod
    def of_assignment(cls, target: Codes, rater: Codes) -> Self:
        """Return those of the cells ``target``, ``rater`` (dense codes, one entry a cell), loads evened out."""
        shared = np.zeros((int(target.max()) + 1, int(rater.max()) + 1))
        shared[target, rater] = 1.0
        load = shared.sum(axis=0)
        scaled = shared * np.sqrt(load.mean() / load)
        gram = scaled @ scaled.T if len(shared) < len(load) else scaled.T @ scaled
        values = np.maximum(np.linalg.eigvalsh(gram)[:-1], 0.0)
        return cls(values=values, times=np.ones(len(values)))


@dataclass(frozen=True, slots=True)
class Precision:
    """The interval that a planned study is expected to give for a reliability.

    ``value`` is the reliability that was assumed, ``log_odds_sd`` the standard deviation of the log of its estimated
    odds.
    """

    value: float
    low: float
    high: float
    level: float
    log_odds_sd: float

    @property
    def width(self) -> float:
        """Distance between the ends of the interval."""
        return self.high - self.low


def expected_precision(
    layout: Layout,
    components: Components,
    *,
    score: Score,
    assignment: tuple[Codes, Codes] | None = None,
    level: float = 0.95,
) -> Precision:
    """Return the expected interval of the reliability of ``score`` from a study as planned by ``layout``.

    With ``assignment`` (target and rater codes, as `assign` returns them) the very cells are used, without it any two
    raters are taken to share equally many targets, which flatters sparse designs a little. Large-sample: with few
    raters or targets real intervals are wider, and `simulate_design` tells by how much. Raises ``InputError`` where
    the target or the residual variance is zero or ``level`` is not in (0, 1), and ``CannotEstimateError`` where
    ``score`` has replicates that the study cannot tell about, or raters are too many to share targets evenly.
    """
    require_open("the confidence level", level, 0.0, 1.0)
    shapes, spectrum = _describe(layout, assignment)
    variance = log_odds_variance(shapes, components, score=score, spectrum=spectrum, nested=layout.nested)
    sd = math.sqrt(float(variance))
    centre = math.log(components.odds(score) * score.k)
    reach = float(ndtri(0.5 + level / 2.0)) * sd
    low, high = (float(expit(centre + side * reach)) for side in (-1.0, 1.0))
    return Precision(float(expit(centre)), low, high, level, sd)


def expected_power(
    layout: Layout,
    components: Components,
    *,
    score: Score,
    wanted: float,
    assignment: tuple[Codes, Codes] | None = None,
    level: float = 0.95,
) -> float:
    """Return the probability (0 to 1) that the lower limit of the reliability of ``score`` reaches ``wanted``.

    ``wanted`` lies in (0, 1); the rest is as in `expected_precision`. See `signed_root` for what it rests on.
    """
    require_open("the wanted reliability", wanted, 0.0, 1.0)
    require_open("the confidence level", level, 0.0, 1.0)
    shapes, spectrum = _describe(layout, assignment)
    root = signed_root(shapes, components, wanted, score=score, spectrum=spectrum, nested=layout.nested)
    return float(ndtr(float(root) - ndtri(0.5 + level / 2.0)))


def signed_root(
    shapes: Shapes,
    components: Components,
    wanted: float,
    *,
    score: Score,
    spectrum: Spectrum | None = None,
    nested: bool = False,
) -> Floats:
    """Return the expected signed root of the criterion's rise from the true reliability of ``score`` to ``wanted``.

    It is the integral of 1 / sd over the log odds in between: a scale on which the estimate has variance 1 wherever
    it is, as the formula of Walter, Eliasziw and Donner (1998) has it for one-way designs. The odds are moved by the
    variance of targets. See `log_odds_variance` for the arguments and errors.
    """
    here = math.log(components.odds(score))
    there = math.log(wanted / (1.0 - wanted) / score.k)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    root = np.zeros(np.shape(shapes.n_targets))
    for node, weight in zip(nodes, weights, strict=True):
        odds = math.exp(there + (here - there) * (node + 1.0) / 2.0)
        moved = replace(components, target=odds * components.error(score))
        variance = log_odds_variance(shapes, moved, score=score, spectrum=spectrum, nested=nested)
        root = root + weight * (here - there) / 2.0 / np.sqrt(variance)
    return root


def _describe(layout: Layout, assignment: tuple[Codes, Codes] | None) -> tuple[Shapes, Spectrum | None]:
    numbers = (layout.n_targets, layout.n_raters, layout.per_target)
    n_targets, n_raters, per_target = (np.array(n, dtype=np.float64) for n in numbers)
    shapes = Shapes(n_targets, n_raters, per_target, layout.replicates)
    if assignment is None and not layout.nested and layout.n_cells < layout.n_targets + layout.n_raters:
        raise CannotEstimateError(
            f"{layout.n_raters} raters cannot share {layout.n_targets} targets evenly, {layout.per_target} on each",
            remedy="give the assignment, or plan fewer raters",
        )
    if assignment is None or layout.nested:
        return shapes, None
    once = slice(None, None, layout.replicates)
    return shapes, Spectrum.of_assignment(assignment[0][once], assignment[1][once])


def log_odds_variance(
    shapes: Shapes, components: Components, *, score: Score, spectrum: Spectrum | None = None, nested: bool = False
) -> Floats:
    """Return the large-sample variance of the log odds behind the reliability of ``score``, one for each of ``shapes``.

    Without a ``spectrum`` raters share targets evenly. ``nested`` means that each rater has one target: the one-way
    model is then meant, in which severity is noise. Raises ``InputError`` where the target or the residual variance
    is zero, and ``CannotEstimateError`` where the replicates of ``score`` need replicates in the study.
    """
    if not (components.target > 0.0 and components.residual > 0.0):
        raise InputError(
            "planning needs a positive variance of targets and a positive residual variance, got "
            f"{components.target} and {components.residual}"
        )
    noise = (components.target_x_rater or 0.0) + components.residual / shapes.replicates
    if nested:
        covariance = _one_way(shapes, components.target, noise + (components.rater or 0.0))
        error = components.error(Score(1.0, score.replicates))
        gradient = np.array([1.0 / components.target, -1.0 / error])
    else:
        severity = components.rater or 0.0
        covariance = _crossed(shapes, components.target, severity, noise, spectrum or Spectrum.of_balanced(shapes))
        error = components.error(score)
        gradient = np.array([1.0 / components.target, -1.0 / error if score.form == "absolute" else 0.0, -1.0 / error])
    variance = np.einsum("i,...ij,j->...", gradient, covariance, gradient)
    return np.asarray(variance + _of_replicates(shapes, components.residual / error, score.replicates))


def _of_replicates(shapes: Shapes, share: float, replicates: float) -> Floats | float:
    """Return what a score of other replicates than the study's adds: cells tell the residual apart from their means."""
    if replicates == shapes.replicates:
        return 0.0
    if shapes.replicates == 1:
        raise CannotEstimateError(
            "a study without replicates cannot tell the target x rater variance from the residual",
            remedy="plan replicates, or a score of one replicate",
        )
    within = shapes.n_targets * shapes.per_target * (shapes.replicates - 1)
    return np.asarray(2.0 * (share * (1.0 / replicates - 1.0 / shapes.replicates)) ** 2 / within)


def _crossed(shapes: Shapes, target: float, severity: float, noise: float, spectrum: Spectrum) -> Floats:
    """Return the covariance matrix of the estimates of (target, rater, noise), shape (..., 3, 3)."""
    n_t, n_r, k = shapes.n_targets, shapes.n_raters, shapes.per_target
    a, b = target / noise, severity / noise
    kappa = 1.0 / (1.0 + a * k)
    load = np.asarray(n_t * k / n_r)
    alone = n_r - 1.0 - spectrum.times.sum(axis=-1)  # where raters outnumber targets, N'N has this many zeros more
    q = np.concatenate([spectrum.values, np.zeros((*load.shape, 1))], axis=-1)
    times = np.concatenate([spectrum.times, np.asarray(alone)[..., None]], axis=-1)
    K = load[..., None] - np.asarray(a * kappa)[..., None] * q
    S = 1.0 + b * K
    q1, q2 = (times * q / S).sum(axis=-1), (times * (q / S) ** 2).sum(axis=-1)
    tt = (n_t - 1.0) * (k * kappa) ** 2 - 2.0 * b * kappa**3 * k * q1 + b**2 * kappa**4 * q2
    tr = kappa**2 * (times * q / S**2).sum(axis=-1)
    rr = (times * (K / S) ** 2).sum(axis=-1)
    trace_t = (n_t - 1.0) * k * kappa - b * kappa**2 * q1
    trace_r = (times * K / S).sum(axis=-1)
    te, re = trace_t - a * tt - b * tr, trace_r - a * tr - b * rr
    ee = n_t * k - 1.0 - a * (trace_t + te) - b * (trace_r + re)
    return _invert([[tt, tr, te], [tr, rr, re], [te, re, ee]], noise)


def _one_way(shapes: Shapes, target: float, noise: float) -> Floats:
    """Return that of (target, noise) where each target has raters of its own, shape (..., 2, 2)."""
    n_t, k = shapes.n_targets, shapes.per_target
    kappa = 1.0 / (1.0 + target / noise * k)
    te = (n_t - 1.0) * k * kappa**2
    return _invert([[te * k, te], [te, (n_t - 1.0) * kappa**2 + n_t * (k - 1.0)]], noise)


def _invert(squares: list[list[Floats]], noise: float) -> Floats:
    information = np.stack([np.stack(row, axis=-1) for row in squares], axis=-2) / (2.0 * noise**2)
    return np.asarray(np.linalg.inv(information))
