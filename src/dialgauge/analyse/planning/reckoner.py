"""What numbers of targets buy by formula, whatever the ratings will be: the table to look at first."""

from collections.abc import Iterator

import numpy as np

from dialgauge.analyse.planning.records import At, PlanOptions, TargetsRow
from dialgauge.errors import CannotEstimateError
from dialgauge.stats.power import correlation_power, icc_width, least_detectable_icc

TARGETS = (25, 50, 100, 200, 400)
STEPS = (0.5, 0.75, 1.0, 1.5, 2.0)
"""The numbers of targets that are looked at: these, or these multiples of the planned number."""

ICCS, CORRELATIONS = (0.2, 0.4, 0.6, 0.8), (0.1, 0.2, 0.3, 0.5)
LEAST_PAIRS = 3

GRID = tuple(float(rho) for rho in np.linspace(0.01, 0.95, 200))
"""The ICCs among which the study of ReDial searched the least detectable one; it printed .062 for .0604."""


def step_targets(options: PlanOptions) -> list[int]:
    """Return the numbers of targets to look at, in order."""
    if options.targets is None:
        return list(TARGETS)
    return sorted({max(2, round(options.targets * step)) for step in STEPS})


def reckon_targets(options: PlanOptions) -> Iterator[TargetsRow]:
    """Yield what each number of targets buys."""
    for n in step_targets(options):
        powers = [At(r, correlation_power(r, n, alpha=options.alpha)) for r in CORRELATIONS] if n > LEAST_PAIRS else []
        yield TargetsRow(
            targets=n,
            least_icc=least_detectable_icc(
                n, options.per_target, rho0=options.ruled_out, alpha=options.alpha, power=options.power
            ),
            least_icc_on_grid=find_on_grid(options, n),
            widths=tuple(At(rho, icc_width(rho, n=n, k=options.per_target, level=options.level)) for rho in ICCS),
            powers=tuple(powers),
            planned=n == options.targets,
        )


def find_on_grid(options: PlanOptions, n: int) -> float | None:
    """Return the first ICC of the `GRID` that ``n`` targets show, or ``None``."""
    k, against = options.per_target, options.ruled_out
    try:
        return least_detectable_icc(n, k, rho0=against, alpha=options.alpha, power=options.power, grid=GRID)
    except CannotEstimateError:
        return None
