"""What a collection has come to so far: counted when it is in the database, not before."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from dialgauge.collect.writer import Item


@dataclass(slots=True)
class Tally:
    """Ratings, missing reasons, attempts and spending of one execution.

    ``planned`` ratings were wanted in all, ``there`` of them had a rating before it began. ``cost`` sums what is
    known; ``unpriced`` answers have an unknown cost, ``uncounted`` ones an unknown number of tokens.
    """

    planned: int = 0
    there: int = 0
    rated: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    uncounted: int = 0
    began: float = field(default_factory=time.monotonic)

    def add(self, items: Sequence[Item]) -> None:
        """Count attempts and ratings that were committed."""
        for attempt, ratings in items:
            self.attempts += 1
            answered = attempt.state not in {"error", "timeout"}
            if not answered:
                self.failed[attempt.state] += 1
            self.input_tokens += attempt.input_tokens or 0
            self.output_tokens += attempt.output_tokens or 0
            self.cost += attempt.cost or 0.0
            self.unpriced += answered and attempt.cost is None
            self.uncounted += answered and attempt.request != "" and attempt.input_tokens is None
            for rating in ratings:
                if rating.missing is None:
                    self.rated += 1
                else:
                    self.missing[rating.missing] += 1

    @property
    def done(self) -> int:
        """Ratings that are final, with a value or without."""
        return self.there + self.rated + self.missing.total()

    @property
    def lacking(self) -> int:
        """Ratings that were wanted and are not there."""
        return self.planned - self.done

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def per_second(self) -> float:
        """Ratings a second, those of this execution."""
        return (self.done - self.there) / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rest will take at this speed; None before the first rating."""
        return self.lacking / self.per_second if self.done > self.there else None
