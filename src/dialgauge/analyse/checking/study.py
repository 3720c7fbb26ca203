"""All checks of the model raters of a study."""

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from dialgauge.analyse.checking.answers import FEWEST_TARGETS, find_constants, find_key_order, find_masses
from dialgauge.analyse.checking.contrasts import VARIANT_OF, find_contrasts, find_halo
from dialgauge.analyse.checking.favour import find_self_preference
from dialgauge.analyse.checking.known import find_known_groups
from dialgauge.analyse.checking.length import find_length_bias
from dialgauge.analyse.checking.records import (
    ANSWERS,
    CHECKS,
    CONSTANT,
    HALO,
    KEYS,
    KNOWN,
    LENGTH,
    LISTING,
    MASS,
    QUESTIONS,
    SELF,
    CheckedRater,
    CheckMaterial,
    NotMade,
    RaterChecks,
)
from dialgauge.analyse.checking.rules import (
    judge_constant,
    judge_contrast,
    judge_halo,
    judge_key_order,
    judge_known_groups,
    judge_length,
    judge_mass,
    judge_self_preference,
)
from dialgauge.model import RaterCheck
from dialgauge.stats.estimate import Refusal
from dialgauge.stats.ranges import require_open


def check_raters(material: CheckMaterial, *, source: str = "", level: float = 0.95) -> RaterChecks:
    """Return every check that ``material`` allows, and for those that it does not, why.

    Raises InputError for a level outside (0, 1).
    """
    require_open("level", level, 0.0, 1.0)
    raters = material.raters
    constants = tuple(c for rater in raters for c in find_constants(material, rater))
    several = [rater for rater in raters if rater.several]
    key_orders = tuple(filter(None, (find_key_order(material, rater) for rater in several)))
    masses = tuple(c for rater in raters for c in find_masses(material, rater))
    contrasts = tuple(
        c for rater in raters for check in VARIANT_OF for c in find_contrasts(material, rater, check, level=level)
    )
    halos = tuple(filter(None, (find_halo(material, rater, level=level) for rater in several)))
    known = tuple(filter(None, (find_known_groups(material, rater, level=level) for rater in raters)))
    lengths = {rater.name: find_length_bias(material, rater, level=level) for rater in raters}
    preferences = {rater.name: find_self_preference(material, rater, level=level) for rater in raters}
    length_biases = tuple(one for found in lengths.values() if isinstance(found, tuple) for one in found)
    self_preferences = tuple(one for found in preferences.values() if isinstance(found, tuple) for one in found)
    made: Iterable[RaterCheck | None] = (
        *map(judge_constant, constants),
        *map(judge_key_order, key_orders),
        *map(judge_mass, masses),
        *map(judge_contrast, contrasts),
        *map(judge_halo, halos),
        *map(judge_length, length_biases),
        *map(judge_self_preference, self_preferences),
        *map(judge_known_groups, known),
    )
    names = [rater.name for rater in raters]
    checks = sorted((c for c in made if c is not None), key=lambda c: (names.index(c.rater), CHECKS.index(c.check)))
    return RaterChecks(
        source=source,
        level=level,
        raters=tuple(names),
        checks=tuple(checks),
        constants=constants,
        key_orders=key_orders,
        masses=masses,
        contrasts=contrasts,
        halos=halos,
        lengths=length_biases,
        self_preferences=self_preferences,
        known_groups=known,
        not_made=tuple(_not_made(material, checks, {LENGTH: lengths, SELF: preferences})),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


def _not_made(
    material: CheckMaterial,
    checks: Iterable[RaterCheck],
    found: Mapping[str, Mapping[str, tuple[object, ...] | Refusal]],
) -> Iterator[NotMade]:
    made = {(check.rater, check.check) for check in checks}
    for rater in material.raters:
        for check in CHECKS:
            if (rater.name, check) in made:
                continue
            refused = found[check][rater.name] if check in found else None
            reason = refused.reason if isinstance(refused, Refusal) else _reason(material, rater, check)
            yield NotMade(rater=rater.name, check=check, reason=reason)


def _reason(material: CheckMaterial, rater: CheckedRater, check: str) -> str:
    of_planted = (pl.col("rater") == rater.name) & (pl.col("purpose") == "planted")
    planted = not material.ratings.filter(of_planted).is_empty()
    one, nothing = "it is asked for one dimension a call", "no ratings for it are there yet"
    reasons = {
        CONSTANT: [(True, f"no dimension has ratings of {FEWEST_TARGETS} targets")],
        KEYS: [(not rater.several, one), (True, "no call has three answers on scales of one number of points")],
        MASS: [(not rater.expected, "it has no expected scores"), (True, "no expected score has a known mass")],
        ANSWERS: [(rater.expected, "expected scores are read from probabilities, whatever the form of the answer")],
        QUESTIONS: [(not rater.several, one)],
        HALO: [(not rater.several, one)],
        LENGTH: [
            (True, f"no other rater has rated {FEWEST_TARGETS} of the same dialogues so that slopes can be compared")
        ],
        SELF: [(True, "own systems differ from others by the same in every rating")],
        LISTING: [(rater.several, "it is asked for several dimensions a call")],
        KNOWN: [
            (material.planted.is_empty(), "not available: there are no planted dialogues for the instrument"),
            (not planted, nothing),
        ],
    }
    variant = VARIANT_OF[QUESTIONS if check == HALO else check] if check in {*VARIANT_OF, HALO} else None
    of_variant = [(variant is not None and variant not in rater.variants, nothing)]
    return next(why for holds, why in (*reasons[check], *of_variant, (True, "too few ratings with a value")) if holds)
