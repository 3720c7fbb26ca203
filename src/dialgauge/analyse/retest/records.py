"""What the analysis of repeated measurement returns: three studies, their counts, the answers to the hypotheses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from dialgauge.analyse.results import Coefficient
from dialgauge.analyse.retest.classes import ReliabilityClass, Use
from dialgauge.stats.estimate import Estimate

Form = Literal["printed", "shrout-fleiss"]
"""Which mean square counts as error: that within targets, as Krzemińska et al. (2026) print it, or the residual one."""

Part = Literal["single", "mean"]
"""The coefficient of one rating, or of the mean of k."""

PARTS: tuple[Part, ...] = get_args(Part)

Status = Literal["ok", "excluded", "refused"]

Measure = Literal["nmae", "kappa", "weighted_kappa"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One dimension rated repeatedly by one rater: Study 1.

    ``status`` is "excluded" where the most frequent value takes nearly all ratings, "refused" where no coefficient of
    one rating exists; ``reason`` says why. ``single`` and ``mean`` are the coefficients in the form asked for,
    ``other_single`` and ``other_mean`` in the other; ``coefficient`` tells whether they are ICCs or, for categories
    without an order, nominal alpha. ``reml_single`` and ``reml_mean`` use all ratings and are given where more than a
    little is missing. ``exact`` says that no target differed between replicates, ``same`` is the share of targets that
    did not. ``supported_single`` and ``supported_mean`` tell whether the lower limit reaches the class.

    ``replicates`` (k) of the ``n_replicates`` that occur were used; ``n_targets`` targets have them all, ``left_out``
    names those with some, ``n_unrated`` counts those with none. ``n_ratings`` counts the ratings with a value on the
    scale, ``missing`` those without one by reason. ``dominant`` is the most frequent value, with its share of the
    ratings.
    """

    dimension: str
    rater: str
    group: str
    level: str
    status: Status
    reason: str
    remedy: str
    coefficient: Literal["icc", "alpha"]
    single: Coefficient
    mean: Coefficient
    other_single: Coefficient
    other_mean: Coefficient
    reml_single: Coefficient | None
    reml_mean: Coefficient | None
    same: Estimate | None
    exact: bool
    class_single: ReliabilityClass | None
    class_mean: ReliabilityClass | None
    supported_single: bool | None
    supported_mean: bool | None
    use: Use | None
    replicates: int
    n_replicates: int
    n_targets: int
    left_out: tuple[str, ...]
    n_unrated: int
    n_ratings: int
    missing: Mapping[str, int]
    dominant: float | None
    dominant_share: float | None

    def value(self, part: Part) -> float | None:
        """Return the value of the coefficient of one rating or of the mean; ``None`` where there is none."""
        found = self.single if part == "single" else self.mean
        return found.value if isinstance(found, Estimate) else None

    def class_of(self, part: Part) -> ReliabilityClass | None:
        """Return the class of that coefficient."""
        return self.class_single if part == "single" else self.class_mean

    def supports(self, part: Part) -> bool:
        """Tell whether its interval supports the class."""
        return bool(self.supported_single if part == "single" else self.supported_mean)


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """The coefficients of a group of dimensions (all of them: ``group`` is ``None``) for one rater.

    ``counts`` and ``supported`` are numbers of dimensions by class, by value and by the lower limit. ``lowest``,
    ``highest`` and ``average`` describe these dimensions, which are no sample; ``None`` where no dimension counts.
    """

    group: str | None
    rater: str
    part: Part
    n: int
    n_excluded: int
    n_refused: int
    counts: Mapping[ReliabilityClass, int]
    supported: Mapping[ReliabilityClass, int]
    lowest: float | None
    highest: float | None
    average: float | None


