"""Ratings in, a record of every rater out."""

import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np
import polars as pl

from dialgauge.analyse.raters.conduct import Conduct, observe
from dialgauge.analyse.raters.dropping import drop, most_refits
from dialgauge.analyse.raters.findings import MOST_NAMES, findings_of
from dialgauge.analyse.raters.fitting import Fits, fit_raters
from dialgauge.analyse.raters.judgement import Judgement, judge
from dialgauge.analyse.raters.parts import Severity, StraightLining, Without
from dialgauge.analyse.raters.rasch import fit_rasch_dimensions
from dialgauge.analyse.raters.records import RULES, Norms, RaterQuality, RaterReport
from dialgauge.analyse.raters.rules import Evidence
from dialgauge.analyse.raters.table import AnswerTable, tabulate
from dialgauge.analyse.results import Coefficient
from dialgauge.errors import InputError
from dialgauge.model import Ratings
from dialgauge.stats.design import detect
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.ordinal.rasch_jmle import RaschModel
from dialgauge.stats.ranges import require_above, require_level


def analyse_raters(
    ratings: Ratings,
    *,
    seconds: pl.DataFrame | None = None,
    order: pl.DataFrame | None = None,
    k: float | None = None,
    level: float = 0.95,
    rasch: RaschModel | None = None,
) -> RaterReport:
    """Describe every rater of ``ratings``: severity, consistency, agreement with the others, use of the scale, care.

    ``seconds`` and ``order`` have the columns ``row`` (as in the ratings) and ``value``: how long an answer took, and
    a number that rises from answer to answer. ``k`` is the number of raters that Rel(k) averages over where the effect
    of dropping raters is shown (> 0; by default the harmonic mean of raters per target), ``level`` the confidence level
    in (0, 1). ``rasch`` asks for the many-facet Rasch model too: ``rating_scale`` shares its thresholds among raters,
    ``partial_credit`` does not. What cannot be known of a rater is a ``Refusal`` with its reason. Raises ``InputError``
    for options out of range and for ratings without a value.
    """
    if k is not None:
        require_above("k, the number of raters that a score averages over,", k, 0.0)
    require_level(level)
    if ratings.n_missing == ratings.frame.height:
        msg = f"{ratings.source or 'the table'} holds no rating with a value; look at its empty cells and at the filter"
        raise InputError(msg)
    table = tabulate(ratings, seconds=seconds, order=order)
    fits = fit_raters(ratings, table, level=level)
    judgement, conduct = judge(ratings, table, fits, level=level), observe(ratings, table, level=level)
    evidence = Evidence.of(judgement, conduct, fits.unit)
    ranked = sorted(
        ((_describe(evidence, table, j), j) for j in range(table.n_raters)), key=lambda pair: _rank(pair[0])
    )
    ks = {name: one.block.design.k_harmonic if k is None else k for name, one in fits.fitted.items()}
    raters, together, but_severe = _drop_flagged(ranked, table, fits, ks)
    report = RaterReport(
        source=ratings.source,
        scale="; ".join(dict.fromkeys(str(ratings.scale_for(name)) for name in ratings.dimensions)),
        level=level,
        design=detect(table.target, table.rater),
        dimensions=tuple(fits.judged),
        refused=fits.refused,
        k=ks,
        raters=tuple(raters),
        norms=_norms(fits, judgement, conduct),
        together=together,
        but_severe=but_severe,
        notes=(*ratings.notes, *_notes(ratings, table, fits, sum(bool(r.flags) for r in raters))),
        versions=_versions(),
        rasch=None if rasch is None else fit_rasch_dimensions(ratings, model=rasch),
    )
    return replace(report, findings=(*ratings.findings, *findings_of(report)))


def _versions() -> dict[str, str]:
    packages = ("dialgauge", "numpy", "scipy", "polars")
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in packages}}


