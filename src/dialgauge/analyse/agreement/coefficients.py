"""The coefficients of one dimension, each with the observed and expected agreement that it is made of."""

from collections.abc import Callable, Sequence

import numpy as np

from dialgauge.analyse.agreement.case import Case
from dialgauge.analyse.agreement.records import (
    AgreementCoefficient,
    CoefficientName,
    Metric,
    ZeroConcordance,
)
from dialgauge.analyse.bands import KRIPPENDORFF, LANDIS_KOCH, band
from dialgauge.errors import CannotEstimateError, ConsistencyError
from dialgauge.stats.agreement.alpha import krippendorff_alpha
from dialgauge.stats.agreement.chance import brennan_prediger, fleiss_kappa, gwet_ac
from dialgauge.stats.agreement.cohen import cohen_kappa, light_kappa
from dialgauge.stats.agreement.concordance import kendall_w
from dialgauge.stats.agreement.conger import conger_kappa
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.agreement.expected import ChanceModel, alpha_parts, expected_agreement
from dialgauge.stats.agreement.jackknife import two_way_jackknife
from dialgauge.stats.agreement.leaveout import Coefficient as StatsName
from dialgauge.stats.agreement.leaveout import two_way_agreement
from dialgauge.stats.agreement.observed import percent_agreement
from dialgauge.stats.agreement.pairs import two_way_light
from dialgauge.stats.agreement.twoway import these_raters_only
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal

EXACT = 1e-8
"""Gap that rounding may leave between two routes to alpha."""

MOST_RANKED_TARGETS = 5000
"""Kendall's W takes time of the order targets^2 x raters."""

_ALPHAS: dict[Metric, CoefficientName] = {
    "nominal": "alpha_nominal",
    "ordinal": "alpha_ordinal",
    "interval": "alpha_interval",
    "ratio": "alpha_ratio",
}

_PLAIN: dict[StatsName, Callable[..., Estimate]] = {
    "percent": percent_agreement,
    "fleiss": fleiss_kappa,
    "conger": conger_kappa,
    "brennan_prediger": brennan_prediger,
    "gwet": gwet_ac,
}

_KAPPAS: dict[CoefficientName, ChanceModel] = {
    "fleiss_kappa": "fleiss",
    "conger_kappa": "conger",
    "brennan_prediger": "brennan_prediger",
    "gwet_ac1": "gwet",
    "gwet_ac2": "gwet",
}


def compute_all(case: Case, metrics: Sequence[Metric]) -> tuple[AgreementCoefficient, ...]:
    """Return every coefficient that applies to the design of ``case``, and alpha for each of ``metrics`` besides."""
    try:
        counts: Counts | Refusal = case.count()
    except CannotEstimateError as error:
        counts = Refusal(error.reason, error.remedy)
    found = [*_percents(case, counts), _alpha(case, counts, "alpha", case.metric), *_kappas(case, counts)]
    if case.few:
        found += _few_raters(case, counts)
    for metric in dict.fromkeys(metrics):
        if metric != case.metric:
            found.append(_alpha(case, counts, _ALPHAS[metric], metric))
    return tuple(found)


def concordance_test(case: Case) -> ZeroConcordance | None:
    """Return the test that belongs to Kendall's W; ``None`` where there is no W."""
    try:
        found = kendall_w(_ranked(case), level=case.level)
    except CannotEstimateError:
        return None
    return ZeroConcordance(found.chi2, found.df, found.p)


def _try(compute: Callable[[], Estimate]) -> Estimate | Refusal:
    try:
        return compute()
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _percents(case: Case, counts: Counts | Refusal) -> list[AgreementCoefficient]:
    asked: list[tuple[CoefficientName, Floats | None]] = [("percent_agreement", None)]
    if case.weights != "identity":
        asked.append(("percent_weighted", case.W))
    return [AgreementCoefficient(name, _from_counts(case, counts, "percent", weights)) for name, weights in asked]


