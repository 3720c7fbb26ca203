r"""Cumulative link mixed models: ordered ratings with crossed random intercepts of targets and raters.

.. math::
    P(Y \le c) = F(\theta_c - x'\beta - u_{target} - v_{rater}), \qquad
    u \sim N(0, \sigma_t^2), \quad v \sim N(0, \sigma_r^2)

with free thresholds and F logistic or normal, fitted by maximum likelihood under the Laplace approximation: the model
of Tutz and Hennevogl (1996) as R's ``ordinal::clmm`` fits it (Christensen 2022).
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import logit, ndtri

from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats, one_thread
from dialgauge.stats.ordinal.checks import (
    check_categories,
    check_codes,
    check_distinct,
    check_predictors,
    check_replicated,
)
from dialgauge.stats.ordinal.crossing import Crossing
from dialgauge.stats.ordinal.laplace import Laplace, LaplaceValue, OrdinalData
from dialgauge.stats.ordinal.links import LINK_VARIANCE, Link
from dialgauge.stats.ordinal.minimise import Height, Minimum, Objective, Plane, minimise

Facet = Literal["target", "rater"]

FACETS: tuple[Facet, Facet] = ("target", "rater")
START = (0.3, 0.3)
MORE_STARTS = ((2.0, 2.0), (0.05, 2.0), (2.0, 0.05))
"""Variances (target, rater) from which the search starts, in units of the latent residual variance."""

SMALL_DESIGN = 30
"""With this few levels of a facet, or with a variance of zero, the search starts from all of them."""

MOST_RATIO = 100.0
"""Largest variance, in the same units. Beyond it the Laplace likelihood has maxima of its own making."""


@dataclass(frozen=True, slots=True, eq=False)
class ClmmFit:
    """A cumulative link mixed model with the evidence that it is the maximum of the Laplace likelihood.

    ``categories`` are the categories of the declared scale that occur; ``empty`` are those that nobody used. An empty
    category has no threshold of its own: it is merged, so that ``thresholds`` (increasing) lie between neighbours in
    ``categories``, with one fewer of them. ``coefficients`` has shape (p,); a positive one raises ratings.

    ``target`` and ``rater`` are variances on the latent scale, whose residual variance is ``residual``; ``None`` where
    the model has no such facet. ``boundary`` names the facets whose variance is exactly zero, and ``rise`` holds
    (target, rater) the derivative of minus twice the log likelihood by such a variance: positive (at least -1e-6).
    ``covariance`` belongs to thresholds, coefficients and the standard deviations that are not zero, in this order,
    from the inverse of the observed information; the ``_se`` fields are its roots.

    ``target_effect`` and ``rater_effect`` are the modes of the random effects. ``max_gradient`` is the largest
    derivative of minus twice the log likelihood in the coordinates of the search, ``decrement`` what one more Newton
    step would take off it, ``least_curvature`` the least eigenvalue of the information scaled to a unit diagonal.
    """

    link: Link
    categories: tuple[int, ...]
    empty: tuple[int, ...]
    thresholds: Floats
    thresholds_se: Floats
    coefficients: Floats
    coefficients_se: Floats
    target: float | None
    rater: float | None
    target_sd_se: float | None
    rater_sd_se: float | None
    log_likelihood: float
    covariance: Floats
    target_effect: Floats | None
    rater_effect: Floats | None
    boundary: tuple[Facet, ...]
    rise: tuple[float, float]
    evaluations: int
    max_gradient: float
    decrement: float
    least_curvature: float
    minimum: Minimum
    data: OrdinalData

    @property
    def n(self) -> int:
        """Number of ratings."""
        return len(self.data.category)

    @property
    def residual(self) -> float:
        """Variance of the latent residual: pi^2/3 for the logit link, 1 for the probit link."""
        return LINK_VARIANCE[self.link]

    @property
    def facets(self) -> tuple[Facet, ...]:
        """Facets with a random intercept."""
        return tuple(
            name for name, variance in zip(FACETS, (self.target, self.rater), strict=True) if variance is not None
        )


def fit_clmm(
    category: Codes,
    n_categories: int,
    *,
    target: Codes | None = None,
    rater: Codes | None = None,
    X: Floats | None = None,
    link: Link = "logit",
) -> ClmmFit:
    """Fit a cumulative link mixed model to ratings ``category`` of a declared scale of ``n_categories`` points.

    ``category`` holds 0 .. ``n_categories`` - 1 in ascending order of the scale, shape (n,). ``target`` and ``rater``
    hold codes 0, 1, 2, ... of shape (n,); either may be left out. ``X`` has shape (n, p), without a column of ones.

    With few levels of a facet, or a variance of zero, the search runs from several starts, and the highest maximum
    counts whose variances are at most ``MOST_RATIO`` times the latent residual variance.

    Raises ``OffScaleError`` for a category outside the scale, ``InputError`` for shapes that do not fit, and
    ``CannotEstimateError`` where the ratings do not determine the model or no maximum can be certified.
    """
    check_categories(category, n_categories)
    n = len(category)
    facets = [None if c is None else check_codes(name, c, n) for name, c in zip(FACETS, (target, rater), strict=True)]
    for name, codes in zip(FACETS, facets, strict=True):
        if codes is not None:
            check_replicated(name, codes)
    absent = np.zeros(n, dtype=np.intp)
    t, r = (absent if codes is None else codes for codes in facets)
    active = [i for i, codes in enumerate(facets) if codes is not None]
    if len(active) == len(FACETS):
        check_distinct(t, r)
    used, recoded = np.unique(category, return_inverse=True)
    if len(used) < 2:
        raise CannotEstimateError(
            "all ratings are in one category, so there is nothing to explain",
            remedy="use targets that differ, or a finer scale",
        )
    predictors = check_predictors(X, n)
    centre, spread = predictors.mean(axis=0), predictors.std(axis=0)
    standard = (predictors - centre) / spread
    data = OrdinalData(Crossing.build(t, r), recoded, len(used), standard, centre, spread, link)
    empty = tuple(int(c) for c in np.setdiff1d(np.arange(n_categories), used))
    return fit_data(data, active, categories=tuple(int(c) for c in used), empty=empty)


def fit_data(data: OrdinalData, active: list[int], *, categories: tuple[int, ...], empty: tuple[int, ...]) -> ClmmFit:
    """Fit with the variances ``active`` (0 target, 1 rater) free and the others zero; see ``fit_clmm``."""
    found = [_attempt(data, START, active)]
    levels = [(data.crossing.n_targets, data.crossing.n_raters)[i] for i in active]
    sure = isinstance(found[0], Minimum) and not (found[0].x == 0.0).any()
    if active and (min(levels) <= SMALL_DESIGN or not sure):
        distinct = {tuple(start[i] for i in active): start for start in MORE_STARTS}
        found += [_attempt(data, start, active) for start in distinct.values()]
    minima = [item for item in found if isinstance(item, Minimum)]
    if not minima:
        raise next(item for item in found if isinstance(item, CannotEstimateError))
    best = min(minima, key=lambda minimum: minimum.at.criterion)
    evaluations = sum(minimum.evaluations for minimum in minima)
    return _record(data, active, replace(best, evaluations=evaluations), categories, empty)


def _attempt(data: OrdinalData, start: tuple[float, float], active: list[int]) -> Minimum | CannotEstimateError:
    """Search from one start; return the refusal where there is no minimum, or none that can be trusted."""
    try:
        with one_thread():
            minimum = _search(data, start, active)
    except CannotEstimateError as refusal:
        return refusal
    ratio = minimum.variance / LINK_VARIANCE[data.link]
    if ratio.max() <= MOST_RATIO:
        return minimum
    facet = FACETS[int(ratio.argmax())]
    return CannotEstimateError(
        f"the variance of {facet}s is {ratio.max():.0f} times that of the residual, so {facet}s explain the ratings "
        "almost completely, and there the Laplace approximation cannot be trusted",
        remedy="use a coefficient of agreement, or collect ratings that disagree more",
    )


def objective_of(data: OrdinalData) -> Objective:
    """Return the criterion as a function of (first threshold, logs of the steps, coefficients) and of the variances."""
    laplace = Laplace(data)
    steps = data.n_steps

    def objective(free: Floats, variance: Floats) -> Height:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
            thresholds = thresholds_of(free[:steps])
            at = laplace.evaluate(thresholds, free[steps:], variance)
            by_free = np.concatenate([_threshold_jacobian(free[:steps]).T @ at.by_thresholds, at.by_coefficients])
        return Height(criterion=at.criterion, by_free=by_free, by_variance=at.by_variance)

    return objective


def thresholds_of(free: Floats) -> Floats:
    """Return the increasing thresholds whose first is ``free[0]`` and whose steps are the exponentials of the rest."""
    return np.cumsum(np.concatenate([free[:1], np.exp(free[1:])]))


def _threshold_jacobian(free: Floats) -> Floats:
    return np.asarray(np.tril(np.ones((len(free), len(free)))) * np.concatenate([[1.0], np.exp(free[1:])]))


def _search(data: OrdinalData, start: tuple[float, float], active: list[int]) -> Minimum:
    plane = Plane(base=np.zeros(2), matrix=np.eye(2)[:, active])
    ratios = np.array(start)[active]
    shares = np.cumsum(np.bincount(data.category, minlength=data.n_categories))[:-1] / len(data.category)
    marginal = logit(shares) if data.link == "logit" else ndtri(shares)
    thresholds = marginal * np.sqrt(1.0 + ratios.sum())
    free = np.concatenate([thresholds[:1], np.log(np.diff(thresholds)), np.zeros(data.X.shape[1])])
    return minimise(objective_of(data), plane, free=free, x=ratios * LINK_VARIANCE[data.link])


def _record(
    data: OrdinalData, active: list[int], best: Minimum, categories: tuple[int, ...], empty: tuple[int, ...]
) -> ClmmFit:
    steps, p = data.n_steps, data.X.shape[1]
    thresholds = thresholds_of(best.free[:steps])
    at: LaplaceValue = Laplace(data).evaluate(thresholds, best.free[steps:], best.variance)
    coefficients = best.free[steps:] / data.spread
    inside = [i for i, x in zip(active, best.x, strict=True) if x > 0.0]
    covariance = _covariance(best, data)
    se = np.sqrt(covariance.diagonal())
    sd_se = {facet: float(value) for facet, value in zip(inside, se[steps + p :], strict=True)}
    rise = np.zeros(2)
    rise[active] = best.rise
    return ClmmFit(
        link=data.link,
        categories=categories,
        empty=empty,
        thresholds=thresholds + coefficients @ data.centre,
        thresholds_se=se[:steps],
        coefficients=coefficients,
        coefficients_se=se[steps : steps + p],
        target=float(best.variance[0]) if 0 in active else None,
        rater=float(best.variance[1]) if 1 in active else None,
        target_sd_se=sd_se.get(0),
        rater_sd_se=sd_se.get(1),
        log_likelihood=-0.5 * at.criterion,
        covariance=covariance,
        target_effect=at.target_effect if 0 in active else None,
        rater_effect=at.rater_effect if 1 in active else None,
        boundary=tuple(FACETS[i] for i in active if i not in inside),
        rise=(float(rise[0]), float(rise[1])),
        evaluations=best.evaluations,
        max_gradient=best.max_gradient,
        decrement=best.decrement,
        least_curvature=best.least_curvature,
        minimum=best,
        data=data,
    )


def _covariance(best: Minimum, data: OrdinalData) -> Floats:
    """Covariance of thresholds, coefficients and positive standard deviations from the Hessian of the search."""
    steps, first = data.n_steps, len(best.free)
    jacobian = np.zeros_like(best.hessian)
    jacobian[:steps, :steps] = _threshold_jacobian(best.free[:steps])
    jacobian[:steps, steps:first] = data.centre / data.spread
    jacobian[steps:first, steps:first] = np.diag(1.0 / data.spread)
    jacobian[first:, first:] = np.diag(0.5 * np.sqrt(best.x[best.x > 0.0]))
    return np.asarray(jacobian @ np.linalg.inv(0.5 * best.hessian) @ jacobian.T)
