"""Ratings in, the reliability of every dimension out."""

import importlib.metadata
import math
import platform
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from dialgauge.analyse.bands import band
from dialgauge.analyse.checks import check_routes
from dialgauge.analyse.dominance import say_dominant
from dialgauge.analyse.findings import findings_across, findings_of
from dialgauge.analyse.fits import Fitted, IntervalOptions, fit_block
from dialgauge.analyse.ordinal import compare_verdicts, latent_rel_k
from dialgauge.analyse.results import (
    Coefficient,
    DimensionReliability,
    FitRecord,
    RefusedDimension,
    Reliability,
    VarianceComponents,
)
from dialgauge.analyse.tables import Block, blocks, marginals
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.model import Ratings, Scale
from dialgauge.stats.agreement.counts import Counts, tabulate
from dialgauge.stats.agreement.jackknife import two_way_jackknife
from dialgauge.stats.agreement.observed import percent_agreement
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.meansquares import IccForm, icc_forms, mean_squares, one_way_anova
from dialgauge.stats.ranges import require_level
from dialgauge.stats.reml import RemlFit
from dialgauge.stats.reml.intervals import INTERVAL_METHODS, IntervalMethod
from dialgauge.stats.reml.odds import Form, reliability_estimate


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """One dimension on its way through the analysis."""

    name: str
    block: Block
    values: Floats
    scale: Scale
    asked_k: float | None
    level: float
    ordinal: bool

    @property
    def design(self) -> Design:
        return self.block.design

    @property
    def k(self) -> float:
        return self.design.k_harmonic if self.asked_k is None else self.asked_k


