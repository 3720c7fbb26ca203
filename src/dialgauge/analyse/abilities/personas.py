"""How evenly a system serves its personas: the spread of each ability over them, and what of it is more than chance."""

from collections.abc import Mapping, Sequence

import numpy as np

from dialgauge.analyse.abilities.columns import Columns
from dialgauge.analyse.abilities.records import Coordination, PersonaSpread
from dialgauge.errors import CannotEstimateError
from dialgauge.stats.abilities.formulas import QUALITY, SUCCESS, TOP, Formula, spread_of
from dialgauge.stats.abilities.persona import PersonaVariance, persona_variance
from dialgauge.stats.abilities.twoway import Crossing
from dialgauge.stats.estimate import Estimate, Refusal

METHOD = "mean over abilities of range / mean over personas"


def measure_variance(columns: Columns, formula: Formula, *, level: float) -> PersonaVariance | Refusal:
    """Return the variance of an ability that is due to personas, from its value on each row alone."""
    values, rows = columns.values(formula)
    if not rows.size:
        return Refusal("no dialogue has all that the ability takes", "see what the ability itself lacks")
    crossing = Crossing(columns.crossing.persona[rows], columns.crossing.preference[rows])
    try:
        return persona_variance(values, crossing, level=level)
    except CannotEstimateError as error:
        return Refusal(error.reason, error.remedy)


def coordinate(tables: Mapping[str, Columns], formulas: Sequence[Formula], *, level: float) -> Coordination:
    """Return Coordination from the abilities ``formulas``, each on the rows of its table by name."""
    success = measure_variance(tables[QUALITY.name], SUCCESS, level=level)
    spreads = tuple(spread for formula in formulas if (spread := _spread(tables[formula.name], formula)) is not None)
    if not spreads:
        nothing = Refusal(
            "no ability has a value for two personas and a mean above 0", "see what the abilities themselves lack"
        )
        return Coordination(spread=nothing, score=nothing, spreads=(), success=success)
    value = float(np.mean([spread.spread for spread in spreads]))
    n = sum(spread.n_personas for spread in spreads)
    return Coordination(
        spread=_bare(value, METHOD, n, level),
        score=_bare(TOP / (1.0 + value), f"5 / (1 + {METHOD})", n, level),
        spreads=spreads,
        success=success,
    )


def _spread(columns: Columns, formula: Formula) -> PersonaSpread | None:
    personas = columns.crossing.persona
    values = []
    levels = np.unique(personas)
    for level in levels:
        try:
            values.append(columns.apply(formula, np.flatnonzero(personas == level)).value)
        except CannotEstimateError:
            continue
    found = np.array(values)
    try:
        spread = spread_of(found)
    except CannotEstimateError:
        return None
    return PersonaSpread(
        ability=formula.name,
        lowest=float(found.min()),
        highest=float(found.max()),
        mean=float(found.mean()),
        spread=spread,
        n_personas=found.size,
        n_without=levels.size - found.size,
        per_persona=len(columns.crossing) / levels.size,
    )


def _bare(value: float, method: str, n: int, level: float) -> Estimate:
    """Return a value without an interval: a range over few noisy values has none that holds."""
    return Estimate(value, None, None, level, method, "nothing: these personas only", n, ("no_interval",))
