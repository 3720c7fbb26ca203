"""How a Run ended."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

TallyT = TypeVar("TallyT")


@dataclass(slots=True)
class RunOutcome(Generic[TallyT]):
    """What a run came to so far, the ``tally``, and how it ended.

    ``stopped`` has the raters or systems that were left early, each with the reason.
    """

    tally: TallyT
    stopped: dict[str, str] = field(default_factory=dict)
    budget_spent: bool = False
    interrupted: bool = False

    @property
    def state(self) -> str:
        """Return in one word how it ended."""
        if self.interrupted:
            return "interrupted"
        if self.budget_spent:
            return "budget spent"
        return "stopped" if self.stopped else "done"
