"""What the checks of simulated users come out as."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dialgauge.analyse.results import Coefficient

OBEYS = "acceptance obeys the preference"
UNRECOMMENDED = "accepted without recommendation"
PREMATURE = "premature acceptance"
REPEATS = "the user repeats itself"
GOODBYES = "goodbyes to and fro"
BROKEN = "failed at the user's side"
SAME_END = "replicates end alike"

CHECKS = (OBEYS, UNRECOMMENDED, PREMATURE, REPEATS, GOODBYES, BROKEN, SAME_END)
"""The checks in the order in which they are reported."""

Outcome = Literal["accepted", "turns", "success"]

OUTCOMES: tuple[Outcome, ...] = ("accepted", "turns", "success")
"""Whether the user accepted, how many turns the system had, and whether a target stood first in one of its rankings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserShare:
    """A share of acceptances or dialogues (0 to 1); ``system`` None is all systems together.

    ``counted`` says what the ``n`` are, of which ``hits`` count.
    """

    check: str
    system: str | None
    result: Coefficient
    hits: int
    n: int
    counted: Literal["acceptances", "dialogues"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicability:
    """How far replicates of one system, persona and preference come out alike; ``system`` None is all together.

    ``same_end`` is the share of pairs of replicates that end in the same way, ``by_chance`` that of pairs of any two
    dialogues of the system. ``icc`` gives, for each outcome, the share of the variance of one dialogue that
    combinations of persona and preference account for, ICC(1): replicates leave the rest. It is empty for all systems
    together, as systems differ. ``n_combinations`` were simulated ``n_dialogues`` times in all.
    """

    system: str | None
    same_end: Coefficient
    by_chance: float
    icc: Mapping[Outcome, Coefficient]
    n_combinations: int
    n_dialogues: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCheck:
    """One check of the simulated users; ``detail`` is a sentence with the numbers, without the final stop."""

    check: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChecks:
    """All checks of the simulated users of a study.

    ``users`` names who simulated them. ``n_failed`` of ``n_dialogues`` failed at either side: these count in the shares
    of dialogues only. ``unreplicated`` counts the combinations of system, persona and preference with one dialogue.
    ``not_made`` gives the reason for each check without a verdict.
    """

    level: float
    users: tuple[str, ...]
    n_dialogues: int
    n_failed: int
    n_acceptances: int
    n_personas: int
    n_preferences: int
    unreplicated: int
    shares: tuple[UserShare, ...]
    replicability: tuple[Replicability, ...]
    checks: tuple[UserCheck, ...]
    not_made: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> tuple[UserCheck, ...]:
        """The checks that were not passed."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def finding(self) -> str | None:
        """One sentence on what acceptance rests on, for those who read abilities; None where nothing failed."""
        said = [_SAYS[check.check] for check in self.failed]
        if not said:
            return None
        most = " and ".join(", ".join(said).rsplit(", ", 1))
        return (
            f"Acceptance rests on users that {most}: what it makes of the systems (acceptance, User AT, Quality, "
            "Sincerity, Identity) is not to be trusted; see dialgauge check."
        )


_SAYS: Mapping[str, str] = {
    OBEYS: "mostly accept what does not fit their preference",
    UNRECOMMENDED: "accept what was never recommended",
    PREMATURE: "accept at the first reply what it does not recommend",
    REPEATS: "repeat themselves",
    GOODBYES: "say goodbye to and fro",
    BROKEN: "break down",
    SAME_END: "end otherwise in most replicates",
}
