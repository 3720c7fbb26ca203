"""All checks of the model raters of a study."""

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator

import polars as pl

from dialgauge.analyse.checking.answers import FEWEST_TARGETS, find_constants, find_key_order, find_masses
from dialgauge.analyse.checking.contrasts import VARIANT_OF, find_contrasts, find_halo
from dialgauge.analyse.checking.known import find_known_groups
from dialgauge.analyse.checking.records import (
    ANSWERS,
    CHECKS,
    CONSTANT,
    HALO,
    KEYS,
    KNOWN,
    LISTING,
    MASS,
    QUESTIONS,
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
    judge_mass,
)
from dialgauge.model import RaterCheck
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
    made: Iterable[RaterCheck | None] = (
        *map(judge_constant, constants),
        *map(judge_key_order, key_orders),
        *map(judge_mass, masses),
        *map(judge_contrast, contrasts),
        *map(judge_halo, halos),
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
        known_groups=known,
        not_made=tuple(_not_made(material, checks)),
        versions={
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("dialgauge", "numpy", "scipy", "polars")},
        },
    )


def _not_made(material: CheckMaterial, checks: Iterable[RaterCheck]) -> Iterator[NotMade]:
    made = {(check.rater, check.check) for check in checks}
    for rater in material.raters:
        for check in CHECKS:
            if (rater.name, check) not in made:
                yield NotMade(rater=rater.name, check=check, reason=_reason(material, rater, check))


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
        LISTING: [(rater.several, "it is asked for several dimensions a call")],
        KNOWN: [
            (material.planted.is_empty(), "not available: there are no planted dialogues for the instrument"),
            (not planted, nothing),
        ],
    }
    variant = VARIANT_OF[QUESTIONS if check == HALO else check] if check in {*VARIANT_OF, HALO} else None
    of_variant = [(variant is not None and variant not in rater.variants, nothing)]
    return next(why for holds, why in (*reasons[check], *of_variant, (True, "too few ratings with a value")) if holds)
