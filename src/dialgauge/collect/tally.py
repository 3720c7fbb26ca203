"""What a collection has come to so far: counted when it is in the database, not before."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from dialgauge.collect.writer import Item

MOST_TEXTS = 1000
"""Different errors of one rater that are told apart."""

LONGEST_TEXT = 240
"""Characters."""


@dataclass(slots=True)
class Tally:
    """Ratings, missing reasons, attempts and spending of one execution.

    ``planned`` ratings were wanted in all, ``there`` of them had a rating before it began; another process was first
    with ``elsewhere`` of those that this one got. ``code`` names the raters that are code, which costs nothing and has
    no tokens: ``by_code`` of the ``attempts`` were theirs, ``code_failed`` of these failed. ``errors`` counts for each
    rater what was said where an attempt failed. ``cost`` sums what is known; ``unpriced`` answers have an unknown cost,
    ``uncounted`` ones an unknown number of tokens.
    """

    planned: int = 0
    there: int = 0
    elsewhere: int = 0
    rated: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    code: set[str] = field(default_factory=set)
    by_code: int = 0
    code_failed: int = 0
    errors: dict[str, Counter[str]] = field(default_factory=dict)
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
            by_code = attempt.rater in self.code
            self.attempts += 1
            self.by_code += by_code
            answered = attempt.state not in {"error", "timeout"}
            if not answered:
                self.failed[attempt.state] += 1
                self.code_failed += by_code
                self._keep_error(attempt.rater, attempt.error or attempt.state)
            self.input_tokens += attempt.input_tokens or 0
            self.output_tokens += attempt.output_tokens or 0
            self.cost += attempt.cost or 0.0
            self.unpriced += answered and attempt.cost is None
            self.uncounted += answered and not by_code and attempt.request != "" and attempt.input_tokens is None
            for rating in ratings:
                if rating.missing is None:
                    self.rated += 1
                else:
                    self.missing[rating.missing] += 1

    def _keep_error(self, rater: str, error: str) -> None:
        texts = self.errors.setdefault(rater, Counter())
        text = " ".join(error.split())[:LONGEST_TEXT]
        texts[text if text in texts or len(texts) < MOST_TEXTS else "other errors"] += 1

    @property
    def done(self) -> int:
        """Ratings that are final, with a value or without."""
        return self.there + self.rated + self.missing.total() + self.elsewhere

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
