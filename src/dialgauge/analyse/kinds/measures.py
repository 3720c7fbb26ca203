"""From a fit of several kinds of rater to labelled estimates: each kind by itself, and two kinds compared."""

from collections.abc import Callable

import numpy as np

from dialgauge.analyse.kinds.pairs import PairOfKinds, PerfectCorrelation, Worth
from dialgauge.analyse.kinds.records import KindReliability, KindVariance
from dialgauge.analyse.results import Coefficient
from dialgauge.errors import CannotEstimateError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.kinds import KindsFit
from dialgauge.stats.kinds.contrast import (
    Exchange,
    contrast_means,
    exchange_raters,
    perfect_correlation_test,
)
from dialgauge.stats.kinds.observed import ceiling_of_observed, observed_correlation
from dialgauge.stats.kinds.profile import profile_correlation, profile_odds
from dialgauge.stats.reml.odds import Form, Odds

Arrays = tuple[Codes, Codes, Floats]
"""Target, kind of the rater, and value of each rating."""

MODEL = "REML, several kinds of rater"


def measure_kind(
    fit: KindsFit, g: int, *, name: str, raters: tuple[str, ...], n_missing: int, k: float | None, level: float
) -> KindReliability:
    """Return what is known about the kind numbered ``g``."""
    layout = fit.layouts[g]
    design = layout.design
    flags = _flags(fit, g)
    average = design.k_harmonic if k is None else k
    measure = _Reliability(fit, g, level, flags)
    own = layout.own_view
    fresh = {
        (form, many): measure.refused() if own else measure.of(form, average if many else 1.0, many=many)
        for form in ("absolute", "relative")
        for many in (False, True)
    }
    mean = contrast_means(fit, np.eye(fit.n_kinds)[g], level=level)
    return KindReliability(
        kind=name,
        raters=raters,
        design=design,
        n_missing=n_missing,
        basis=layout.basis,
        mean=Estimate(
            value=mean.value,
            low=mean.low,
            high=mean.high,
            level=level,
            method=f"{MODEL}, generalised least squares, t (Satterthwaite)",
            covers=_covers(fit, g),
            n=int(fit.panel.per_kind[g]),
            flags=_flags_of_means(fit, g),
        ),
        variance=_variance(fit, g),
        k=average,
        replicates=design.replicates_harmonic,
        rel_single=fresh["absolute", False],
        rel_k=fresh["absolute", True],
        rel_single_relative=fresh["relative", False],
        rel_k_relative=fresh["relative", True],
        this_rater_only=measure.own(1.0) if own else None,
        this_rater_only_k=measure.own(design.replicates_harmonic) if own else None,
        flags=flags,
    )


class _Reliability:
    """Reliabilities of one kind; each profile is computed once."""

    def __init__(self, fit: KindsFit, g: int, level: float, flags: tuple[Flag, ...]) -> None:
        self.fit, self.g, self.level, self.flags = fit, g, level, flags
        self.known: dict[tuple[Form, float], Odds] = {}

    def of(self, form: Form, k: float, *, many: bool) -> Estimate:
        """Return the reliability for fresh raters of the mean of ``k``, with all replicates if ``many``."""
        replicates = self.fit.layouts[self.g].design.replicates_harmonic if many else 1.0
        return self._estimate(self._odds(form, replicates), k, form, _covers(self.fit, self.g))

    def own(self, n: float) -> Coefficient:
        """Return the reliability of the mean of ``n`` ratings by the one rater that each target has."""
        basis = self.fit.layouts[self.g].basis
        if basis == "identical":
            return Refusal(
                "all replicates are equal: the rater repeats itself without noise, which says nothing about others",
                "let a second rater of this kind rate the targets",
            )
        if basis == "single":
            return Refusal(
                "each target has one rating of this kind, so its noise cannot be told from the targets",
                "let the rater rate the targets again, or add a second rater",
            )
        return self._estimate(self._odds("relative", 1.0), n, "relative", "targets; this rater only")

    def refused(self) -> Refusal:
        """Say why there is no reliability for fresh raters."""
        return Refusal(
            "no target was rated by two raters of this kind, so nobody knows what a fresh rater would say",
            "let at least two raters of this kind rate the same targets; the figures hold for this rater only",
        )

    def _odds(self, form: Form, replicates: float) -> Odds:
        if self.fit.rater[self.g] is None:
            form = "relative"  # there is no severity to count
        if (form, replicates) not in self.known:
            found = profile_odds(self.fit, self.g, form=form, replicates=replicates, level=self.level)
            self.known[form, replicates] = found
        return self.known[form, replicates]

    def _estimate(self, odds: Odds, k: float, form: Form, covers: str) -> Estimate:
        value, low, high = odds.reliability(k)
        missing: tuple[Flag, ...] = ("no_interval",) if low is None else ()
        return Estimate(
            value=value,
            low=low,
            high=high,
            level=self.level,
            method=f"{MODEL}, {form}, {odds.method}",
            covers=covers,
            n=int(self.fit.panel.per_kind[self.g]),
            flags=(*self.flags, *missing),
        )


def _variance(fit: KindsFit, g: int) -> KindVariance:
    rater, residual, design = fit.rater[g], fit.residual[g], fit.layouts[g].design
    severity: float | Refusal
    if rater is not None:
        severity = rater
    elif design.n_raters == 1:
        severity = Refusal(
            "there is one rater of this kind, so how such raters differ in severity is unknown",
            "add raters of this kind; until then all figures hold for this rater only",
        )
    else:
        severity = Refusal(
            "each rater of this kind rated one target only, so severity cannot be told from noise",
            "let raters rate several targets",
        )
    noise: float | Refusal
    if residual is not None:
        noise = residual
    elif fit.layouts[g].basis == "identical":
        noise = 0.0
    else:
        noise = Refusal(
            "each target has one rating of this kind, so noise and targets only have a known sum",
            "let the targets be rated again by this kind",
        )
    return KindVariance(target=float(fit.sigma[g, g]), rater=severity, target_x_rater=fit.cell[g], residual=noise)


