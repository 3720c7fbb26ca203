"""What watching an anchor set gives: a state for each dimension and rater, and what every occasion showed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.retest.classes import ReliabilityClass

State = Literal["steady", "shifted", "less reliable", "not enough"]

STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True, kw_only=True)
class OccasionChange:
    """One occasion beside the baseline.

    ``shift`` is the mean difference in units of the scale, ``shift_in_sd`` the same in standard deviations of one
    rating at the baseline (None where these do not vary). ``icc`` is the reliability of one rating on the occasion,
    ``change`` its difference from the baseline; ``class_left`` says that the class, by value, is a lower one. The
    intervals are for this occasion alone. ``p_shift`` and ``p_reliability`` hold for all occasions so far at once, and
    are adjusted for all dimensions and raters.
    """

    occasion: str
    n_targets: int
    shift: Coefficient
    shift_in_sd: float | None
    icc: Coefficient
    reliability_class: ReliabilityClass | None
    change: Coefficient
    class_left: bool
    p_shift: float
    p_reliability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """One dimension by one rater over all occasions.

    ``shifted_since`` and ``less_reliable_since`` name the occasions of the first alarm, ``shift_began`` that from which
    on the shift shows most; None without an alarm. ``reason`` says why there is not enough to tell.
    """

    dimension: str
    rater: str
    state: State
    reason: str
    n_targets: int
    replicates: int
    sd: float | None
    icc: Coefficient
    reliability_class: ReliabilityClass | None
    changes: Sequence[OccasionChange] = ()
    shifted_since: str | None = None
    shift_began: str | None = None
    less_reliable_since: str | None = None

    @property
    def alarm(self) -> bool:
        """Whether something has changed."""
        return self.state in {"shifted", "less reliable"}

    @property
    def latest(self) -> OccasionChange | None:
        """What the last occasion showed."""
        return self.changes[-1] if self.changes else None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened by an occasion and may explain a change, such as another version of a model."""

    occasion: str
    rater: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitoring:
    """All that was watched. ``alpha`` bounds the probability of any false alarm, ever, for any of ``watches``.

    ``occasions`` are in order, the first being the baseline. ``level`` is that of the intervals.
    """

    source: str
    alpha: float
    level: float
    occasions: tuple[str, ...]
    watches: Sequence[Watch]
    events: Sequence[Event] = ()
    findings: Sequence[str] = ()
    notes: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def alarms(self) -> tuple[Watch, ...]:
        """What has changed."""
        return tuple(watch for watch in self.watches if watch.alarm)
