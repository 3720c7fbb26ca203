"""Percent agreement, kappa and AC with each target, rater or cell left out, by updates of sums.

With m the counts of a cell (target x rater) and n those of its target, all that a coefficient needs is a quadratic
form, and (n - m)' W (n - m) = n' W n - 2 m' W n + m' W m: numbers by cell, never a table targets x raters.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from dialgauge.stats.agreement.chance import brennan_prediger, fleiss_kappa, gwet_ac
from dialgauge.stats.agreement.conger import conger_kappa
from dialgauge.stats.agreement.correction import check_paired, check_variation
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.agreement.expected import expected_agreement
from dialgauge.stats.agreement.observed import percent_agreement
from dialgauge.stats.agreement.twoway import (
    LEAST,
    ONE_HOLDS_ALL,
    LeftOut,
    NothingLeftError,
    check_left,
    these_raters_only,
    two_way_interval,
)
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Codes, Floats, sum_by
from dialgauge.stats.estimate import Estimate

Coefficient = Literal["percent", "fleiss", "conger", "brennan_prediger", "gwet"]

Units = list[Floats]
"""One number for the whole, then one for each target, rater and cell that is left out."""

_PLAIN = {
    "percent": percent_agreement,
    "fleiss": fleiss_kappa,
    "conger": conger_kappa,
    "brennan_prediger": brennan_prediger,
    "gwet": gwet_ac,
}


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cells of a table of counts: which cell each rating is in; target, rater and number of ratings of each cell.

    ``left`` is the number of ratings that the target keeps without the cell.
    """

    of: Codes
    target: Codes
    rater: Codes
    size: Floats
    left: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Forms:
    """Quadratic forms in a matrix M: n' M n by target; m' M n and m' M m by cell; n the counts of the target."""

    nn: Floats
    mn: Floats
    mm: Floats


def agreement_jackknife(counts: Counts, coefficient: Coefficient, weights: Floats | None = None) -> LeftOut:
    """Return the coefficient with each target, each rater and each cell left out.

    ``weights`` (q, q) let near misses count in part. Without a unit, everything is counted anew: targets that keep one
    rating say nothing of observed agreement, raters and targets that keep none are gone. Time and memory are O(ratings
    + (targets + raters) x q); the work of one product with ``weights`` for each target and rater comes on top. Raises
    ``CannotEstimateError`` as the coefficient does, and where leaving one out leaves nothing to compare.
    """
    W = check_weights(weights, counts.n_categories)
    check_paired(int(np.sum(counts.per_target >= 2)))
    cells = _find_cells(counts)
    forms = _forms(counts, cells, W)
    seen = _observed(counts, cells, forms)
    if coefficient == "percent":
        whole, target, rater, cell = seen
    else:
        check_variation(counts, _PLAIN[coefficient].__name__)
        chance = _chance(counts, cells, W, coefficient=coefficient, forms=forms)
        check_left([1.0 - part for part in chance], "categories that chance could mix up")
        pairs = zip(seen, chance, strict=True)
        whole, target, rater, cell = ((p_a - p_e) / (1.0 - p_e) for p_a, p_e in pairs)
    return LeftOut(float(whole[0]), target, rater, cell, counts.n_ratings)


def two_way_agreement(
    counts: Counts, coefficient: Coefficient, weights: Floats | None = None, *, level: float = 0.95
) -> Estimate:
    """Return percent agreement, kappa or AC with an interval for new targets and new raters.

    Arguments and errors as the coefficient itself. The interval is that of ``two_way_interval``: a target keeps its
    weight when a cell leaves it, so pure noise adds the same to V_cell as to V_rater but for the factor (J - 1) / J of
    the latter. Where leaving one out leaves nothing that disagrees, it is the linearised one for these raters only, and
    says so. Measured coverage stands in docs/agreement.md.
    """
    plain = _PLAIN[coefficient](counts, weights, level=level)
    try:
        left = agreement_jackknife(counts, coefficient, weights)
    except NothingLeftError as refusal:
        return these_raters_only(plain, refusal.why)
    found = two_way_interval(
        left,
        name=plain.method.partition(";")[0],
        level=level,
        floor=_floor(counts, coefficient, weights),
        shared=1.0 - 1.0 / len(left.rater),
    )
    return found or these_raters_only(plain, ONE_HOLDS_ALL)