def analyse_reliability(
    ratings: Ratings,
    *,
    k: float | None = None,
    level: float = 0.95,
    interval: IntervalMethod = "profile",
    ordinal: bool = False,
    seed: int = 0,
) -> Reliability:
    """Compute the reliability of every dimension of ``ratings``.

    ``k`` is the number of raters that the k forms average over (> 0; by default the harmonic mean of raters per
    target), ``level`` the confidence level in (0, 1). ``interval`` is the method for the intervals of the
    reliabilities: profile likelihood, Wald on the logit, or the parametric bootstrap, for which ``seed`` is.
    ``ordinal`` sets the cumulative link mixed model beside REML, to see whether the verdict holds there. A
    dimension that cannot be estimated is refused with its reason and the others go on. Raises ``InputError`` for
    options out of range and for ratings without a value.
    """
    if k is not None and not (math.isfinite(k) and k > 0.0):
        msg = f"k is the number of raters that a score averages over and must be positive, got {k}"
        raise InputError(msg)
    require_level(level)
    if interval not in INTERVAL_METHODS:
        msg = f"there is no interval method {interval!r}; choose {', '.join(INTERVAL_METHODS)}"
        raise InputError(msg)
    options = IntervalOptions(level=level, method=interval, seed=seed)
    table = blocks(ratings)
    if not any(len(block.target) for block in table):
        msg = f"{ratings.source or 'the table'} holds no rating with a value; look at its empty cells and at the filter"
        raise InputError(msg)
    done: list[DimensionReliability] = []
    refused: list[RefusedDimension] = []
    for block in table:
        cases = [
            _Case(name, block, values, ratings.scale_for(name), k, level, ordinal)
            for name, values in block.values.items()
        ]
        found, left = _analyse_block(cases, block, options)
        done += found
        refused += left
    done.sort(key=lambda d: -d.rel_k.value)
    return Reliability(
        design=max((block.design for block in table), key=lambda d: d.n_ratings),
        source=ratings.source,
        scale="; ".join(dict.fromkeys(str(ratings.scale_for(name)) for name in ratings.dimensions)),
        level=level,
        seed=seed,
        dimensions=tuple(done),
        refused=tuple(refused),
        notes=ratings.notes,
        findings=(*ratings.findings, *findings_across(done)),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


def _analyse_block(
    cases: list[_Case], block: Block, options: IntervalOptions
) -> tuple[list[DimensionReliability], list[RefusedDimension]]:
    done: list[DimensionReliability] = []
    refused: list[RefusedDimension] = []
    able: list[_Case] = []
    for case in cases:
        reason = _why_not(case)
        if reason is None:
            able.append(case)
        else:
            refused.append(_refuse(case, reason))
    fits = fit_block(block, [case.name for case in able], options=options) if able else {}
    for case in able:
        fitted = fits[case.name]
        if isinstance(fitted, CannotEstimateError):
            refused.append(_refuse(case, fitted))
        else:
            done.append(_analyse(case, fitted))
    return done, refused


def _analyse(whole: _Case, fitted: Fitted) -> DimensionReliability:
    case = replace(whole, block=fitted.block, values=fitted.block.values[whole.name])
    once = replace(whole, block=fitted.once, values=fitted.once.values[whole.name])
    fit, one_way = fitted.fit, fitted.one_way
    flags = _flags(case.design, fit)
    rel_single, rel_k = _reliabilities(case, fitted, "absolute", flags)
    rel_single_relative, rel_k_relative = _reliabilities(case, fitted, "relative", flags)
    anova = one_way_anova(once.values, once.block.target, k=once.k, level=once.level)
    averaged = anova.icc1_k
    icc1, icc1_k = _one_way_reliabilities(once, fitted)
    result = DimensionReliability(
        name=whole.name,
        design=whole.design,
        n_missing=whole.block.n_missing[whole.name],
        mean=_mean(case, fit),
        model=fit.model,
        variance=VarianceComponents(target=fit.target, rater=fit.rater, target_x_rater=fit.cell, residual=fit.residual),
        k=case.k,
        replicates=case.design.replicates_harmonic,
        rel_single=rel_single,
        rel_k=rel_k,
        rel_single_relative=rel_single_relative,
        rel_k_relative=rel_k_relative,
        icc1=icc1,
        icc1_k=icc1_k,
        icc1_anova=_shared_raters(whole.design, anova.icc1),
        icc1_k_anova=averaged if isinstance(averaged, Refusal) else _shared_raters(whole.design, averaged),
        alpha_ordinal=_alpha(once, "ordinal"),
        alpha_interval=_alpha(once, "interval"),
        percent_agreement=_percent_agreement(once),
        complete_forms=_complete_forms(once),
        band=band(rel_k.value),
        flags=flags,
        fit=FitRecord(
            criterion=fit.criterion,
            criterion_one_way=one_way.criterion if one_way.panel.n == fit.panel.n else None,
            mean_gls=fit.mean,
            iterations=fit.evaluations,
            max_gradient=fit.max_gradient,
            boundary=fit.boundary,
        ),
        checks=check_routes(once.block.target, once.values, once.design, fit=fit, one_way=one_way),
        findings=(),
    )
    result = replace(result, findings=(*fitted.remarks, *findings_of(result), *_dominant(once, result.alpha_ordinal)))
    return _with_ordinal(case, result) if case.ordinal else result


def _with_ordinal(case: _Case, result: DimensionReliability) -> DimensionReliability:
    latent = latent_rel_k(case.block, case.values, case.scale, model=result.model, k=result.k, level=case.level)
    return replace(result, rel_k_ordinal=latent, findings=(*result.findings, compare_verdicts(result.rel_k, latent)))


def _why_not(case: _Case) -> CannotEstimateError | None:
    """Return why the dimension cannot be estimated, as far as its design and its marginals tell."""
    design = case.design
    if not len(case.values):
        return CannotEstimateError(
            "there is no rating with a value", remedy="look at the empty cells and at the filter"
        )
    if case.scale.level == "nominal":
        return CannotEstimateError(
            "the scale is nominal: its categories have no distances, so there is no variance to divide",
            remedy="judge it by agreement (dialgauge agreement), or declare an order of the categories if there is one",
        )
    if not np.ptp(case.values) > 0.0:
        return CannotEstimateError(
            f"all {len(case.values)} ratings are {case.values[0]:g}: there is no variance to divide",
            remedy="use targets that differ, or a finer scale",
        )
    if design.n_targets < 2:  # variance between targets needs two
        return CannotEstimateError(
            "there is one target only, so variance between targets is not identifiable",
            remedy="rate more targets; if targets and raters were swapped, swap --target and --rater",
        )
    if design.n_informative == 0:
        return CannotEstimateError(
            "no target was rated by two raters: the variance of targets is not identifiable",
            remedy="let at least some targets be rated by two or more raters",
        )
    return None


def _flags(design: Design, fit: RemlFit) -> tuple[Flag, ...]:
    flags: list[Flag] = []
    if fit.boundary:
        flags.append("boundary")
    if design.few_raters and fit.rater is not None:
        flags.append("few_raters")
    if not design.connected and fit.rater is not None:
        flags.append("disconnected")
    return tuple(flags)


def _shared_raters(design: Design, estimate: Estimate) -> Estimate:
    """Flag an F interval of the one-way model where raters are shared: it is exact only where they are not."""
    if design.kind == "nested":
        return estimate
    method = f"{estimate.method} (exact only if each target has raters of its own)"
    return replace(estimate, method=method, flags=tuple(dict.fromkeys((*estimate.flags, "approximate"))))


def _reliabilities(case: _Case, fitted: Fitted, form: Form, flags: tuple[Flag, ...]) -> tuple[Estimate, Estimate]:
    """Return the single and the k form."""
    fit = fitted.fit
    covers = "targets and raters"
    if form == "relative" and fit.rater is not None:
        covers = "targets (the severity of these raters is taken out)"
        flags = tuple(flag for flag in flags if flag != "few_raters")
    single, averaged = (
        reliability_estimate(fit, odds, k=k, level=case.level, form=form, covers=covers, flags=flags)
        for k, odds in ((1.0, fitted.odds[form]), (case.k, fitted.odds_replicated[form]))
    )
    return single, averaged


def _one_way_reliabilities(case: _Case, fitted: Fitted) -> tuple[Estimate, Estimate]:
    covers = "targets (severity counts as noise)"
    single, averaged = (
        reliability_estimate(fitted.one_way, fitted.odds_one_way, k=k, level=case.level, covers=covers)
        for k in (1.0, case.k)
    )
    return single, averaged


def _mean(case: _Case, fit: RemlFit) -> Estimate:
    """Return the arithmetic mean, with the standard error that the variance components imply."""
    n, block, design = len(case.values), case.block, case.design
    cells = np.unique(block.target * design.n_raters + block.rater, return_counts=True)[1]
    parts = [  # variance that each facet adds to the mean, and its degrees of freedom
        (fit.target * _concentration(np.bincount(block.target)), design.n_targets - 1),
        ((fit.rater or 0.0) * _concentration(np.bincount(block.rater)), design.n_raters - 1),
        ((fit.cell or 0.0) * _concentration(cells), max(len(cells) - design.n_targets - design.n_raters + 1, 1)),
        (fit.residual / n, max(n - len(cells), n - design.n_targets - design.n_raters + 1, 1)),
    ]
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / max(df, 1) for part, df in parts)  # Satterthwaite 1946
    value = float(case.values.mean())
    reach = float(stdtrit(df, 0.5 + case.level / 2.0)) * math.sqrt(variance)
    estimate = Estimate(
        value=value,
        low=value - reach,
        high=value + reach,
        level=case.level,
        method=f"arithmetic mean, standard error from the variance components, t with {df:.1f} df",
        covers="targets and raters",
        n=n,
    )
    return _bounded(estimate, *case.scale.bounds)


