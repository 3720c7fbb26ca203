r"""Joint maximum likelihood of the many-facet Rasch model by Newton's method on sparse ratings.

The log likelihood is concave in all parameters together. The information matrix is diagonal in the bigger facet; it is
eliminated, and only the matrix of the smaller facet and the thresholds is dense (for thresholds per rater: of raters x
thresholds). See Linacre (1989), ch. 4 and Wright and Masters (1982), ch. 4 for the estimating equations; they are the
same as Facets solves.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.sparse import csr_array, hstack

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.ordinal.rasch_model import Moments, moments_of, steps_taken

RaschModel = Literal["rating_scale", "partial_credit"]

MOST_DENSE = 5000
MOVE_TOLERANCE = 1e-9
FARTHEST = 35.0
LONGEST_STEP = 2.0
MAX_STEPS = 100
MAX_HALVINGS = 30
NOISE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Joint maximum likelihood estimates, in logits, with the evidence.

    ``target`` (I,), ``severity`` (J,) with mean 0, ``thresholds`` (q,) or (J, q) with mean 0 in each row. The
    ``_joint`` fields are standard errors from the inverse of the whole information matrix under these constraints;
    ``target_information`` and ``rater_information`` hold its diagonal. ``max_gradient`` is the largest difference
    between an observed and an expected score, ``last_move`` the largest change in the last Newton step.
    """

    target: Floats
    severity: Floats
    thresholds: Floats
    target_joint: Floats
    severity_joint: Floats
    thresholds_joint: Floats
    target_information: Floats
    rater_information: Floats
    moments: Moments
    iterations: int
    max_gradient: float
    last_move: float


@dataclass(frozen=True, slots=True, eq=False)
class _Normal:
    """Blocks of the information matrix: diagonal of the big facet, sparse cross block, dense block."""

    big: Floats
    cross: csr_array
    dense: Floats


