"""What checks of raters go in with, and what they come out as."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from dialgauge.analyse.results import Coefficient
from dialgauge.model import RaterCheck, Scale, Variant
from dialgauge.stats.estimate import Estimate

CONSTANT = "constant answers"
KEYS = "answers in key order"
MASS = "mass on the scale"
ANSWERS = "free against constrained answers"
QUESTIONS = "order of the questions"
HALO = "halo under another order"
LISTING = "order of the answers"
KNOWN = "known groups in order"
LENGTH = "length bias"
SELF = "self-preference"

CHECKS = (CONSTANT, KEYS, MASS, ANSWERS, QUESTIONS, HALO, LISTING, LENGTH, SELF, KNOWN)
"""The checks in the order in which they are reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRater:
    """A model rater with the raters that check it.

    ``variants`` gives the name of each variant that has been registered. ``several`` says that it is asked for several
    dimensions in a call, ``expected`` that its ratings are expected scores. ``own_systems`` are built on the same model
    or its family.
    """

    name: str
    variants: Mapping[Variant, str] = field(default_factory=dict)
    several: bool = False
    expected: bool = False
    own_systems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckMaterial:
    """The ratings that checks rest on, as tables.

    ``ratings`` has a row a rating: purpose ("study" or "planted"), target, rater, dimension, replicate, value and
    missing (one of the two is null). ``planted`` has a row for each planted dialogue and dimension of known order:
    target, triplet, quality (0 bad, 1 middling, 2 good), dimension, sign (1 or -1). ``calls`` has a row for each call
    for several dimensions: rater, target, replicate, dimensions (a list, in the order asked). ``masses`` has a row for
    each expected score: rater, dimension, mass (null where it is not known). ``targets`` has a row for each dialogue of
    the study: target, system (null where it is not known), words (of the system in it). ``people`` are the human raters
    among those of ``ratings``.
    """

    raters: Sequence[CheckedRater]
    scales: Mapping[str, Scale]
    ratings: pl.DataFrame
    planted: pl.DataFrame
    calls: pl.DataFrame
    masses: pl.DataFrame
    targets: pl.DataFrame
    people: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """How often a rater gives its most frequent ``value`` (``share``, 0 to 1)."""

    rater: str
    dimension: str
    value: float
    share: float
    n_targets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOrder:
    """How often an answer is the one before plus or minus one point of the scale, along the keys of a call.

    ``share`` is that of the more frequent ``direction``, ``by_chance`` what permutations of the same answers give,
    ``p`` the share of permutations that reach it, doubled for the two directions.
    """

    rater: str
    direction: Literal["up", "down"]
    share: float
    by_chance: float
    p: float
    n_steps: int
    n_calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mass:
    """The probability that a rater puts on the answers of the scale: median, and the share of ratings below .9."""

    rater: str
    dimension: str
    median: float
    below: float
    n: int
    n_unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A rater against a variant of itself on the same targets; ``dimension`` None is all of them together.

    ``difference`` is variant minus rater in units of the range of the scale, ``changed`` the share of ratings that
    differ. ``first_over_last`` is, for the order of the answers, the share of ratings at the answer listed first less
    that at the answer listed last, over both orders. The missing reasons are counted on the targets that the variant
    was asked for.
    """

    rater: str
    check: str
    dimension: str | None
    difference: Coefficient
    changed: float | None
    first_over_last: Coefficient | None
    n_pairs: int
    n_targets: int
    missing: Mapping[str, int]
    missing_variant: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Halo:
    """The mean correlation between dimensions over targets, in the declared and in the reverse order of questions."""

    rater: str
    declared: float
    reverse: float
    change: Coefficient
    n_targets: int
    n_dimensions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownGroups:
    """How well a rater tells good from bad planted dialogues.

    ``right`` is the share of pairs of triplet and dimension whose good dialogue is rated better than the bad one, a tie
    counting one half; ``p`` that of a test by changes of sign over triplets (``p_exact``: of all of them). ``full`` is
    the share of triplets in full order, without ties, where chance gives one in six. ``differences`` are good minus bad
    in the expected direction, in units of the range of the scale, for each dimension and (None) for all.
    """

    rater: str
    right: Estimate
    p: float
    p_exact: bool
    ties: int
    full: float | None
    n_full: int
    n_triplets: int
    n_pairs: int
    n_missing: int
    differences: Mapping[str | None, Coefficient]


Beside = Literal["people", "other models"]
"""With whom a rater is compared on the same targets: people where there are any, for models may share a bias."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthBias:
    """How ratings go with the length of the system's words; ``dimension`` None is the mean over dimensions.

    ``slope`` is in units of the range of the scale per doubling of the words, towards the better end; dimensions
    without one (they have no part in the mean) go towards the upper end. ``slope_others`` and ``difference``, the
    rater's slope minus theirs, are on the ``n_common`` targets that both rated; None without others. The ``within``
    forms compare dialogues of one system only; None where there are not two. ``n_wordless`` counts the rated targets
    that have no words of a system, which are left out.
    """

    rater: str
    dimension: str | None
    slope: Coefficient
    slope_within: Coefficient | None
    beside: Beside | None
    slope_others: Coefficient | None
    difference: Coefficient | None
    difference_within: Coefficient | None
    n_targets: int
    n_common: int
    n_wordless: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfPreference:
    """How a rater rates its own systems against others; ``dimension`` None is the mean over dimensions.

    ``difference`` is the mean rating of the targets of ``own`` systems minus that of the other targets, in units of the
    range of the scale, towards the better end; ``difference_others`` the same by the other raters, ``preference`` the
    first minus the second, all on the same ``n_own`` and ``n_other`` targets. ``first`` is the share of pairs of an own
    and another target in which the own one is rated better, a tie counting one half, and ``first_others`` theirs.
    """

    rater: str
    dimension: str | None
    own: tuple[str, ...]
    beside: Beside
    preference: Estimate
    difference: Estimate
    difference_others: Estimate
    first: Estimate
    first_others: Estimate
    n_own: int
    n_other: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMade:
    """A check that could not be made, and why."""

    rater: str
    check: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterChecks:
    """All checks of the model raters of a study: the numbers, and for each check whether it was passed."""

    source: str
    level: float
    raters: tuple[str, ...]
    checks: tuple[RaterCheck, ...]
    constants: tuple[Constant, ...] = ()
    key_orders: tuple[KeyOrder, ...] = ()
    masses: tuple[Mass, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    halos: tuple[Halo, ...] = ()
    lengths: tuple[LengthBias, ...] = ()
    self_preferences: tuple[SelfPreference, ...] = ()
    known_groups: tuple[KnownGroups, ...] = ()
    not_made: tuple[NotMade, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> tuple[RaterCheck, ...]:
        """The checks that were not passed."""
        return tuple(check for check in self.checks if not check.passed)