def _describe(evidence: Evidence, table: AnswerTable, j: int) -> RaterQuality:
    judgement, conduct = evidence.judgement, evidence.conduct
    own = table.rater == j
    return RaterQuality(
        name=table.raters[j],
        n_ratings=int((~np.isnan(table.values[own])).sum()),
        n_targets=len(np.unique(table.target[own])),
        severity=judgement.severity[j],
        severities={name: found[j] for name, found in judgement.severities.items()},
        consistency=judgement.consistency[j],
        consistencies={name: found[j] for name, found in judgement.consistencies.items()},
        agreement=judgement.agreement[j],
        straight_lining=conduct.straight[j],
        halo=conduct.halo[j],
        use=conduct.use[j],
        speed=conduct.speed[j],
        p=evidence.p_of(j),
        flags=evidence.flags_of(j),
    )


def _rank(rater: RaterQuality) -> tuple[float, ...]:
    """Sort those most worth a look first: by the number of rules met, by the weightiest of them, by the evidence."""
    apart = abs(rater.severity.in_sd) if isinstance(rater.severity, Severity) else 0.0
    weightiest = min((RULES.index(flag.rule) for flag in rater.flags), default=len(RULES))
    return -len(rater.flags), weightiest, min(rater.p.values(), default=1.0), -apart


def _drop_flagged(
    raters: Sequence[tuple[RaterQuality, int]], table: AnswerTable, fits: Fits, k: Mapping[str, float]
) -> tuple[list[RaterQuality], Without | None, Without | None]:
    """Fit everything again without each of the first flagged raters, without all, and without the not only severe."""
    found = [rater for rater, _ in raters]
    flagged = [j for rater, j in raters if rater.flags]  # these come first
    if not flagged or not fits.fitted:
        return found, None, None
    for i, j in enumerate(flagged[: most_refits(fits.fitted)]):
        found[i] = replace(found[i], without=drop(table, fits.fitted, [j], k))
    others = [j for rater, j in raters if any(flag.rule != "severity" for flag in rater.flags)]
    together = drop(table, fits.fitted, flagged, k)
    if others == flagged:
        return found, together, together
    return found, together, drop(table, fits.fitted, others, k) if others else None


def _norms(fits: Fits, judgement: Judgement, conduct: Conduct) -> Norms:
    timing = conduct.timing
    overall = None if isinstance(fits.overall, Refusal) else fits.overall
    runs = [lines.longest_run for lines in conduct.straight if isinstance(lines, StraightLining)]
    return Norms(
        unit=fits.unit,
        sd=None if overall is None else overall.sd,
        rater_share=None if overall is None or overall.fit.rater is None else overall.fit.rater / overall.sd**2,
        agreement=_median(judgement.agreement),
        halo=_median(conduct.halo),
        straight=conduct.straight_share,
        run=median(run for run in runs if run is not None) if any(runs) else None,
        seconds=None if timing is None else timing.panel,
        threshold=None if timing is None else timing.threshold,
    )


def _median(coefficients: Sequence[Coefficient]) -> float | None:
    values = [c.value for c in coefficients if isinstance(c, Estimate)]
    return median(values) if values else None


def _notes(ratings: Ratings, table: AnswerTable, fits: Fits, n_flagged: int) -> list[str]:
    """Say what was turned round, left out or not done."""
    found = []
    turned = [name for name in fits.judged if ratings.scale_for(name).direction == "lower_is_better"]
    if turned:
        found.append(f"Turned round for the mean over dimensions, as lower is better: {', '.join(turned)}.")
    if fits.unit == "standard deviations" and len(fits.judged) > 1:
        found.append("Dimensions have different scales: their mean is taken in standard deviations of their ratings.")
    silent = sorted(set(ratings.frame["rater"].unique()) - set(table.raters))
    if silent:
        more = f" and {len(silent) - MOST_NAMES} more" if len(silent) > MOST_NAMES else ""
        found.append(f"Left out, as they gave no value: raters {', '.join(silent[:MOST_NAMES])}{more}.")
    for name, column in (("seconds", table.seconds), ("order", table.order)):
        if column is not None and (empty := int(np.isnan(column).sum())):
            found.append(f"Answers without {name}, left out where these are used: {empty:,} of {len(column):,}.")
    refits = most_refits(fits.fitted)
    if n_flagged > refits:
        found.append(f"What leaving one rater out would change was computed for the first {refits} of {n_flagged}.")
    return found
