r"""The profiled REML criterion of systems compared, exact on any design, with its gradient.

Model: :math:`y = X \beta + \sum_k Z_k u_k + e`, X with a column for each system, all effects independent normal;
:math:`\gamma_k` is the variance of :math:`u_k` over that of e. Effects whose levels lie within each other (dialogues
within persona x system within persona) form a chain that is taken out level by level: for a level of the chain with
:math:`t = 1'V^{-1}1` and :math:`s = T'V^{-1}1`, both over its values,

.. math::
    \log|V| \mathrel{+}= \log(1 + \gamma t), \quad G \mathrel{-}= \frac{\gamma}{1 + \gamma t} s s', \quad
    (t, s) \to (t, s) / (1 + \gamma t)

goes up to the level around it (Sherman and Morrison 1950), where T holds the columns of all other effects, X and y,
and G is :math:`T'V^{-1}T`. Only the matrix of the other effects is factored. The gradient runs the same steps
backwards. All of it is exact at zero ratios. For REML: Searle, Casella and McCulloch (1992), ch. 6.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from dialgauge.stats.arrays import Floats
from dialgauge.stats.compare.layout import Layout


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The criterion (minus twice the restricted log likelihood) with its gradient in the ratios, shape (k,).

    ``squares`` is y'Py over the residual variance, ``effects`` (S,) are the means of the systems, ``spread`` (S, S) is
    their covariance over the residual variance.
    """

    criterion: float
    gradient: Floats
    squares: float
    effects: Floats
    spread: Floats


def evaluate(layout: Layout, ratios: Floats, *, slope: bool = True) -> Evaluation:
    """Evaluate the criterion at ``ratios`` >= 0 of shape (k,), in the order of ``layout.names``.

    Without ``slope`` the gradient is left at zero. Where the residual sum of squares is not positive the
    criterion is minus infinity.
    """
    gram, log_det, trail = _climb(layout, ratios[: layout.n_chain])
    top = _Top(layout, gram, ratios[layout.n_chain :])
    free = layout.n - layout.n_systems
    vanished = not top.squares > 1e-13 * layout.total
    criterion = -math.inf
    if not vanished:
        criterion = log_det + top.log_det + free * (1.0 + math.log(2.0 * math.pi * top.squares / free))
    if vanished or not slope:
        return Evaluation(criterion, np.zeros(len(ratios)), top.squares, top.effects, top.spread)
    pull, own = top.slopes(1.0, free / top.squares)
    gradient = np.concatenate([_descend(layout, ratios, trail, pull, determinant=1.0), own])
    return Evaluation(criterion, gradient, top.squares, top.effects, top.spread)


def slope_of_squares(layout: Layout, ratios: Floats) -> Floats:
    """Return the derivative of y'Py in the ratios, shape (k,)."""
    gram, _, trail = _climb(layout, ratios[: layout.n_chain])
    pull, own = _Top(layout, gram, ratios[layout.n_chain :]).slopes(0.0, 1.0)
    return np.concatenate([_descend(layout, ratios, trail, pull, determinant=0.0), own])


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """What arrives at a level of the chain: t of shape (q,) and s of shape (q, r)."""

    t: Floats
    s: Floats


def _climb(layout: Layout, ratios: Floats) -> tuple[Floats, float, list[_Level]]:
    """Take the chain out from its finest level on; return G, log|V| of it, and what arrived at each level."""
    gram, log_det, trail = layout.gram.copy(), 0.0, list[_Level]()
    t, s = layout.first_count, layout.first_sum
    for ratio, up in zip(ratios, layout.parents, strict=True):
        trail.append(_Level(t, s))
        shrunk = 1.0 + ratio * t
        if ratio > 0.0:
            log_det += float(np.log(shrunk).sum())
            gram -= s.T @ ((ratio / shrunk)[:, None] * s)
        if up is not None:
            t, s = up.sums @ (t / shrunk), up.sums @ (s / shrunk[:, None])
    return gram, log_det, trail


def _descend(layout: Layout, ratios: Floats, trail: list[_Level], pull: Floats, *, determinant: float) -> Floats:
    """Return the derivative in the ratios of the chain; ``pull`` (r, r) is that in G, and ``determinant`` in log|V|."""
    found = np.zeros(layout.n_chain)
    t_up, s_up = np.zeros(0), np.zeros((0, 0))
    for k in reversed(range(layout.n_chain)):
        t, s, ratio, up = trail[k].t, trail[k].s, ratios[k], layout.parents[k]
        shrunk = 1.0 + ratio * t
        pulled = s @ pull
        of_w = -np.einsum("qr,qr->q", pulled, s)
        passed_t, passed_s = (np.zeros(len(t)), np.zeros_like(s)) if up is None else (t_up[up.codes], s_up[up.codes])
        lost = passed_t * t + np.einsum("qr,qr->q", passed_s, s)
        found[k] = float((determinant * t / shrunk + (of_w - t * lost) / shrunk**2).sum())
        if k:
            t_up = (-(ratio**2) * of_w + passed_t - ratio * (lost - passed_t * t)) / shrunk**2
            t_up += determinant * ratio / shrunk
            s_up = passed_s / shrunk[:, None] - 2.0 * (ratio / shrunk)[:, None] * pulled
    return found


class _Top:
    """The effects outside the chain, the systems' means and the residual squares, from G."""

    def __init__(self, layout: Layout, gram: Floats, ratios: Floats) -> None:
        self.n_systems, self.blocks, self.gram = layout.n_systems, layout.blocks, gram
        b = layout.n_dense
        root = np.sqrt(np.repeat(ratios, self.blocks))
        inverse: Floats = np.zeros((0, 0))
        self.log_det = 0.0
        if b:
            factor = cho_factor(np.eye(b) + root[:, None] * gram[:b, :b] * root, lower=True)
            self.log_det = 2.0 * float(np.log(np.diag(factor[0])).sum())
            inverse = root[:, None] * cho_solve(factor, np.diag(root))
        self.inverse = inverse
        self.back = inverse @ gram[:b, b:]
        left = gram[b:, b:] - gram[b:, :b] @ self.back
        S = self.n_systems
        fixed = cho_factor(left[:S, :S], lower=True)
        self.log_det += 2.0 * float(np.log(np.diag(fixed[0])).sum())
        self.spread = np.asarray(cho_solve(fixed, np.eye(S)))
        self.effects = np.asarray(cho_solve(fixed, left[:S, S]))
        self.squares = float(left[S, S] - left[:S, S] @ self.effects)

    def slopes(self, determinant: float, squares: float) -> tuple[Floats, Floats]:
        """Return the derivative of a weighted sum in G, and in the ratios outside the chain.

        The sum is ``determinant`` (log|V| + log|X'V^-1 X|) + ``squares`` y'Py.
        """
        b, S = len(self.inverse), self.n_systems
        v = np.append(-self.effects, 1.0)
        outer = squares * np.outer(v, v)
        outer[:S, :S] += determinant * self.spread
        turn = np.concatenate([-self.back.T, np.eye(S + 1)], axis=1)
        pull = turn.T @ outer @ turn
        pull[:b, :b] += determinant * self.inverse
        own = self.gram[:b, :b]
        crossed = self.gram[b:, :b] - self.back.T @ own
        each = determinant * (np.diag(own) - np.einsum("ij,ji->i", own @ self.inverse, own))
        each -= np.einsum("ij,ij->j", crossed, outer @ crossed)
        ends = np.cumsum([0, *self.blocks])
        return pull, np.array([float(each[i:j].sum()) for i, j in pairwise(ends)])
