"""Several collections one after the other, so that a model is never pressed by two of its variants at once."""

from collections.abc import Sequence

from dialgauge.collect.models import open_model
from dialgauge.collect.plan import Share
from dialgauge.collect.rate import Collection, Opener, Outcome
from dialgauge.collect.tally import Tally
from dialgauge.io.store import Store
from dialgauge.io.study import StudyFolder


class Rounds:
    """Runs a `Collection` for each of ``rounds`` in turn; to its caller it is like one collection.

    The first collection that is interrupted, or that spends the budget, is the last.
    """

    def __init__(
        self,
        folder: StudyFolder,
        store: Store,
        rounds: Sequence[Sequence[Share]],
        tally: Tally,
        *,
        opener: Opener = open_model,
    ) -> None:
        self.outcome = Outcome(tally)
        self._folder, self._store, self._rounds, self._opener = folder, store, rounds, opener
        self._current: Collection | None = None

    def stop(self) -> None:
        """Begin no further call."""
        self.outcome.interrupted = True
        if self._current is not None:
            self._current.stop()

    async def run(self) -> Outcome:
        """Collect; raises what `Collection.run` raises."""
        for shares in self._rounds:
            if not shares:
                continue
            if self._ended():
                break
            self._current = Collection(self._folder, self._store, shares, self.outcome.tally, opener=self._opener)
            found = await self._current.run()
            self.outcome.stopped |= found.stopped
            self.outcome.budget_spent = found.budget_spent
            self.outcome.interrupted = found.interrupted
        return self.outcome

    def _ended(self) -> bool:
        return self.outcome.interrupted or self.outcome.budget_spent