@dataclass(frozen=True, slots=True)
class Correspondence:
    """The classes of the dimensions by two raters: ``table[i][j]`` counts class i of the first, class j of the second.

    Rows and columns are in the order of `CLASSES`. ``same`` is the share in one class, with an interval as if the
    dimensions were drawn from more of their kind; ``None`` where there is no dimension.
    """

    first: str
    second: str
    table: tuple[tuple[int, ...], ...]
    n: int
    n_same: int
    same: Estimate | None


@dataclass(frozen=True, slots=True)
class GroupConcordance:
    """How many pairs of raters put a dimension into one class: ``counts[c]`` dimensions have c such pairs.

    ``n`` dimensions have a class by every rater; ``n_left_out`` have not. ``excellent`` counts those that are at least
    excellent by all raters, ``supported`` those of them whose lower limits all say so.
    """

    group: str | None
    n: int
    n_left_out: int
    counts: tuple[int, ...]
    excellent: int
    supported: int


@dataclass(frozen=True, slots=True)
class Universality:
    """Study 2 for one coefficient: the same classes, whoever rates.

    ``groups`` ends with all dimensions together. ``excellent`` names those that are excellent by all raters.
    """

    part: Part
    pairs: Sequence[Correspondence]
    groups: Sequence[GroupConcordance]
    excellent: tuple[str, ...]
    share: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePair:
    """The values of one dimension by two raters: Study 3.

    ``result`` is the median over pairs of replicates: nMAE, or kappa with ``weights``. ``other`` is weighted kappa with
    the weights that were not asked for, on ordinal scales. ``mae`` is in units of the scale, ``spread`` the observed
    range by which it was divided. ``band`` is the word for the value, ``supported`` tells whether the unfavourable end
    of the interval is in it too, or in a better one. ``trimmed``, ``lowest`` and ``highest`` describe the pairs of
    replicates, of which ``n_undefined`` have no kappa.
    """

    dimension: str
    group: str
    first: str
    second: str
    measure: Measure
    weights: str
    result: Coefficient
    other: Coefficient | None
    spread: float | None
    trimmed: float | None = None
    lowest: float | None = None
    highest: float | None = None
    n_pairs: int = 0
    n_undefined: int = 0
    n_targets: int = 0
    mae: float | None = None
    band: str = ""
    supported: bool | None = None


@dataclass(frozen=True, slots=True)
class BandCounts:
    """How many dimensions fall into each band of a measure, for each pair of raters.

    ``counts`` has the pairs in the order of ``pairs``; ``in_all`` counts the dimensions that are in the band by every
    pair.
    """

    measure: Measure
    pairs: tuple[tuple[str, str], ...]
    bands: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    in_all: tuple[int, ...]
    n_dimensions: int


@dataclass(frozen=True, slots=True)
class ValueAgreement:
    """Study 3: the same values. ``scope`` tells which dimensions were compared, ``why_none`` why there are none."""

    scope: Literal["excellent", "all"]
    dimensions: tuple[str, ...]
    pairs: Sequence[ValuePair]
    bands: Sequence[BandCounts]
    why_none: str = ""


@dataclass(frozen=True, slots=True)
class Retest:
    """Repeated measurement of many dimensions by several raters.

    ``repeats`` holds each dimension by each rater, in the declared order of the dimensions. ``hypotheses`` answer with
    counts whether ratings are repeatable within a rater, reliable alike by all raters, and equal in value. ``notes``
    tell how the ratings were read; ``findings`` are the sentences that change what one may conclude.
    """

    source: str
    level: float
    form: Form
    dominant: float
    raters: tuple[str, ...]
    dimensions: tuple[str, ...]
    n_targets: int
    n_ratings: int
    replicates: tuple[int, ...]
    repeats: Sequence[Repeat]
    summaries: Sequence[GroupSummary]
    universality: Sequence[Universality]
    values: ValueAgreement
    hypotheses: tuple[str, str, str]
    findings: Sequence[str] = ()
    notes: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of dimensions in the order in which they occur; none where no dimension has one."""
        return tuple(dict.fromkeys(r.group for r in self.repeats if r.group))
