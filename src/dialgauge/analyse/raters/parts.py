"""The parts of a rater's record."""

from dataclasses import dataclass

from dialgauge.stats.estimate import Estimate, Refusal


@dataclass(frozen=True, slots=True)
class Severity:
    """How far a rater's ratings lie above (+) or below (-) those that the others would give.

    ``estimate`` is the best linear unbiased prediction, its interval that of the distance from the mean of the raters
    of the study. ``prediction_se`` is the standard error against the mean of all raters there could be, and
    ``se_known_mean`` the same with that mean known (lme4's ``condVar``). ``in_sd`` is the value in standard deviations
    of one rating.
    """

    estimate: Estimate
    prediction_se: float
    se_known_mean: float
    in_sd: float


@dataclass(frozen=True, slots=True)
class StraightLining:
    """How often a rater gave all dimensions of a target one value, over ``n_targets`` with at least three of them.

    ``by_chance`` is the share that the rater's own use of the scale would give if dimensions were answered
    independently, ``by_others`` that of the other raters (``None`` without any). ``longest_run`` is the longest run of
    one value in the order of the answers; ``None`` where no order is known.
    """

    n_targets: int
    n_straight: int
    by_chance: float
    by_others: float | None
    longest_run: int | None

    @property
    def share(self) -> float:
        """The share of the targets (0 to 1)."""
        return self.n_straight / self.n_targets


@dataclass(frozen=True, slots=True)
class UseOfScale:
    """How a rater's ratings of ``dimensions``, which share a scale, spread over it.

    ``counts`` are the ratings at each point (or in each part of a continuous scale) under their labels; ``entropy`` is
    0 for one part only and 1 for all equally often, ``extremes`` the share at both ends of the scale.
    """

    scale: str
    dimensions: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]
    entropy: float
    extremes: float
    low: float
    high: float
    mean: float
    spread: float

    @property
    def most_used(self) -> float:
        """The share of the ratings at the point that is used most (0 to 1)."""
        counts = [count for _, count in self.counts]
        return max(counts) / sum(counts)


@dataclass(frozen=True, slots=True)
class RaterSpeed:
    """Seconds per target: their median over ``n`` timed targets, and the share below the panel's threshold."""

    n: int
    median: float
    fast: float


@dataclass(frozen=True, slots=True)
class Change:
    """One dimension with all raters, and without some: pairs of before and after.

    ``within`` tells whether Rel(k) stays inside the interval that it has with all raters. What comes after, and
    ``within``, are ``None`` with a ``refusal``.
    """

    dimension: str
    rel_single: tuple[float, float | None]
    rel_k: tuple[float, float | None]
    mean: tuple[float, float | None]
    band: tuple[str, str | None]
    within: bool | None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Without:
    """What dropping ``raters`` with their ``n_ratings`` would change, dimension by dimension, at the same k."""

    raters: tuple[str, ...]
    n_ratings: int
    changes: tuple[Change, ...]
