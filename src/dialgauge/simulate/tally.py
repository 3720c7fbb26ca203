"""What a simulation has come to so far: counted when it is in the database, not before."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from dialgauge.model.simulation import Simulation, UserCall


@dataclass(slots=True)
class SimulationTally:
    """Dialogues of one execution, how they ended, and what model users cost.

    ``planned`` dialogues were wanted in all, ``there`` of them were there before. ``examples`` has the first failure of
    each kind in full, with its system. ``cost`` sums what is known of
    ``calls``; ``unpriced`` have an unknown cost. ``postponed`` dialogues are not kept, and tried again the next time:
    the user could not be asked, or in ``away`` of them the system not be reached before its first reply.
    """

    planned: int = 0
    there: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    noticed: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    pairs: int = 0
    postponed: int = 0
    away: int = 0
    calls: int = 0
    cost: float = 0.0
    unpriced: int = 0
    began: float = field(default_factory=time.monotonic)

    def add(self, simulations: Sequence[Simulation]) -> None:
        """Count dialogues that were committed; a notice counts once a dialogue."""
        for simulation in simulations:
            self.ended[simulation.dialogue.ended] += 1
            if simulation.dialogue.failure is not None:
                kind = _kind(simulation.dialogue.failure)
                self.failures[kind] += 1
                self.examples.setdefault(kind, f"{simulation.dialogue.system}: {simulation.dialogue.failure}")
            self.noticed.update({notice.mark for notice in simulation.notices})
            self.pairs += len(simulation.pairs)
            self._spend(simulation.calls)

    def postpone(self, calls: Sequence[UserCall], *, away: bool = False) -> None:
        """Count a dialogue that broke off, because the system was ``away`` or else the user, and what it cost."""
        self.postponed += 1
        self.away += away
        self._spend(calls)

    def _spend(self, calls: Sequence[UserCall]) -> None:
        self.calls += len(calls)
        self.cost += sum(call.cost or 0.0 for call in calls)
        self.unpriced += sum(call.cost is None for call in calls)

    @property
    def done(self) -> int:
        """Dialogues that are there."""
        return self.there + self.ended.total()

    @property
    def lacking(self) -> int:
        """Dialogues that are not there."""
        return self.planned - self.done

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    @property
    def per_minute(self) -> float:
        """Dialogues a minute, those of this execution."""
        return 60.0 * self.ended.total() / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rest will take at this speed; None before the first dialogue."""
        return 60.0 * self.lacking / self.per_minute if self.ended else None


def _kind(failure: str) -> str:
    """Return whose failure it was and of which kind: ``system: timeout``."""
    side, _, rest = failure.partition(": ")
    return f"{side}: {rest.partition(':')[0]}" if side == "system" else side