def _flags(fit: KindsFit, g: int) -> tuple[Flag, ...]:
    design, found = fit.layouts[g].design, list[Flag]()
    if 0.0 in {float(fit.sigma[g, g]), fit.rater[g], fit.cell[g]}:
        found.append("boundary")
    if design.few_raters:
        found.append("few_raters")
    if not design.connected and fit.rater[g] is not None:
        found.append("disconnected")
    return tuple(found)


def _flags_of_means(fit: KindsFit, *kinds: int) -> tuple[Flag, ...]:
    """Flag intervals of means that hardly cover severity: of few raters, or estimated not to differ at all."""
    found: list[Flag] = []
    if any(fit.rater[g] == 0.0 for g in kinds):
        found.append("boundary")
    if any(fit.layouts[g].design.few_raters and fit.rater[g] is not None for g in kinds):
        found.append("few_raters")
    return tuple(found)


def _covers(fit: KindsFit, *kinds: int) -> str:
    if any(fit.layouts[g].design.n_raters == 1 for g in kinds):
        return "targets; this rater only" if len(kinds) == 1 else "targets and raters; where a kind has one, it only"
    return "targets and raters" if all(fit.rater[g] is not None for g in kinds) else "targets"


def measure_pair(
    fit: KindsFit, pair: tuple[int, int], kinds: tuple[KindReliability, KindReliability], data: Arrays, *, level: float
) -> PairOfKinds:
    """Return what is known about two kinds together."""
    g, h = pair
    contrast = np.zeros(fit.n_kinds)
    contrast[[h, g]] = 1.0, -1.0
    difference = contrast_means(fit, contrast, level=level)
    bare = [fit.layouts[i].basis == "single" for i in pair]
    correlation = _correlation(fit, pair, level)
    without: Coefficient = Refusal(
        "each target has one rating of a kind, so its noise cannot be taken out of the correlation",
        "let the targets be rated again by that kind; the correlation as rated takes out the other kind's noise",
    )
    return PairOfKinds(
        first=kinds[0].kind,
        second=kinds[1].kind,
        n_shared=int(fit.shared[g, h]),
        difference=Estimate(
            value=difference.value,
            low=difference.low,
            high=difference.high,
            level=level,
            method=f"{MODEL}, generalised least squares, t (Satterthwaite)",
            covers=_covers(fit, g, h),
            n=fit.panel.n,
            flags=_flags_of_means(fit, g, h),
        ),
        difference_se=difference.se,
        difference_df=difference.df,
        correlation=without if any(bare) and isinstance(correlation, Estimate) else correlation,
        correlation_as_rated=correlation if any(bare) else None,
        perfect=_perfect(fit, pair),
        observed=_or_refusal(lambda: _observed(data, pair, level)),
        ceiling=ceiling_of_observed(fit, g, h),
        worth=_worth(fit, pair, "absolute", level),
        worth_relative=_worth(fit, pair, "relative", level),
    )


def _or_refusal(estimate: Callable[[], Estimate]) -> Coefficient:
    try:
        return estimate()
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def _correlation(fit: KindsFit, pair: tuple[int, int], level: float) -> Coefficient:
    def estimate() -> Estimate:
        found = profile_correlation(fit, *pair, level=level)
        flags: list[Flag] = []
        if abs(found.value) == 1.0:
            flags.append("boundary")
        if any(fit.layouts[g].design.few_raters for g in pair):
            flags.append("few_raters")
        if found.low is None:
            flags.append("no_interval")
        return Estimate(
            value=found.value,
            low=found.low,
            high=found.high,
            level=level,
            method=f"{MODEL}, {found.method}",
            covers=_covers(fit, *pair),
            n=fit.panel.n,
            flags=tuple(flags),
        )

    return _or_refusal(estimate)


def _perfect(fit: KindsFit, pair: tuple[int, int]) -> PerfectCorrelation | Refusal:
    try:
        found = perfect_correlation_test(fit, *pair)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)
    return PerfectCorrelation(found.statistic, found.df, found.p)


def _observed(data: Arrays, pair: tuple[int, int], level: float) -> Estimate:
    target, kind, values = data
    found = observed_correlation(target, kind, values, pair, level=level)
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        level=level,
        method=f"Pearson's correlation of the means of {found.n} targets, noise included, Fisher's z",
        covers="targets",
        n=int(np.isin(kind, pair).sum()),
        flags=("no_interval",) if found.low is None else (),
    )


def _worth(fit: KindsFit, pair: tuple[int, int], form: Form, level: float) -> Worth | Refusal:
    try:
        found = exchange_raters(fit, *pair, form=form, level=level)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)
    wide = found.low is None
    return Worth(
        equal=Estimate(
            value=found.equal,
            low=found.low,
            high=found.high,
            level=level,
            method=f"ratio of the odds of true to error variance, {form}, Wald on the logarithm",
            covers=_covers(fit, *pair),
            n=fit.panel.n,
            flags=("approximate", "no_interval") if wide else ("approximate",),
        ),
        stand_in=_stand_in(found),
    )


def _stand_in(found: Exchange) -> float | Refusal:
    if found.stand_in is not None:
        return found.stand_in
    if found.correlation is None:
        return Refusal("what the two kinds see in common is not known", "let both kinds rate the same targets")
    return Refusal(
        "no number of raters of the second kind reflects the first kind's view as well as one rater of the first does",
        "keep raters of the first kind, or change the second so that it sees what they see",
    )