class _Layout:
    """Where the parameters stand: one vector for the bigger facet, one for all that is dense."""

    def __init__(self, target: Codes, rater: Codes, category: Codes, model: RaschModel) -> None:
        self.target, self.rater, self.category = target, rater, category
        self.n_t, self.n_r, self.q = int(target.max()) + 1, int(rater.max()) + 1, int(category.max())
        self.per_rater = model == "partial_credit"
        self.target_is_big = self.per_rater or self.n_t >= self.n_r
        self.big, self.small = (target, rater) if self.target_is_big else (rater, target)
        self.n_big = self.n_t if self.target_is_big else self.n_r
        self.n_small = self.n_r if self.target_is_big else self.n_t
        self.n_dense = self.n_small * self.q if self.per_rater else self.n_small + self.q
        if self.n_dense > MOST_DENSE:
            raise CannotEstimateError(
                f"{self.n_t} targets, {self.n_r} raters and {self.q} thresholds need a dense matrix of {self.n_dense} "
                f"rows, and {MOST_DENSE} are allowed",
                remedy="analyse parts of the ratings, or use thresholds shared by all raters",
            )
        self.taken = steps_taken(category, self.q)
        keys, self.cell = np.unique(self.big * self.n_small + self.small, return_inverse=True)
        self.cell_big, self.cell_small = keys // self.n_small, keys % self.n_small
        self.pointers = np.concatenate([[0], np.cumsum(np.bincount(self.cell_big, minlength=self.n_big))])

    def gauges(self) -> tuple[tuple[Floats, Floats], ...]:
        """Return the directions (big, dense) along which the likelihood does not change."""
        if self.per_rater:
            return ((np.ones(self.n_big), -np.ones(self.n_dense)),)
        small, steps = np.zeros(self.n_dense), np.zeros(self.n_dense)
        small[: self.n_small], steps[self.n_small :] = 1.0, 1.0
        return (np.ones(self.n_big), -small), (np.ones(self.n_big), -steps)

    def anchors(self) -> tuple[tuple[Floats, Floats], ...]:
        """Return the sums (big, dense) that are kept at zero: of severities and of thresholds."""
        if self.per_rater:
            return ((np.zeros(self.n_big), np.ones(self.n_dense)),)
        small, steps = np.zeros(self.n_dense), np.zeros(self.n_dense)
        small[: self.n_small], steps[self.n_small :] = 1.0, 1.0
        nothing = np.zeros(self.n_dense)
        raters = (np.zeros(self.n_big), small) if self.target_is_big else (np.ones(self.n_big), nothing)
        return raters, (np.zeros(self.n_big), steps)

    def step_logits(self, big: Floats, dense: Floats) -> Floats:
        """Return the log odds of every step of every rating, shape (n, q)."""
        if self.per_rater:
            return np.asarray(big[self.big][:, None] + dense.reshape(-1, self.q)[self.small])
        level = big[self.big] + dense[: self.n_small][self.small]
        return np.asarray(level[:, None] + dense[self.n_small :])

    def gradient(self, moments: Moments) -> tuple[Floats, Floats]:
        """Return observed minus expected scores, by big level and by dense parameter."""
        steps = self.taken - moments.reached
        total = steps.sum(axis=1)
        big = sum_by(self.big, total, self.n_big)
        if self.per_rater:
            return big, self._by_small(steps).ravel()
        return big, np.concatenate([sum_by(self.small, total, self.n_small), steps.sum(axis=0)])

    def _by_small(self, columns: Floats) -> Floats:
        sums = [sum_by(self.small, column, self.n_small) for column in columns.T]
        return np.stack(sums, axis=1)

    def information(self, moments: Moments) -> _Normal:
        """Return the information matrix at ``moments``."""
        big = sum_by(self.big, moments.variance, self.n_big)
        return _Normal(big, *(self._per_rater(moments) if self.per_rater else self._shared(moments)))

    def _shared(self, moments: Moments) -> tuple[csr_array, Floats]:
        own = sum_by(self.cell, moments.variance)
        table = csr_array((own, self.cell_small, self.pointers), shape=(self.n_big, self.n_small))
        of_big = np.stack([sum_by(self.big, c, self.n_big) for c in moments.with_steps.T], axis=1)
        dense = np.zeros((self.n_dense, self.n_dense))
        s = self.n_small
        dense[:s, :s] = np.diag(sum_by(self.small, moments.variance, s))
        dense[:s, s:] = self._by_small(moments.with_steps)
        dense[s:, :s] = dense[:s, s:].T
        reached = moments.reached.sum(axis=0)
        later = np.maximum.outer(np.arange(self.q), np.arange(self.q))
        dense[s:, s:] = reached[later] - moments.reached.T @ moments.reached
        return csr_array(hstack([table, csr_array(of_big)], format="csr")), dense

    def _per_rater(self, moments: Moments) -> tuple[csr_array, Floats]:
        q, s = self.q, self.n_small
        own = np.stack([sum_by(self.cell, c) for c in moments.with_steps.T], axis=1)
        columns = (self.cell_small[:, None] * q + np.arange(q)).ravel()
        cross = csr_array((own.ravel(), columns, self.pointers * q), shape=(self.n_big, self.n_dense))
        dense = np.zeros((s, q, s, q))
        reached = self._by_small(moments.reached)
        levels = np.arange(s)
        for k in range(q):
            for h in range(k, q):
                both = sum_by(self.small, moments.reached[:, k] * moments.reached[:, h], s)
                dense[levels, k, levels, h] = dense[levels, h, levels, k] = reached[:, h] - both
        return cross, dense.reshape(self.n_dense, self.n_dense)

    def start(self) -> tuple[Floats, Floats]:
        """Log odds of the raw scores of the big facet, of the category counts, and zero for the small facet."""
        count = np.bincount(self.big, minlength=self.n_big)
        share = (np.bincount(self.big, self.category, minlength=self.n_big) + 0.3) / (count * self.q + 0.6)
        used = np.log(np.bincount(self.category, minlength=self.q + 1) + 0.5)
        ease = np.diff(used) - np.diff(used).mean()
        dense = np.tile(ease, self.n_small) if self.per_rater else np.concatenate([np.zeros(self.n_small), ease])
        return np.log(share / (1.0 - share)), dense


class _Factored:
    """The information matrix with the big facet eliminated, made regular along the gauges."""

    def __init__(self, layout: _Layout, normal: _Normal) -> None:
        self.layout, self.normal = layout, normal
        self.inverse_big = 1.0 / normal.big
        scaled = normal.cross * self.inverse_big[:, None]
        s = normal.dense - np.asarray((csr_array(scaled).T @ normal.cross).toarray())
        for _, direction in layout.gauges():
            s += s.diagonal().mean() * np.outer(direction, direction) / (direction @ direction)
        self.factor, info = dpotrf(s, lower=1)
        if info or not np.all(np.isfinite(self.factor.diagonal())):
            raise _no_maximum()

    def solve(self, big: Floats, dense: Floats) -> tuple[Floats, Floats]:
        """Return the solution for a right-hand side (big, dense)."""
        cross = self.normal.cross
        lower = np.asarray(dpotrs(self.factor, dense - cross.T @ (self.inverse_big * big), lower=1)[0])
        return self.inverse_big * (big - cross @ lower), lower

    def variances(self) -> tuple[Floats, Floats]:
        """Return the variances of the big facet, and the covariance of the dense parameters, under the anchors."""
        layout, cross = self.layout, self.normal.cross
        inverse, _ = dpotri(self.factor, lower=1)
        dense = np.tril(inverse) + np.tril(inverse, -1).T
        spread = np.asarray(cross.multiply(cross @ dense).sum(axis=1)).ravel()
        big = self.inverse_big + self.inverse_big**2 * spread
        gauges, anchors = layout.gauges(), layout.anchors()
        null_big, null = (np.stack(part, axis=1) for part in zip(*gauges, strict=True))
        anchor_big, anchor = (np.stack(part, axis=1) for part in zip(*anchors, strict=True))
        turn = np.linalg.inv(anchor_big.T @ null_big + anchor.T @ null)
        pulled = [self.solve(b, d) for b, d in anchors]
        along_big, along = (np.stack(part, axis=1) for part in zip(*pulled, strict=True))
        middle = turn @ (anchor_big.T @ along_big + anchor.T @ along) @ turn.T
        shifted = null @ turn @ along.T
        big += np.einsum("ij,jk,ik->i", null_big, middle, null_big) - 2.0 * np.einsum(
            "ij,jk,ik->i", null_big, turn, along_big
        )
        return big, dense - shifted - shifted.T + null @ middle @ null.T


