"""The curves of a planned study: what targets buy, by formula."""

import numpy as np

from dialgauge.analyse.planning.reckoner import ICCS
from dialgauge.analyse.planning.records import Curve, PlanOptions
from dialgauge.stats.power import icc_power, icc_width, least_detectable_icc

RATERS = (2, 3, 5, 10)
FEWEST, MOST = 10, 400
STEPS = 80

BY_RATERS = "raters per target"


def draw_curves(options: PlanOptions, icc: float | None) -> tuple[Curve, ...]:
    """Return the curves for the design of ``options``; ``icc`` is the reliability of one rating, if assumed."""
    curves = [_least_detectable(options), _width(options, icc)]
    if options.targets is not None:
        curves.insert(1, _power(options, options.targets, icc))
    return tuple(curves)


def _targets(options: PlanOptions) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    most = max(MOST, 2 * (options.targets or 0))
    return np.unique(np.round(np.geomspace(FEWEST, most, STEPS)))


def _test(options: PlanOptions) -> str:
    return f"one-sided alpha {options.alpha:g}"


def _series_of_raters(options: PlanOptions) -> list[int]:
    return sorted({*RATERS, options.per_target})


def _least_detectable(options: PlanOptions) -> Curve:
    x = _targets(options)

    def least(n: float, k: int) -> float:
        return least_detectable_icc(n, k, rho0=options.ruled_out, alpha=options.alpha, power=options.power)

    n, k = options.targets, options.per_target
    return Curve(
        name="least_detectable_icc",
        title=f"Least ICC(1) shown to exceed {options.ruled_out:g} (power {options.power:g}, {_test(options)})",
        x_label="number of targets",
        y_label="least detectable ICC(1)",
        x=x,
        by=BY_RATERS,
        series={k: np.array([least(n, k) for n in x]) for k in _series_of_raters(options)},
        mark=None if n is None else (float(n), least(n, k)),
        focus=k,
    )


def _power(options: PlanOptions, n: int, icc: float | None) -> Curve:
    x = (
        np.linspace(options.ruled_out, 0.95, 2 * STEPS)
        if options.ruled_out < 0.9
        else np.linspace(options.ruled_out, 0.999, STEPS)
    )

    def power(rho: float, k: int) -> float:
        return icc_power(rho, options.ruled_out, n=n, k=k, alpha=options.alpha)

    return Curve(
        name="power",
        title=f"Power to show that ICC(1) exceeds {options.ruled_out:g} with {n} targets ({_test(options)})",
        x_label="true ICC(1)",
        y_label="power",
        x=x,
        by=BY_RATERS,
        series={k: np.array([power(rho, k) for rho in x]) for k in _series_of_raters(options)},
        mark=None if icc is None else (icc, power(icc, options.per_target)),
        focus=options.per_target,
    )


def _width(options: PlanOptions, icc: float | None) -> Curve:
    x, k = _targets(options), options.per_target
    iccs = sorted({*ICCS, *([] if icc is None else [round(icc, 3)])})

    def width(rho: float, n: float) -> float:
        return icc_width(rho, n=n, k=k, level=options.level)

    return Curve(
        name="width",
        title=f"Width of the {options.level_text} interval of ICC(1) with {k} raters per target",
        x_label="number of targets",
        y_label="width of the interval",
        x=x,
        by="ICC(1)",
        series={rho: np.array([width(rho, n) for n in x]) for rho in iccs},
        mark=None if icc is None or options.targets is None else (float(options.targets), width(icc, options.targets)),
        focus=None if icc is None else round(icc, 3),
    )
