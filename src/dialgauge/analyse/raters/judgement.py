"""How each rater judges: severity, consistency, agreement with the others."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from dialgauge.analyse.raters.fitting import Fits, Judged, comparable
from dialgauge.analyse.raters.parts import Severity
from dialgauge.analyse.raters.table import AnswerTable, merge_replicates
from dialgauge.analyse.results import Coefficient
from dialgauge.model import Ratings
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.raters.agreement import LEAST_PAIRS, Agreement, correlate_with_others
from dialgauge.stats.raters.consistency import Consistency, compare_scatter

LEAST_RATERS = 3
"""Two raters cannot be told apart: the residuals of one mirror those of the other."""

UNSEEN = Refusal("this rater gave no rating that could be used here", "let the rater rate targets that others rate too")
UNCOMPARED = Refusal("no dimension could be fitted", "see what would help each dimension")


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Lists run over the raters of the table, and so do the p-values: NaN where a rater cannot be tested.

    ``expected_agreement`` (n_raters,) is the agreement of all other raters. ``severity_p`` is two-sided, against no
    difference; the others are one-sided, against no more scatter and no less agreement than the other raters show.
    """

    severity: list[Severity | Refusal]
    severities: Mapping[str, list[Severity | Refusal]]
    consistency: list[Coefficient]
    consistencies: Mapping[str, list[Coefficient]]
    agreement: list[Coefficient]
    expected_agreement: Floats
    severity_p: Floats
    consistency_p: Floats
    agreement_p: Floats


def judge(ratings: Ratings, table: AnswerTable, fits: Fits, *, level: float) -> Judgement:
    """Measure how every rater of ``table`` judges; ``level`` in (0, 1) is that of the intervals."""
    n = table.n_raters
    severity, severity_p = _severity(fits.overall, n, level)
    consistency, consistency_p = _consistency(fits, tuple(fits.scatters), n, level)
    agreement, expected, agreement_p = _agreement(ratings, table, tuple(fits.judged), level)
    return Judgement(
        severity=severity,
        severities={name: _severity(judged, n, level)[0] for name, judged in fits.judged.items()},
        consistency=consistency,
        consistencies={name: _consistency(fits, (name,), n, level)[0] for name in fits.scatters},
        agreement=agreement,
        expected_agreement=expected,
        severity_p=severity_p,
        consistency_p=consistency_p,
        agreement_p=agreement_p,
    )


def _severity(judged: Judged | Refusal, n_raters: int, level: float) -> tuple[list[Severity | Refusal], Floats]:
    p = np.full(n_raters, np.nan)
    if isinstance(judged, Refusal):
        return [judged] * n_raters, p
    predictions = judged.predictions
    if isinstance(predictions, Refusal):
        return [predictions] * n_raters, p
    found: list[Severity | Refusal] = [UNSEEN] * n_raters
    reach = float(stdtrit(judged.free, 0.5 + level / 2.0))
    flags = _flags(judged)
    for i, j in enumerate(judged.present):
        value, se = float(predictions.effect[i]), float(predictions.se_among[i])
        p[j] = 2.0 * float(stdtr(judged.free, -abs(value) / se)) if se > 0.0 else np.nan
        estimate = Estimate(
            value=value,
            low=value - reach * se,
            high=value + reach * se,
            level=level,
            method=f"BLUP of the {judged.fit.model.replace('_', ' ')} model, t, against the mean of the raters",
            covers="the ratings of this rater (variance components taken as known)",
            n=int(judged.n_ratings[j]),
            flags=flags,
        )
        found[j] = Severity(
            estimate=estimate,
            prediction_se=float(predictions.se[i]),
            se_known_mean=float(predictions.se_known_mean[i]),
            in_sd=value / judged.sd,
        )
    return found, p


def _flags(judged: Judged) -> tuple[Flag, ...]:
    flags: list[Flag] = []
    if judged.fit.boundary:
        flags.append("boundary")
    if judged.design.few_raters:
        flags.append("few_raters")
    if not judged.design.connected:
        flags.append("disconnected")
    return tuple(flags)


def _consistency(fits: Fits, names: tuple[str, ...], n_raters: int, level: float) -> tuple[list[Coefficient], Floats]:
    if not names:
        return [fits.no_scatter] * n_raters, np.full(n_raters, np.nan)
    everyone = np.sum([fits.judged[name].n_ratings for name in names], axis=0)
    if np.count_nonzero(everyone) < LEAST_RATERS:
        two = Refusal(
            "there are fewer than three raters, and of two nobody can say which one is off",
            "add a rater",
        )
        return [two] * n_raters, np.full(n_raters, np.nan)
    chosen = [list(fits.scatters).index(name) for name in names]
    compared = compare_scatter(
        [fits.scatters[name] for name in names], fits.correlation[np.ix_(chosen, chosen)], level=level
    )
    return [_ratio(compared, j, int(everyone[j]), level) for j in range(n_raters)], compared.p


def _ratio(compared: Consistency, j: int, n: int, level: float) -> Coefficient:
    if not n:
        return UNSEEN
    if not np.isfinite([compared.ratio[j], compared.low[j], compared.high[j]]).all():
        return Refusal(
            "target and rater effects take up this rater's ratings, so nothing is left to scatter",
            "let the rater rate more targets",
        )
    return Estimate(
        value=float(compared.ratio[j]),
        low=float(compared.low[j]),
        high=float(compared.high[j]),
        level=level,
        method="residual variance over that of the other raters, F with matched moments",
        covers="the ratings of this rater and of the others",
        n=n,
        flags=("approximate",),
    )


def _agreement(
    ratings: Ratings, table: AnswerTable, names: tuple[str, ...], level: float
) -> tuple[list[Coefficient], Floats, Floats]:
    if not names:
        nothing = np.full(table.n_raters, np.nan)
        return [UNCOMPARED] * table.n_raters, nothing, nothing
    target, rater, values = merge_replicates(table)
    chosen = [table.dimensions.index(name) for name in names]
    scaled = comparable(ratings, names, values[:, chosen], "standard deviations")
    found = correlate_with_others(target, rater, scaled, n_raters=table.n_raters, level=level)
    return [_correlation(found, j, level) for j in range(table.n_raters)], found.expected, found.p


def _correlation(found: Agreement, j: int, level: float) -> Coefficient:
    if np.isfinite(found.value[j]):
        return Estimate(
            value=float(found.value[j]),
            low=float(found.low[j]),
            high=float(found.high[j]),
            level=level,
            method="correlation with the means of the other raters, Fisher's z",
            covers="targets",
            n=int(found.targets[j]),
        )
    if found.pairs[j] < LEAST_PAIRS:
        return Refusal(
            f"too few targets that others rated too (they count as {found.pairs[j]:.1f} independent pairs of values, "
            f"and {LEAST_PAIRS:g} are needed)",
            "let the rater rate more targets that others rate",
        )
    return Refusal(
        "the values of this rater, or those of the others on the same targets, do not vary",
        "give the rater targets that differ, or a finer scale",
    )
