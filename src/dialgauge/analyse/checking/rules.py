"""When a check is passed, and what is said of it: one sentence with the numbers, without the final stop."""

from dialgauge.analyse.checking.answers import LEAST_MASS
from dialgauge.analyse.checking.records import (
    ANSWERS,
    CONSTANT,
    HALO,
    KEYS,
    KNOWN,
    LENGTH,
    LISTING,
    MASS,
    QUESTIONS,
    SELF,
    Constant,
    Contrast,
    Halo,
    KeyOrder,
    KnownGroups,
    LengthBias,
    Mass,
    SelfPreference,
)
from dialgauge.analyse.results import Coefficient
from dialgauge.io.words import shorten
from dialgauge.model import RaterCheck
from dialgauge.stats.estimate import Estimate

MOST_CONSTANT = 0.99
"""Share of the most frequent value from which answers count as constant."""

MOST_BELOW = 0.1
"""Share of expected scores whose mass may lie below .9."""

MOST_FOLLOWED, SMALLEST_P = 0.5, 0.01
"""Share of steps along the keys, and p, that together count as following the keys."""

MOST_MOVED = 0.05
"""Difference, in units of the range of the scale, that a change of form may make."""

MOST_LENGTH = 0.05
"""Difference from other raters, in units of the range of the scale, that a doubling of the system's words may make."""

MOST_PREFERENCE = 0.05
"""Difference from other raters, in units of the range of the scale, that own systems may make."""

MOST_HALO = 0.1
"""Change of the mean correlation between dimensions that another order may make."""

CHANCE, LARGEST_P = 0.5, 0.05


def judge_constant(found: Constant) -> RaterCheck:
    """Fail where one value takes at least 99 % of the ratings."""
    detail = f"{found.value:g} takes {found.share:.0%} of the ratings of {found.n_targets} targets"
    return _check(found.rater, found.dimension, CONSTANT, found.share < MOST_CONSTANT, detail)


def judge_key_order(found: KeyOrder) -> RaterCheck:
    """Fail where at least half of the steps follow the keys, and permutations hardly ever do so as often."""
    detail = (
        f"{found.share:.0%} of {found.n_steps:,} steps from key to key go one point {found.direction}, by chance "
        f"{found.by_chance:.0%} (p = {found.p:.3f}, {found.n_calls:,} calls)"
    )
    return _check(found.rater, None, KEYS, not (found.share >= MOST_FOLLOWED and found.p <= SMALLEST_P), detail)


def judge_mass(found: Mass) -> RaterCheck:
    """Fail where over a tenth of the ratings have less than .9 of the probability on the scale."""
    unknown = f"; of {found.n_unknown} more the mass is not known" if found.n_unknown else ""
    detail = (
        f"{found.below:.0%} of {found.n:,} ratings have a mass below {LEAST_MASS:g}, median {found.median:.3f}{unknown}"
    )
    return _check(found.rater, found.dimension, MASS, found.below <= MOST_BELOW, detail)


def judge_contrast(found: Contrast) -> RaterCheck | None:
    """Fail where the whole interval lies beyond a twentieth of the range; None where nothing could be compared."""
    if not isinstance(found.difference, Estimate) or found.difference.low is None:
        return None
    changed = "" if found.changed is None else f", {found.changed:.0%} of the answers changed"
    missing = "".join(
        f", missing {where} {', '.join(f'{n} {reason}' for reason, n in reasons.items())}"
        for where, reasons in (("before", found.missing), ("after", found.missing_variant))
        if reasons
    )
    detail = f"{_WHAT[found.check]} {say(found.difference)} of the range, {found.n_targets} targets{changed}{missing}"
    if isinstance(found.first_over_last, Estimate):
        detail += f"; first answer over last {say(found.first_over_last)}"
    return _check(found.rater, found.dimension, found.check, not _beyond(found.difference, MOST_MOVED), detail)


_WHAT = {
    ANSWERS: "the other setting of answers moves ratings by",
    QUESTIONS: "the reverse order moves ratings by",
    LISTING: "listing the answers in reverse moves ratings by",
}


def judge_halo(found: Halo) -> RaterCheck | None:
    """Fail where the whole interval of the change lies beyond .1."""
    if not isinstance(found.change, Estimate):
        return None
    detail = (
        f"the mean correlation of {found.n_dimensions} dimensions is {found.declared:.2f} in the declared order and "
        f"{found.reverse:.2f} in reverse, change {say(found.change)}"
    )
    return _check(found.rater, None, HALO, not _beyond(found.change, MOST_HALO), detail)


def judge_length(found: LengthBias) -> RaterCheck | None:
    """Fail where the slope differs from that of others by more than a twentieth of the range, with all its interval.

    The slope alone is no fault: long dialogues may be better. None where there is nobody to compare with.
    """
    if not isinstance(found.difference, Estimate) or found.difference.low is None or found.slope_others is None:
        return None
    within = "" if found.difference_within is None else f", within systems {say(found.difference_within)}"
    detail = (
        f"per doubling of the system's words its ratings rise by {say(found.slope)} of the range, those of "
        f"{found.beside} by {say(found.slope_others)}, difference {say(found.difference)} on "
        f"{found.n_common} targets{within}"
    )
    return _check(found.rater, found.dimension, LENGTH, not _beyond(found.difference, MOST_LENGTH), detail)


def judge_self_preference(found: SelfPreference) -> RaterCheck | None:
    """Fail where own systems gain or lose more than a twentieth of the range against others, with all the interval."""
    if found.preference.low is None:
        return None
    detail = (
        f"{found.n_own} targets of its own systems ({shorten(found.own)}) against {found.n_other} of others: "
        f"{say(found.difference)} of the range by it, {say(found.difference_others)} by {found.beside}, so it prefers "
        f"its own by {say(found.preference)}; its own come first in {say(found.first)} of the pairs, by "
        f"{found.beside} in {say(found.first_others)}"
    )
    return _check(found.rater, found.dimension, SELF, not _beyond(found.preference, MOST_PREFERENCE), detail)


def judge_known_groups(found: KnownGroups) -> RaterCheck:
    """Pass where the lower limit of the share of right pairs is above one half, and so by changes of sign (p < .05)."""
    low = found.right.low
    passed = low is not None and low > CHANCE and found.p < LARGEST_P
    full = "" if found.full is None else f", {found.full:.0%} of {found.n_full} in full order with the middling one"
    ties = f", {found.ties} ties" if found.ties else ""
    detail = (
        f"{say(found.right)} of {found.n_pairs} pairs of good and bad in the expected order, {found.n_triplets} "
        f"triplets, p = {found.p:.3f}{'' if found.p_exact else ' (drawn)'}{full}{ties}, good minus bad "
        f"{say(found.differences[None])} of the range"
    )
    return _check(found.rater, None, KNOWN, passed, detail)


def say(found: Coefficient) -> str:
    """Write a value with its interval in two digits: ``0.12 [0.03, 0.21]``."""
    if not isinstance(found, Estimate):
        return f"not known ({found.reason})"
    if found.low is None or found.high is None:
        return f"{_two(found.value)} (no interval)"
    return f"{_two(found.value)} [{_two(found.low)}, {_two(found.high)}]"


def _two(value: float) -> str:
    text = f"{value:.2f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def _beyond(found: Estimate, most: float) -> bool:
    return found.low is not None and found.high is not None and (found.low > most or found.high < -most)


def _check(rater: str, dimension: str | None, check: str, passed: bool, detail: str) -> RaterCheck:  # noqa: FBT001
    return RaterCheck(rater=rater, dimension=dimension, check=check, passed=passed, detail=detail)