def _no_maximum() -> CannotEstimateError:
    return CannotEstimateError(
        "the joint likelihood has no finite maximum: some targets, raters or categories never mix in the ratings",
        remedy="collect ratings that connect targets and raters better, or merge categories that are hardly used",
    )


def calibrate(target: Codes, rater: Codes, category: Codes, *, model: RaschModel) -> Calibration:
    """Maximise the joint likelihood of ratings with dense codes of shape (n,), categories 0 .. q all used.

    There must be no extreme scores, and targets and raters must be connected. Raises ``CannotEstimateError`` where the
    maximum is not finite or could not be certified: the last Newton step must have moved nothing.
    """
    layout = _Layout(target, rater, category, model)
    big, dense = layout.start()
    moments = moments_of(layout.step_logits(big, dense), category)
    for iteration in range(1, MAX_STEPS + 1):
        factored = _Factored(layout, layout.information(moments))
        gradient = layout.gradient(moments)
        move = factored.solve(*gradient)
        longest = max(float(np.abs(move[0]).max()), float(np.abs(move[1]).max()))
        big, dense, moments = _climb(layout, (big, dense), move, moments, LONGEST_STEP / max(longest, LONGEST_STEP))
        if max(np.ptp(big), np.ptp(dense)) > FARTHEST:
            raise _no_maximum()
        if longest < MOVE_TOLERANCE:
            return _calibration(layout, (big, dense), iteration, longest)
    raise _no_maximum()


def _climb(
    layout: _Layout, at: tuple[Floats, Floats], move: tuple[Floats, Floats], moments: Moments, step: float
) -> tuple[Floats, Floats, Moments]:
    """Take the step, halved until the likelihood does not fall."""
    floor = moments.log_likelihood - NOISE * (1.0 + abs(moments.log_likelihood))
    for halving in range(MAX_HALVINGS):
        part = step * 0.5**halving
        big, dense = at[0] + part * move[0], at[1] + part * move[1]
        there = moments_of(layout.step_logits(big, dense), layout.category)
        if there.log_likelihood >= floor:
            return big, dense, there
    raise _no_maximum()


def _calibration(layout: _Layout, at: tuple[Floats, Floats], iterations: int, last_move: float) -> Calibration:
    """Put the answer into severities and thresholds that sum to zero."""
    moments = moments_of(layout.step_logits(*at), layout.category)
    normal = layout.information(moments)
    var_big, cov = _Factored(layout, normal).variances()
    s, q = layout.n_small, layout.q
    if layout.per_rater:
        ease = at[1].reshape(s, q)
        lenient, thresholds = ease.mean(axis=1), ease.mean(axis=1, keepdims=True) - ease
        blocks = cov.reshape(s, q, s, q)[np.arange(s), :, np.arange(s), :]
        centre = np.eye(q) - 1.0 / q
        var_rater = blocks.mean(axis=(1, 2))
        var_steps = np.einsum("kl,jlm,km->jk", centre, blocks, centre)
        target, var_target = at[0], var_big
    else:
        thresholds = at[1][s:].mean() - at[1][s:]
        var_steps = cov.diagonal()[s:]
        facets = (at[0], at[1][:s] + at[1][s:].mean())
        spread = (var_big, cov.diagonal()[:s])
        (target, lenient), (var_target, var_rater) = (
            (facets, spread) if layout.target_is_big else (facets[::-1], spread[::-1])
        )
    gradient = layout.gradient(moments)
    return Calibration(
        target=target + lenient.mean(),
        severity=lenient.mean() - lenient,
        thresholds=thresholds,
        target_joint=np.sqrt(np.maximum(var_target, 0.0)),
        severity_joint=np.sqrt(np.maximum(var_rater, 0.0)),
        thresholds_joint=np.sqrt(np.maximum(var_steps, 0.0)),
        target_information=sum_by(layout.target, moments.variance),
        rater_information=sum_by(layout.rater, moments.variance),
        moments=moments,
        iterations=iterations,
        max_gradient=max(float(np.abs(g).max()) for g in gradient),
        last_move=last_move,
    )