def _concentration(counts: Codes) -> float:
    """Return by how much a facet's variance is divided in the mean: the sum of squared shares of its levels."""
    return float(np.sum((counts / counts.sum()) ** 2))


def _bounded(estimate: Estimate, lowest: float, highest: float) -> Estimate:
    """Cut an interval to what is possible: with very few ratings it may reach beyond."""
    if estimate.low is None or estimate.high is None:
        return estimate
    low, high = max(estimate.low, lowest), min(estimate.high, highest)
    return replace(estimate, low=min(low, estimate.value), high=max(high, estimate.value))


def _alpha(case: _Case, metric: Literal["ordinal", "interval"]) -> Coefficient:
    try:
        found = two_way_jackknife(case.values, case.block.target, case.block.rater, metric=metric, level=case.level)
        return _bounded(found, -1.0, 1.0)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _dominant(case: _Case, alpha: Coefficient) -> list[str]:
    """Say what alpha owes to a few targets; the refusal of alpha says its own."""
    if isinstance(alpha, Refusal):
        return []
    return say_dominant(case.block, case.values, metric="ordinal", alpha=alpha.value, name="ordinal alpha")


def _percent_agreement(case: _Case) -> Coefficient:
    if case.scale.points is None:
        return Refusal(
            "on a continuous scale two ratings are hardly ever equal, so their exact agreement says nothing",
            "look at the interval alpha",
        )
    try:
        return _bounded(percent_agreement(_counts(case), level=case.level), 0.0, 1.0)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _counts(case: _Case) -> Counts:
    """Count categories per target; means of duplicated ratings may lie between the points and are categories too."""
    points = np.union1d(np.asarray(case.scale.points or (), dtype=np.float64), case.values)
    paired = np.bincount(case.block.target)[case.block.target] > 1  # a target with one rating holds no pair
    target = np.unique(case.block.target[paired], return_inverse=True)[1]
    codes = np.searchsorted(points, case.values[paired])
    return tabulate(target, codes, n_categories=len(points), rater_codes=case.block.rater[paired])


def _complete_forms(case: _Case) -> tuple[IccForm, ...]:
    if case.design.kind != "complete" or case.design.n_raters < 2:  # agreement needs two
        return ()
    table = case.values.reshape(case.design.n_targets, case.design.n_raters)
    return icc_forms(mean_squares(table), level=case.level)


def _refuse(case: _Case, error: CannotEstimateError) -> RefusedDimension:
    agreement = _percent_agreement(case) if len(case.values) else None
    return RefusedDimension(
        name=case.name,
        reason=error.reason,
        remedy=error.remedy,
        design=case.design,
        n_missing=case.block.n_missing[case.name],
        mean=float(case.values.mean()) if len(case.values) and case.scale.level != "nominal" else None,
        percent_agreement=agreement.value if isinstance(agreement, Estimate) else None,
        marginals=marginals(case.values, case.scale),
    )
