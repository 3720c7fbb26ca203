"""The sparse Laplace criterion against dense algebra, finite differences, a general optimiser and quadrature."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, ndtr

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.ordinal import crossing as crossing_module
from dialgauge.stats.ordinal import fit_clmm
from dialgauge.stats.ordinal.crossing import Crossing
from dialgauge.stats.ordinal.laplace import Laplace, OrdinalData
from dialgauge.stats.ordinal.links import Link

from .conftest import Ordered, Simulate

Floats = NDArray[np.float64]
THRESHOLDS, COEFFICIENTS = np.array([-2.1, -0.6, 0.5, 1.9]), np.array([0.3])


def laplace_of(data: Ordered, link: Link) -> Laplace:
    p = data.X.shape[1]
    crossing = Crossing.build(data.target, data.rater)
    return Laplace(OrdinalData(crossing, data.category, 5, data.X, np.zeros(p), np.ones(p), link))


def dense(data: Ordered, link: Link, variance: tuple[float, float]) -> float:
    """Return minus twice the Laplace log likelihood by dense algebra and a general optimiser."""
    distribution = expit if link == "logit" else ndtr
    n_t = data.target.max() + 1
    z = np.zeros((len(data.category), n_t + data.rater.max() + 1))
    z[np.arange(len(z)), data.target] = math.sqrt(variance[0])
    z[np.arange(len(z)), n_t + data.rater] = math.sqrt(variance[1])
    ends = np.concatenate([[-np.inf], THRESHOLDS, [np.inf]])

    def log_p(eta: Floats) -> Floats:
        at = data.X @ COEFFICIENTS + eta
        p: Floats = np.log(distribution(ends[data.category + 1] - at) - distribution(ends[data.category] - at))
        return p

    def score(eta: Floats) -> Floats:
        return (log_p(eta + 1e-6) - log_p(eta - 1e-6)) / 2e-6

    found = minimize(
        lambda u: -log_p(z @ u).sum() + 0.5 * u @ u, np.zeros(z.shape[1]), jac=lambda u: u - z.T @ score(z @ u),
        options={"gtol": 1e-9},
    )  # fmt: skip
    eta = z @ found.x
    weight = -(log_p(eta + 1e-4) - 2.0 * log_p(eta) + log_p(eta - 1e-4)) / 1e-8
    hessian = z.T @ (weight[:, None] * z) + np.eye(z.shape[1])
    return float(2.0 * found.fun + np.linalg.slogdet(hessian)[1])


VARIANCES = [(1.1, 0.6), (0.0, 0.6), (1.1, 0.0), (0.0, 0.0), (30.0, 12.0)]
SHAPES = [(12, 5, 3), (5, 12, 6)]


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize(("n_targets", "n_raters", "k"), SHAPES)
def test_criterion_equals_dense_algebra_also_at_zero(
    simulate: Simulate, link: Link, variance: tuple[float, float], n_targets: int, n_raters: int, k: int
) -> None:
    data = simulate(4, n_targets=n_targets, n_raters=n_raters, k=k)
    at = laplace_of(data, link).evaluate(THRESHOLDS, COEFFICIENTS, np.array(variance))
    assert at.criterion == pytest.approx(dense(data, link, variance), abs=1e-5)


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize(("n_targets", "n_raters", "k"), SHAPES)
def test_gradient_equals_differences_of_the_criterion_and_exists_at_zero(
    simulate: Simulate, link: Link, variance: tuple[float, float], n_targets: int, n_raters: int, k: int
) -> None:
    laplace = laplace_of(simulate(4, n_targets=n_targets, n_raters=n_raters, k=k), link)
    point = np.concatenate([THRESHOLDS, COEFFICIENTS, variance])

    def criterion(x: Floats) -> float:
        return laplace.evaluate(x[:4], x[4:5], x[5:]).criterion

    at = laplace.evaluate(THRESHOLDS, COEFFICIENTS, np.array(variance))
    gradient = np.concatenate([at.by_thresholds, at.by_coefficients, at.by_variance])
    h = 1e-5
    for i, step in enumerate(h * np.eye(7)):
        if point[i] == 0.0:  # a variance at zero: one-sided, second order
            numeric = (4.0 * criterion(point + step) - 3.0 * criterion(point) - criterion(point + 2.0 * step)) / (
                2.0 * h
            )
        else:
            numeric = (criterion(point + step) - criterion(point - step)) / (2.0 * h)
        assert gradient[i] == pytest.approx(numeric, rel=1e-5, abs=1e-4)


def test_slices_of_the_dense_product_change_nothing(simulate: Simulate, monkeypatch: pytest.MonkeyPatch) -> None:
    laplace = laplace_of(simulate(4, n_targets=12, n_raters=5, k=3), "logit")
    whole = laplace.evaluate(THRESHOLDS, COEFFICIENTS, np.array([1.1, 0.6]))
    monkeypatch.setattr(crossing_module, "CHUNK", 11)
    sliced = laplace.evaluate(THRESHOLDS, COEFFICIENTS, np.array([1.1, 0.6]))
    assert sliced.by_variance == pytest.approx(whole.by_variance, rel=1e-12)


def test_the_remembered_mode_does_not_change_the_criterion(simulate: Simulate) -> None:
    data = simulate(4, n_targets=12, n_raters=5, k=3)
    fresh, used = laplace_of(data, "probit"), laplace_of(data, "probit")
    used.evaluate(THRESHOLDS - 1.0, COEFFICIENTS * 3.0, np.array([9.0, 0.01]))
    values = [one.evaluate(THRESHOLDS, COEFFICIENTS, np.array([1.1, 0.6])).criterion for one in (fresh, used)]
    assert values[0] == pytest.approx(values[1], abs=1e-11)


def test_with_many_ratings_a_target_laplace_equals_quadrature(simulate: Simulate) -> None:
    """40 points of Gauss-Hermite integrate one random intercept exactly; Laplace errs by about 1/(12 * 60) a target."""
    data = simulate(8, n_targets=10, n_raters=60, k=60, rater_sd=0.0)
    fit = fit_clmm(data.category, 5, target=data.target)
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    ends = np.concatenate([[-np.inf], fit.thresholds, [np.inf]])
    eta = math.sqrt(fit.target or 0.0) * points
    p = expit(ends[data.category + 1][:, None] - eta) - expit(ends[data.category][:, None] - eta)
    per_target = np.stack([np.log(p[data.target == t]).sum(axis=0) for t in range(10)])
    exact = logsumexp(per_target, b=weights / math.sqrt(2.0 * math.pi), axis=1).sum()
    assert fit.log_likelihood == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_maximum_equals_that_of_a_general_optimiser(simulate: Simulate, link: Link) -> None:
    data = simulate(21, n_targets=25, n_raters=8, k=4)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater, X=data.X, link=link)
    laplace = laplace_of(data, link)

    def criterion(x: Floats) -> float:
        return laplace.evaluate(np.cumsum([x[0], *np.exp(x[1:4])]), x[4:5], x[5:] ** 2).criterion

    found = min(
        (minimize(criterion, [-2.0, 0.3, 0.3, 0.3, 0.0, *sd], method="L-BFGS-B") for sd in ([0.5, 0.5], [2.0, 1.0])),
        key=lambda result: result.fun,
    )
    assert -2.0 * fit.log_likelihood == pytest.approx(found.fun, abs=1e-5)
    assert fit.target == pytest.approx(found.x[5] ** 2, abs=5e-3)
    assert fit.rater == pytest.approx(found.x[6] ** 2, abs=5e-3)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_standard_errors_are_those_of_second_differences_of_the_criterion(simulate: Simulate, link: Link) -> None:
    data = simulate(21, n_targets=40, n_raters=12, k=5)
    fit = fit_clmm(data.category, 5, target=data.target, rater=data.rater, X=data.X, link=link)
    laplace = laplace_of(data, link)
    assert fit.target is not None
    assert fit.rater is not None
    point = np.concatenate([fit.thresholds, fit.coefficients, np.sqrt([fit.target, fit.rater])])

    def criterion(x: Floats) -> float:
        return laplace.evaluate(x[:4], x[4:5], x[5:] ** 2).criterion

    steps = 2e-3 * np.eye(7)
    hessian = np.array([
        [sum(s * r * criterion(point + s * a + r * b) for s in (1, -1) for r in (1, -1)) for a in steps] for b in steps
    ]) / (4.0 * 2e-3**2)  # fmt: skip
    covariance = np.linalg.inv(0.5 * hessian)
    assert fit.covariance == pytest.approx(covariance, rel=1e-3, abs=1e-5)
    errors = [*fit.thresholds_se, *fit.coefficients_se, fit.target_sd_se, fit.rater_sd_se]
    assert errors == pytest.approx(np.sqrt(covariance.diagonal()), rel=1e-3)


def test_a_size_it_will_not_do_is_refused_before_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing_module, "MOST_SMALL_LEVELS", 3)
    target, rater = np.divmod(np.arange(20), 4)
    with pytest.raises(CannotEstimateError, match="5 targets and 4 raters"):
        Crossing.build(target, rater)
