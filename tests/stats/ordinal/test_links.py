"""Log probabilities of categories and their derivatives, against finite differences and far out in the tails."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from dialgauge.stats.ordinal.links import Curve, Link, evaluate_link

Floats = NDArray[np.float64]
UPPER = np.array([-1.2, 0.3, 2.5, np.inf, 0.7, 5.0])
LOWER = np.array([-np.inf, -0.4, 1.9, 1.1, 0.65, -6.0])
LINKS: list[Link] = ["logit", "probit"]


def slope(link: Link, field: str, *, upper: float = 0.0, lower: float = 0.0) -> Floats:
    h = 1e-5
    ends = [evaluate_link(UPPER + s * h * upper, LOWER + s * h * lower, link=link) for s in (1.0, -1.0)]
    difference: Floats = (getattr(ends[0], field) - getattr(ends[1], field)) / (2.0 * h)
    return difference


@pytest.mark.parametrize("link", LINKS)
def test_probability_is_the_difference_of_the_distribution_at_the_ends(link: Link) -> None:
    distribution = expit if link == "logit" else ndtr
    expected = distribution(UPPER) - distribution(LOWER)
    assert np.exp(evaluate_link(UPPER, LOWER, link=link).log_probability) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("link", LINKS)
def test_derivatives_are_those_of_the_log_probability(link: Link) -> None:
    curve: Curve = evaluate_link(UPPER, LOWER, link=link)
    assert curve.by_upper == pytest.approx(slope(link, "log_probability", upper=1.0), rel=1e-6, abs=1e-7)
    assert curve.by_lower == pytest.approx(slope(link, "log_probability", lower=1.0), rel=1e-6, abs=1e-7)
    assert curve.score == pytest.approx(slope(link, "log_probability", upper=-1.0, lower=-1.0), rel=1e-6, abs=1e-7)
    assert curve.score_by_upper == pytest.approx(slope(link, "score", upper=1.0), rel=1e-6, abs=1e-7)
    assert curve.score_by_lower == pytest.approx(slope(link, "score", lower=1.0), rel=1e-6, abs=1e-7)
    assert curve.weight == pytest.approx(slope(link, "score", upper=1.0, lower=1.0), rel=1e-6, abs=1e-7)
    assert curve.weight_by_upper == pytest.approx(slope(link, "weight", upper=1.0), rel=1e-6, abs=1e-7)
    assert curve.weight_by_lower == pytest.approx(slope(link, "weight", lower=1.0), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("link", LINKS)
def test_both_links_are_log_concave(link: Link) -> None:
    lower = np.linspace(-30.0, 30.0, 200)
    assert (evaluate_link(lower + 0.5, lower, link=link).weight > 0.0).all()


@pytest.mark.parametrize(
    ("link", "upper", "lower", "expected"),
    [
        # log F(-40) for both; the mirrored interval has the same probability
        ("logit", -40.0, -np.inf, -40.0 - math.log1p(math.exp(-40.0))),
        ("logit", np.inf, 40.0, -40.0 - math.log1p(math.exp(-40.0))),
        ("logit", -800.0, -np.inf, -800.0),
        # R 4.2.2: pnorm(-40, log.p = TRUE) = -804.608442013754
        ("probit", -40.0, -np.inf, -804.608442013754),
        ("probit", np.inf, 40.0, -804.608442013754),
    ],
)
def test_the_tails_are_exact_where_the_plain_difference_is_zero(
    link: Link, upper: float, lower: float, expected: float
) -> None:
    curve = evaluate_link(np.array([upper]), np.array([lower]), link=link)
    assert curve.log_probability[0] == pytest.approx(expected, rel=1e-12)
    assert np.isfinite(curve.score).all()
    assert np.isfinite(curve.weight_by_upper).all()
