"""Coefficients and designs as plain records, the same in every JSON and CSV."""

from dataclasses import asdict

from dialgauge.analyse.results import Coefficient
from dialgauge.stats.design import Design
from dialgauge.stats.estimate import Estimate

Json = dict[str, object]


def record_coefficient(coefficient: Coefficient, *, level: float) -> Json:
    """Return an Estimate with its flags as a list; a Refusal as the value None with flag, reason and remedy."""
    if isinstance(coefficient, Estimate):
        return {**asdict(coefficient), "flags": list(coefficient.flags)}
    nothing: Json = {"value": None, "low": None, "high": None, "level": level}
    nothing |= {"method": None, "covers": None, "n": None, "flags": ["refused"]}
    return {**nothing, **asdict(coefficient)}


def record_design(design: Design) -> Json:
    """Return who rated what, with what follows from it."""
    return {**asdict(design), "connected": design.connected, "few_raters": design.few_raters}


def flatten(name: str, coefficient: Coefficient | None) -> Json:
    """Return value and ends of an Estimate as columns ``name``, ``name_low`` and ``name_high``; else nothing."""
    if not isinstance(coefficient, Estimate):
        return {}
    return {name: coefficient.value, f"{name}_low": coefficient.low, f"{name}_high": coefficient.high}
