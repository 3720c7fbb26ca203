"""How far a collection is."""

from dialgauge.collect.tally import Tally
from dialgauge.report.collection.words import say_duration, say_money
from dialgauge.report.progress import ProgressView


class CollectionView(ProgressView[Tally]):
    """Shows how far a collection is."""

    def describe(self) -> str:
        """Return the state in a line: ratings, speed, money, time left, what is missing."""
        tally = self._tally
        parts = [
            f"{tally.done:,} of {tally.planned:,}",
            f"{tally.per_second:,.1f}/s",
            "cost unknown" if tally.unpriced and not tally.cost else say_money(tally.cost, self._currency),
            f"{say_duration(tally.seconds_left)} left",
        ]
        missing = [f"{n:,} {reason}" for reason, n in tally.missing.most_common()]
        failed = [f"{n:,} calls: {reason}" for reason, n in tally.failed.most_common()]
        return " | ".join([*parts, *missing, *failed])