def _floor(counts: Counts, coefficient: Coefficient, weights: Floats | None) -> float:
    """Return the lowest possible value; where chance has little to do with the ratings, that of no agreement at all."""
    if coefficient == "percent":
        return 0.0
    if coefficient not in {"brennan_prediger", "gwet"}:
        return LEAST
    p_e = expected_agreement(counts, coefficient, weights)
    return -p_e / (1.0 - p_e)


def _find_cells(counts: Counts) -> _Cells:
    J = len(counts.rater_table)
    cells, of = np.unique(counts.target * J + counts.rater, return_inverse=True)
    target = cells // J
    size = np.bincount(of).astype(np.float64)
    return _Cells(of, target, cells % J, size, counts.per_target[target] - size)


def _forms(counts: Counts, cells: _Cells, M: Floats) -> _Forms:
    product = counts.table @ M
    nn = np.sum(product * counts.table, axis=1)
    mn = sum_by(cells.of, product[counts.target, counts.category])
    return _Forms(nn, mn, _within_cells(counts, cells, M))


def _within_cells(counts: Counts, cells: _Cells, M: Floats) -> Floats:
    """Return m' M m by cell; only cells with replicates need more than a look at the diagonal."""
    found = sum_by(cells.of, np.diag(M)[counts.category])
    several = np.flatnonzero(cells.size > 1)
    if several.size:
        row = np.searchsorted(several, cells.of)
        inside = cells.size[cells.of] > 1
        q = counts.n_categories
        m = np.bincount(row[inside] * q + counts.category[inside], minlength=len(several) * q).reshape(-1, q)
        found[several] = np.sum((m @ M) * m, axis=1)
    return found


def _units(whole: float, target: Floats, cell: Floats, cells: _Cells) -> Units:
    """Add to ``whole`` what changes by leaving out each target, each rater (all of its cells), each cell."""
    return [np.array([whole]), whole + target, whole + sum_by(cells.rater, cell), whole + cell]


def _observed(counts: Counts, cells: _Cells, forms: _Forms) -> Units:
    r, left = counts.per_target.astype(np.float64), cells.left
    paired, stays = r >= 2, left >= 2
    A = np.where(paired, forms.nn - r, 0.0) / np.where(paired, r * (r - 1), 1.0)
    without = forms.nn[cells.target] - 2 * forms.mn + forms.mm - left
    A_left = np.where(stays, without, 0.0) / np.where(stays, left * (left - 1), 1.0)
    agreeing = _units(float(A.sum()), -A, A_left - A[cells.target], cells)
    n = paired.astype(np.float64)
    targets = _units(float(n.sum()), -n, stays - n[cells.target], cells)
    check_left(targets, "target with two ratings")
    return [a / n for a, n in zip(agreeing, targets, strict=True)]


def _chance(counts: Counts, cells: _Cells, W: Floats, *, coefficient: Coefficient, forms: _Forms) -> Units:
    q = counts.n_categories
    if coefficient == "brennan_prediger":
        sizes = (1, counts.n_targets, len(counts.rater_table), len(cells.size))
        return [np.full(size, W.mean()) for size in sizes]
    if coefficient == "conger":
        return _conger(counts, cells, W, forms)
    if coefficient == "fleiss":
        return _mean_shares(counts, cells, W, forms)
    eye = np.eye(q)
    return [W.sum() / (q * (q - 1)) * (1.0 - s) for s in _mean_shares(counts, cells, eye, _forms(counts, cells, eye))]


