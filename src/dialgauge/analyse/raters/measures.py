"""The numbers of each rater as Estimates and records, or as the reason why there are none."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from dialgauge.analyse.raters.fitting import Fits, Judged, comparable
from dialgauge.analyse.raters.records import RaterSpeed, Severity, StraightLining, UseOfScale
from dialgauge.analyse.raters.table import AnswerTable, merge_replicates, parts_of
from dialgauge.analyse.results import Coefficient
from dialgauge.errors import CannotEstimateError
from dialgauge.model import Ratings
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Flag, Refusal
from dialgauge.stats.raters.agreement import LEAST_PAIRS, Agreement, correlate_with_others, others_means
from dialgauge.stats.raters.consistency import Consistency, compare_scatter
from dialgauge.stats.raters.halo import LEAST_DIMENSIONS, rate_halo
from dialgauge.stats.raters.prediction import Predictions
from dialgauge.stats.raters.speed import Speed, time_raters
from dialgauge.stats.raters.straight import StraightLines, constant_tails, find_straight_lines, longest_runs
from dialgauge.stats.raters.usage import tabulate_use

FAST_FRACTION = 1.0 / 3.0
"""Share of the panel's median seconds below which an answer is too fast."""

FEW_DIMENSIONS = Refusal(
    f"fewer than {LEAST_DIMENSIONS} dimensions share a scale",
    f"give {LEAST_DIMENSIONS} or more dimensions on one scale",
)
UNTIMED = Refusal("no column of seconds was given", "name it with --seconds")


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """Everything that is known before rules are applied; sequences run over the raters of the table.

    The arrays ``severity_p`` to ``one_value_p`` (n_raters,) are one-sided or two-sided p-values as the rules ask, NaN
    where a rater cannot be tested.
    """

    severity: list[Severity | Refusal]
    severities: Mapping[str, list[Severity | Refusal]]
    consistency: list[Coefficient]
    consistencies: Mapping[str, list[Coefficient]]
    agreement: list[Coefficient]
    straight: list[StraightLining | Refusal]
    halo: list[Coefficient]
    use: list[tuple[UseOfScale, ...]]
    speed: list[RaterSpeed | Refusal]
    severity_p: Floats
    consistency_p: Floats
    agreement_p: Floats
    straight_p: Floats
    one_value_p: Floats
    timing: Speed | None
    straight_share: float | None


def measure(ratings: Ratings, table: AnswerTable, fits: Fits, *, level: float) -> Measures:
    """Measure every rater of ``table``."""
    names = tuple(fits.judged)
    severity, severity_p = _severity(fits.overall, table.n_raters, level)
    compared = _compare(fits, names, level)
    agreement = _agreement(ratings, table, names, level)
    alike = _alike(ratings)
    straight, lines = _straight(table, alike)
    timing = _timing(table)
    return Measures(
        severity=severity,
        severities={name: _severity(fits.judged[name], table.n_raters, level)[0] for name in names},
        consistency=_consistency(compared, fits, names, table.n_raters, level),
        consistencies={
            name: _consistency(_compare(fits, (name,), level), fits, (name,), table.n_raters, level) for name in names
        },
        agreement=_correlations(agreement, table.n_raters, level),
        straight=straight,
        halo=_halo(ratings, table, names, level),
        use=_use(ratings, table),
        speed=_speed(timing, table),
        severity_p=severity_p,
        consistency_p=_nothing(table) if compared is None else compared.p,
        agreement_p=_nothing(table) if agreement is None else agreement.p,
        straight_p=_nothing(table) if lines is None else lines.p,
        one_value_p=constant_tails(table.rater, table.columns(alike), n_raters=table.n_raters),
        timing=timing,
        straight_share=float(lines.straight.sum() / lines.targets.sum()) if lines and lines.targets.any() else None,
    )
