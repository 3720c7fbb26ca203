"""Marginal homogeneity: tests of whether two raters use the categories equally often."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import pinvh
from scipy.special import chdtrc

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.agreement.correction import check_paired
from dialgauge.stats.agreement.counts import MISSING, tabulate_dense
from dialgauge.stats.arrays import Codes


@dataclass(frozen=True, slots=True)
class MarginalTest:
    """Test that two raters have one marginal distribution: chi2 with ``df`` degrees of freedom, from ``n`` targets."""

    chi2: float
    df: int
    p: float
    n: int


def stuart_maxwell(ratings: Codes, n_categories: int) -> MarginalTest:
    """Return the test of Stuart (1955) and Maxwell (1970); ``ratings`` are category codes of shape (targets, 2).

    Targets with an empty cell (-1) are left out. Categories in which the raters never disagree add no degree of
    freedom. Raises ``CannotEstimateError`` where the raters never disagree.
    """
    chi2, df, n = _statistic(ratings, n_categories)
    return MarginalTest(chi2, df, float(chdtrc(df, chi2)), n)


def bhapkar(ratings: Codes, n_categories: int) -> MarginalTest:
    """Return the test of Bhapkar (1966), more powerful than ``stuart_maxwell``; same arguments.

    It is chi2 / (1 - chi2 / n) of the former. Raises ``CannotEstimateError`` where the raters never disagree, and where
    they disagree on every target in one direction, which makes it infinite.
    """
    chi2, df, n = _statistic(ratings, n_categories)
    if chi2 >= n * (1 - 1e-12):
        raise CannotEstimateError(
            "the raters disagree on every target and always in the same way, so Bhapkar's statistic is infinite",
            remedy="use stuart_maxwell",
        )
    chi2 /= 1.0 - chi2 / n
    return MarginalTest(chi2, df, float(chdtrc(df, chi2)), n)


def _statistic(ratings: Codes, n_categories: int) -> tuple[float, int, int]:
    if ratings.ndim != 2 or ratings.shape[1] != 2:
        raise InputError(f"ratings of shape {ratings.shape} are not those of two raters; give a table (targets, 2)")
    both = np.all(ratings != MISSING, axis=1)
    n = int(both.sum())
    check_paired(n)
    counts = tabulate_dense(ratings[both], n_categories)
    first, second = counts.category[counts.rater == 0], counts.category[counts.rater == 1]
    joint = np.bincount(first * n_categories + second, minlength=n_categories**2).reshape(n_categories, n_categories)
    off = (joint - np.diag(np.diag(joint))).astype(np.float64)
    difference = off.sum(axis=1) - off.sum(axis=0)
    covariance = np.diag(off.sum(axis=1) + off.sum(axis=0)) - off - off.T
    inverse, df = pinvh(covariance, return_rank=True)
    if df == 0:
        raise CannotEstimateError("the two raters never disagree", remedy="there is nothing to test: report agreement")
    return float(difference @ inverse @ difference), int(df), n