def _mean_shares(counts: Counts, cells: _Cells, M: Floats, forms: _Forms) -> Units:
    """Return pi' M pi, pi the mean over targets of the shares n / r of the categories.

    Without a cell the shares of its target move by a n - b m, with a = 1 / left - 1 / r and b = 1 / left.
    """
    r = counts.per_target.astype(np.float64)
    gone = cells.left == 0
    b = np.where(gone, 0.0, 1.0) / np.where(gone, 1.0, cells.left)
    a = b - 1 / r[cells.target]
    total = (counts.table / r[:, None]).sum(axis=0)
    towards = M @ total
    n_towards = counts.table @ towards
    m_towards = sum_by(cells.of, towards[counts.category])
    by_target = forms.nn / r**2 - 2 * n_towards / r
    linear = a * n_towards[cells.target] - b * m_towards
    square = a * a * forms.nn[cells.target] - 2 * a * b * forms.mn + b * b * forms.mm
    whole = float(total @ towards)
    moved = total + _move(cells.rater, cells.target, a, counts.table) - _gather(counts, counts.rater, b[cells.of])
    by_rater = np.sum((moved @ M) * moved, axis=1)
    forms_left = [np.array([whole]), whole + by_target, by_rater, whole + 2 * linear + square]
    ones = np.ones(counts.n_targets)
    targets = _units(float(counts.n_targets), -ones, -gone.astype(np.float64), cells)
    return [form / n**2 for form, n in zip(forms_left, targets, strict=True)]


def _conger(counts: Counts, cells: _Cells, W: Floats, forms: _Forms) -> Units:
    """Return the mean over ordered pairs of raters g, h of P_g' W P_h, P the distribution of a rater.

    Without a cell the distribution of its rater moves by a C - b m, C the counts of the rater.
    """
    C = counts.rater_table.astype(np.float64)
    n = C.sum(axis=1)
    P = C / n[:, None]
    S = P.sum(axis=0)
    left = n[cells.rater] - cells.size
    gone = left == 0
    b = np.where(gone, 0.0, 1.0) / np.where(gone, 1.0, left)
    a = b - 1 / n[cells.rater]
    PW, SW = P @ W, S @ W
    own = np.sum(PW * P, axis=1)
    X = float(SW @ S - own.sum())
    others = SW - PW
    m_others = sum_by(cells.of, others[counts.rater, counts.category])
    m_own = sum_by(cells.of, PW[counts.rater, counts.category])
    to_others = np.sum(others * P, axis=1)
    linear = a * (n * to_others)[cells.rater] - b * m_others
    own_linear = a * (n * own)[cells.rater] - b * m_own
    own_square = a * a * (n * n * own)[cells.rater] - 2 * a * b * (n[cells.rater] * m_own) + b * b * forms.mm
    D = _move(cells.target, cells.rater, a, C) - _gather(counts, counts.target, b[cells.of])
    by_target = 2 * D @ SW + np.sum((D @ W) * D, axis=1) - sum_by(cells.target, 2 * own_linear + own_square)
    sums = [np.array([X]), X + by_target, X - 2 * to_others, X + 2 * linear]
    J, went = float(len(C)), gone.astype(np.float64)
    raters = [np.array([J]), J - sum_by(cells.target, went), np.full(len(C), J - 1), J - went]
    check_left([part - 1.0 for part in raters], "two raters")
    return [x / (k * (k - 1)) for x, k in zip(sums, raters, strict=True)]


def _move(row: Codes, column: Codes, values: Floats, table: Floats | Codes) -> Floats:
    """Return (rows, q): for each row the sum over its cells of the value times the column's row of ``table``."""
    found: Floats = csr_array((values, (row, column)), shape=(int(row.max()) + 1, len(table))) @ table
    return found


def _gather(counts: Counts, row: Codes, values: Floats) -> Floats:
    """Return (rows, q): the sum of ``values``, one a rating, by row and category."""
    q = counts.n_categories
    return sum_by(row * q + counts.category, values, (int(row.max()) + 1) * q).reshape(-1, q)
