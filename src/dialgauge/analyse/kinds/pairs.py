"""What the comparison of two kinds of rater returns."""

from dataclasses import dataclass

from dialgauge.analyse.results import Coefficient
from dialgauge.stats.estimate import Estimate, Refusal


@dataclass(frozen=True, slots=True)
class PerfectCorrelation:
    """The likelihood ratio test that two kinds see exactly the same in the targets, noise apart.

    ``statistic`` is the rise of the REML criterion; ``p`` comes from the half-and-half mixture of chi-square with
    ``df`` and ``df - 1`` degrees of freedom.
    """

    statistic: float
    df: int
    p: float


@dataclass(frozen=True, slots=True)
class Worth:
    """How many raters of the second kind are worth one rater of the first.

    ``equal`` gives the number whose mean is as reliable as the one rater, each measured against its own kind's view.
    ``stand_in`` gives the number whose mean correlates with the first kind's view as highly as the one rater does.
    Where a kind has one rater per target, its replicates count instead of raters.
    """

    equal: Coefficient
    stand_in: float | Refusal


@dataclass(frozen=True, slots=True)
class PairOfKinds:
    """Two kinds of rater compared on one dimension.

    ``difference`` is the mean of ``second`` less that of ``first``, with its standard error and degrees of freedom;
    a refusal where the two rated on different scales.
    ``correlation`` is that of the target effects, noise taken out of both; it is refused where a kind has one rating
    per target, and ``correlation_as_rated`` then takes out the noise of the other kind only. ``observed`` is the plain
    correlation of target means, ``ceiling`` what it would be, noise being what it is, if the target effects correlated
    perfectly. ``worth`` counts severity as error, ``worth_relative`` does not.
    """

    first: str
    second: str
    n_shared: int
    difference: Coefficient
    difference_se: float | None
    difference_df: float | None
    correlation: Coefficient
    correlation_as_rated: Coefficient | None
    perfect: PerfectCorrelation | Refusal
    observed: Coefficient
    ceiling: float | None
    worth: Worth | Refusal
    worth_relative: Worth | Refusal
    findings: tuple[str, ...] = ()

    @property
    def tells(self) -> bool:
        """Whether anything is known about what the two kinds see in common."""
        return isinstance(self.correlation, Estimate) or isinstance(self.correlation_as_rated, Estimate)
