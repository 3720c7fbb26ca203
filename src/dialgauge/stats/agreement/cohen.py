"""Two raters, from a small table targets x raters of category codes in which -1 marks an empty cell."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.chance import fleiss_kappa
from dialgauge.stats.agreement.correction import (
    ZeroTest,
    check_expected,
    check_paired,
    linearised,
    symmetric,
)
from dialgauge.stats.agreement.counts import MISSING, tabulate_dense
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate

StandardError = Literal["general", "large_sample"]


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Two raters on the targets that both rated: kappa and its parts."""

    kappa: float
    expected: float
    n: int
    row: Floats  # w_i. : mean weight of category i of the first rater against the second's distribution
    column: Floats
    weights: Floats
    joint: Floats
    both: NDArray[np.bool_]
    terms: Floats  # linearised contributions of the targets that both rated


def cohen_kappa(
    ratings: Codes,
    n_categories: int,
    *,
    weights: Floats | None = None,
    level: float = 0.95,
    error: StandardError = "general",
) -> Estimate:
    """Return Cohen's kappa of two raters, ``ratings`` of shape (targets, 2).

    ``weights`` (q, q) let near misses count in part (Cohen 1968). Targets with an empty cell are left out; ``n`` tells
    how many ratings were used. ``error`` is ``"general"`` (Gwet 2014, t) or ``"large_sample"`` (Fleiss, Cohen and
    Everitt 1969, normal), which is smaller by the factor sqrt((n - 1) / n). Raises ``CannotEstimateError`` where both
    raters use one and the same category only, and unless two targets have both ratings.
    """
    pair = _compare(_two_columns(ratings), n_categories, weights)
    name = "Cohen's kappa" if weights is None else "weighted Cohen's kappa"
    if error == "general":
        return linearised(pair.kappa, pair.terms, n=2 * pair.n, name=name, level=level)
    words = f"{name}; large-sample standard error (Fleiss, Cohen and Everitt 1969), normal"
    return symmetric(pair.kappa, _large_sample_error(pair), df=math.inf, n=2 * pair.n, name=words, level=level)


def cohen_test(ratings: Codes, n_categories: int, *, weights: Floats | None = None) -> ZeroTest:
    """Test that Cohen's kappa is zero, with the standard error that holds if it is (Fleiss, Cohen and Everitt 1969).

    Raises as ``cohen_kappa``, and ``CannotEstimateError`` where a rater uses one category only.
    """
    pair = _compare(_two_columns(ratings), n_categories, weights)
    independent = np.outer(pair.joint.sum(axis=1), pair.joint.sum(axis=0))
    spread = np.sum(independent * (pair.weights - pair.row[:, None] - pair.column) ** 2) - pair.expected**2
    se = math.sqrt(max(spread, 0.0) / pair.n) / (1 - pair.expected)
    if se <= 1e-12:
        raise CannotEstimateError(
            "a rater used one category only, so kappa is zero whatever the other did",
            remedy="report percent agreement and the marginals",
        )
    z = pair.kappa / se
    return ZeroTest(pair.kappa, se, z, float(2 * ndtr(-abs(z))))


def scott_pi(ratings: Codes, n_categories: int, *, weights: Floats | None = None, level: float = 0.95) -> Estimate:
    """Return Scott's pi of two raters, ``ratings`` of shape (targets, 2): Fleiss' kappa of the targets that both rated.

    Raises as ``cohen_kappa``. Source: Scott (1955).
    """
    ratings = _two_columns(ratings)
    both = np.all(ratings != MISSING, axis=1)
    check_paired(int(both.sum()))
    estimate = fleiss_kappa(tabulate_dense(ratings[both], n_categories), weights, level=level)
    words = estimate.method.replace("Fleiss' kappa", "Scott's pi")
    return Estimate(
        estimate.value, estimate.low, estimate.high, level, words, estimate.covers, estimate.n, estimate.flags
    )


def light_kappa(
    ratings: Codes,
    n_categories: int,
    *,
    weights: Floats | None = None,
    level: float = 0.95,
    names: Sequence[str] = (),
) -> Estimate:
    """Return Light's kappa, the mean of Cohen's kappa over all pairs of raters, ``ratings`` of shape (targets, raters).

    Each pair uses the targets that both rated; ``names`` are those of the raters, for messages. The standard error is
    that of the mean of the linearised terms. Raises ``CannotEstimateError`` where Cohen's kappa of some pair is
    undefined, naming the pair. Source: Light (1971); Conger (1980).
    """
    n_targets, J = ratings.shape
    if J < 2:
        raise CannotEstimateError("there is one rater only", remedy="let at least two raters rate the same targets")
    pairs = list(itertools.combinations(range(J), 2))
    kappas, terms = np.empty(len(pairs)), np.zeros(n_targets)
    for p, (a, b) in enumerate(pairs):
        try:
            pair = _compare(ratings[:, [a, b]], n_categories, weights)
        except CannotEstimateError as refusal:
            raise CannotEstimateError(f"{say_pair(a, b, names)}: {refusal.reason}", remedy=refusal.remedy) from refusal
        kappas[p] = pair.kappa
        terms[pair.both] += (pair.terms - pair.kappa) * (n_targets / pair.n) / len(pairs)
    value = float(kappas.mean())
    n = int(np.sum(ratings != MISSING))
    return linearised(value, terms, n=n, name="Light's kappa", level=level, around=0.0)


def say_pair(a: int, b: int, names: Sequence[str] = ()) -> str:
    """Write two raters by their names, or by their columns where they have none."""
    return f"raters {names[a]} and {names[b]}" if names else f"raters {a} and {b}"


def _two_columns(ratings: Codes) -> Codes:
    if ratings.ndim != 2 or ratings.shape[1] != 2:
        raise InputError(f"ratings of shape {ratings.shape} are not those of two raters; give a table (targets, 2)")
    return ratings


def _compare(ratings: Codes, n_categories: int, weights: Floats | None) -> _Pair:
    W = check_weights(weights, n_categories)
    both = np.all(ratings != MISSING, axis=1)
    n = int(both.sum())
    check_paired(n)
    counts = tabulate_dense(ratings[both], n_categories)  # checks the codes
    first, second = counts.category[counts.rater == 0], counts.category[counts.rater == 1]
    joint = np.bincount(first * n_categories + second, minlength=n_categories**2).reshape(W.shape) / n
    row, column = W @ joint.sum(axis=0), W @ joint.sum(axis=1)
    expected = float(joint.sum(axis=1) @ row)
    check_expected(expected, "Cohen's kappa")
    kappa = (float(np.sum(W * joint)) - expected) / (1 - expected)
    chance = (row[first] + column[second]) / 2
    terms = (W[first, second] - expected) / (1 - expected) - 2 * (1 - kappa) * (chance - expected) / (1 - expected)
    return _Pair(kappa, expected, n, row, column, W, joint, both, terms)


def _large_sample_error(pair: _Pair) -> float:
    k, e = pair.kappa, pair.expected
    square = np.sum(pair.joint * (pair.weights - (pair.row[:, None] + pair.column) * (1 - k)) ** 2)
    return math.sqrt(max(float(square) - (k - e * (1 - k)) ** 2, 0.0) / pair.n) / (1 - e)
