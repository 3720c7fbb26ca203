"""Fits against lme4 and nlme; peers.R beside this file prints the literals.

R 4.2.2, lme4 1.1.31 (bobyqa, rhoend 1e-9), nlme 3.1.162. lme4 holds variances to about 1e-6 of the variance of the
ratings, nlme to about 1e-5; both hold the criterion, which is flat at its minimum, much better.
"""

from collections.abc import Callable, Collection, Sequence

import pytest

from dialgauge.stats.kinds import KindsFit, fit_kinds
from dialgauge.stats.kinds.layout import Facet

from .conftest import Data, Floats

LME4, NLME, CRITERION = 1e-6, 5e-5, 1e-6
LME4_MEAN = 1e-7

NONE: tuple[Facet, ...] = ()
RESIDUAL: tuple[Facet, ...] = ("residual",)
BOTH: tuple[Facet, ...] = ("rater", "residual")


def lower(matrix: Floats) -> list[float]:
    return [float(matrix[g, h]) for g in range(len(matrix)) for h in range(g + 1)]


def fit(data: Data, common: Collection[Facet]) -> KindsFit:
    return fit_kinds(*data.all, common=common)


def check(
    found: KindsFit,
    *,
    sigma: Sequence[float],
    rater: Sequence[float],
    residual: float,
    criterion: float,
    mean: Sequence[float],
    mean_covariance: Sequence[float],
) -> None:
    assert lower(found.sigma) == pytest.approx(sigma, abs=LME4)
    assert found.rater == pytest.approx(rater, abs=LME4)
    assert found.residual == pytest.approx([residual] * len(mean), abs=LME4)
    assert found.criterion == pytest.approx(criterion, abs=CRITERION)
    assert found.criterion <= criterion + 1e-9  # a minimum is not above that of another program
    assert found.mean == pytest.approx(mean, abs=LME4_MEAN)
    assert lower(found.mean_covariance) == pytest.approx(mean_covariance, abs=LME4)


def test_two_kinds_with_common_rater_and_residual_variance_equal_lme4(peer_table: Callable[..., Data]) -> None:
    # y ~ 0 + kind + (0 + kind | target) + (1 | rater)
    check(
        fit(peer_table("three_kinds.csv", "kind", ["human", "llm"]), BOTH),
        sigma=[0.673059302363, 0.398142903327, 0.445435175676],
        rater=[0.174884667340] * 2,
        residual=0.477396130759,
        criterion=533.158224923,
        mean=[2.72800615178, 3.40087171975],
        mean_covariance=[0.0500211872616, 0.0099544111180, 0.0612296527373],
    )


def test_three_kinds_with_common_rater_and_residual_variance_equal_lme4(peer_table: Callable[..., Data]) -> None:
    check(
        fit(peer_table("three_kinds.csv", "kind", ["human", "llm", "code"]), BOTH),
        sigma=[0.665464476, 0.395179472, 0.434164626, 0.438998578, 0.325707105, 0.480930655],
        rater=[0.265529859924] * 3,
        residual=0.493482646946,
        criterion=694.242327431,
        mean=[2.72807930881, 3.40084075003, 2.70190371616],
        mean_covariance=[0.0650778620, 0.0098799252, 0.0838414024, 0.0109735577, 0.0081668466, 0.0889321951],
    )


def test_rater_variances_apart_with_common_residual_variance_equal_lme4(peer_table: Callable[..., Data]) -> None:
    # y ~ 0 + kind + (0 + kind | target) + (0 + human | rater) + (0 + llm | rater), dummies for the kinds
    check(
        fit(peer_table("three_kinds.csv", "kind", ["human", "llm"]), RESIDUAL),
        sigma=[0.672574973488, 0.400360972641, 0.453671472674],
        rater=[0.2418945884438, 0.0622265963473],
        residual=0.475871011128,
        criterion=532.183814982,
        mean=[2.72947242409, 3.40744312753],
        mean_covariance=[0.0611673609775, 0.0100096968218, 0.0331513472530],
    )


def test_two_single_raters_with_replicates_and_residual_variances_apart_equal_nlme(
    peer_table: Callable[..., Data],
) -> None:
    # lme(y ~ 0 + rater, random = ~ 0 + rater | target, weights = varIdent(form = ~ 1 | rater))
    found = fit(peer_table("replicates.csv", "rater", ["m0", "m1"]), NONE)
    assert lower(found.sigma) == pytest.approx([0.48402, 0.40313, 0.57313], abs=NLME)
    assert found.rater == (None, None)
    assert found.residual == pytest.approx([0.108945963642, 0.301170365519], abs=NLME)
    assert found.criterion == pytest.approx(291.919571183, abs=CRITERION)
    assert found.mean == pytest.approx([3.03865686433, 3.50574795922], abs=NLME)


def test_variances_of_their_own_fit_no_worse_than_common_ones(peer_table: Callable[..., Data]) -> None:
    data = peer_table("three_kinds.csv", "kind", ["human", "llm", "code"])
    apart, residual, both = (fit(data, common).criterion for common in (NONE, RESIDUAL, BOTH))
    assert apart < residual < both
