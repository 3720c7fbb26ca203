"""The one record in which a coefficient travels: a value, its interval, and what the interval covers."""

import math
from dataclasses import dataclass
from typing import Literal

Flag = Literal[
    "boundary",  # the estimate, or a variance it rests on, lies on the edge of what is possible
    "few_raters",  # fewer than six raters: rater variance is hardly identified
    "disconnected",  # raters and targets fall into groups that share no rater and no target
    "approximate",  # the interval rests on an approximation that its method names
    "no_interval",  # the interval could not be formed; low and high are None
]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient with its interval.

    ``low`` and ``high`` are ``None`` only with the flag ``"no_interval"``. ``level`` is the confidence level (0 to 1),
    ``method`` names how value and interval were made, ``covers`` names the sources of uncertainty that
    the interval covers, and ``n`` counts the ratings used.
    """

    value: float
    low: float | None
    high: float | None
    level: float
    method: str
    covers: str
    n: int
    flags: tuple[Flag, ...] = ()

    def __post_init__(self) -> None:
        bounds = (self.low, self.high)
        if not math.isfinite(self.value) or any(b is not None and not math.isfinite(b) for b in bounds):
            msg = f"an Estimate must be finite, got {self.value} with interval {bounds} by {self.method}"
            raise ValueError(msg)
        if (None in bounds) != ("no_interval" in self.flags):
            msg = f"an Estimate without an interval must carry the flag 'no_interval', and only then ({self.method})"
            raise ValueError(msg)
        if self.low is not None and self.high is not None and self.low > self.high:
            msg = f"the interval of an Estimate is upside down: {self.low} > {self.high} by {self.method}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What stands in the place of an Estimate that the data do not determine."""

    reason: str
    remedy: str