def _kappas(case: Case, counts: Counts | Refusal) -> list[AgreementCoefficient]:
    found = []
    for name, model in _KAPPAS.items():
        if name == "gwet_ac2" and case.weights == "identity":
            continue
        weights = None if name == "gwet_ac1" or isinstance(counts, Refusal) else case.W
        result = _from_counts(case, counts, model, weights)
        if isinstance(result, Refusal) or isinstance(counts, Refusal):
            found.append(AgreementCoefficient(name, result))
            continue
        seen = percent_agreement(counts, weights).value
        chance = expected_agreement(counts, model, weights)
        found.append(AgreementCoefficient(name, result, seen, chance, band(result.value, LANDIS_KOCH)))
    return found


def _from_counts(case: Case, counts: Counts | Refusal, name: StatsName, weights: Floats | None) -> Estimate | Refusal:
    if isinstance(counts, Refusal):
        return counts
    if case.scope == "random" and case.too_few:
        return _try(lambda: these_raters_only(_PLAIN[name](counts, weights, level=case.level), case.too_few))
    if case.scope == "random":
        return _try(lambda: two_way_agreement(counts, name, weights, level=case.level))
    return _try(lambda: _PLAIN[name](counts, weights, level=case.level))


def _alpha(case: Case, counts: Counts | Refusal, name: CoefficientName, metric: Metric) -> AgreementCoefficient:
    result = _try(lambda: _alpha_estimate(case, metric))
    if isinstance(result, Refusal) or isinstance(counts, Refusal):
        word = band(result.value, KRIPPENDORFF) if isinstance(result, Estimate) else ""
        return AgreementCoefficient(name, result, band=word)
    parts = alpha_parts(counts, case.distances(counts, metric))
    if abs(parts.alpha - result.value) > EXACT:
        msg = (
            f"alpha of {case.name} is {result.value!r} from sums and {parts.alpha!r} from pairs of categories; "
            "this is a defect of Dialgauge, please report it"
        )
        raise ConsistencyError(msg)
    return AgreementCoefficient(name, result, parts.observed, parts.expected, band(result.value, KRIPPENDORFF))


def _alpha_estimate(case: Case, metric: Metric) -> Estimate:
    values, target, rater = case.values, case.block.target, case.block.rater
    if case.scope == "random" and metric != "ratio" and not case.too_few:
        return two_way_jackknife(values, target, rater, metric=metric, level=case.level)
    plain = krippendorff_alpha(values, target, metric=metric, level=case.level)
    if case.scope == "random":
        return these_raters_only(plain, case.too_few or "the ratio metric has none")
    return plain


def _few_raters(case: Case, counts: Counts | Refusal) -> list[AgreementCoefficient]:
    """Return what compares raters pair by pair, and Kendall's W."""
    two = case.design.n_raters == 2
    name: CoefficientName = "cohen_kappa" if two else "light_kappa"
    found = [_pairwise(case, counts, name)]
    if case.metric != "nominal":
        found.append(
            AgreementCoefficient("kendall_w", _try(lambda: kendall_w(_ranked(case), level=case.level).estimate))
        )
    return found


def _pairwise(case: Case, counts: Counts | Refusal, name: CoefficientName) -> AgreementCoefficient:
    if isinstance(counts, Refusal):
        return AgreementCoefficient(name, counts)

    def compute() -> Estimate:
        table, q, weights = case.table(counts), len(case.points), case.W
        if name == "cohen_kappa":
            plain = cohen_kappa(table, q, weights=weights, level=case.level)
            return these_raters_only(plain, case.too_few) if case.scope == "random" else plain
        make = two_way_light if case.scope == "random" else light_kappa
        return make(table, q, weights=weights, level=case.level, names=case.raters)

    result = _try(compute)
    word = band(result.value, LANDIS_KOCH) if isinstance(result, Estimate) else ""
    return AgreementCoefficient(name, result, band=word)


def _ranked(case: Case) -> Floats:
    """Return the complete table (targets, raters) of values; ``CannotEstimateError`` where there is none."""
    design = case.design
    if design.kind != "complete":
        raise CannotEstimateError(
            "Kendall's W needs a complete table: every rater rates every target once",
            remedy="read alpha, which does without",
        )
    if design.n_targets > MOST_RANKED_TARGETS:
        raise CannotEstimateError(
            f"Kendall's W of {design.n_targets:,} targets would take too long (at most {MOST_RANKED_TARGETS:,})",
            remedy="read ordinal alpha",
        )
    return np.asarray(case.values.reshape(design.n_targets, design.n_raters))
