"""What is to be simulated: every system meets every persona with every preference, in each replicate."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dialgauge.io.store.simulations import SimulationKey
from dialgauge.model.simulated import Persona, Preference
from dialgauge.simulate.session import Case
from dialgauge.systems import System


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The crossing of systems, personas, preferences and replicates."""

    systems: tuple[str, ...]
    personas: tuple[Persona, ...]
    preferences: tuple[Preference, ...]
    replicates: int = 1

    @property
    def per_system(self) -> int:
        """Dialogues of each system."""
        return len(self.personas) * len(self.preferences) * self.replicates

    def there(self, done: Collection[SimulationKey]) -> Mapping[str, int]:
        """Return for each system how many of its dialogues are among ``done``."""
        return {name: sum(key in done for key in self._keys(name)) for name in self.systems}

    def cases(self, system: System, done: Collection[SimulationKey]) -> Iterator[Case]:
        """Yield the dialogues of ``system`` that are not among ``done``; first replicates come first."""
        for replicate in range(1, self.replicates + 1):
            for preference in self.preferences:
                for persona in self.personas:
                    if (system.name, persona.id, preference.id, replicate) not in done:
                        yield Case(system=system, persona=persona, preference=preference, replicate=replicate)

    def _keys(self, system: str) -> Iterator[SimulationKey]:
        return (
            (system, persona.id, preference.id, replicate)
            for persona in self.personas
            for preference in self.preferences
            for replicate in range(1, self.replicates + 1)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemForecast:
    """What the dialogues of one system will take at most: ``replies`` of the system and ``calls`` of a model user."""

    system: str
    planned: int
    there: int
    replies: int
    calls: int


def forecast(
    plan: Plan, done: Collection[SimulationKey], *, system_turns: int, pairs: int, calls_per_turn: int
) -> Sequence[SystemForecast]:
    """Return for each system what is there and what lacks.

    A pair takes as many replies as there were turns before it; at most all of them.
    """
    there = plan.there(done)
    most = system_turns + sum(range(system_turns, max(0, system_turns - pairs), -1))
    calls = (1 + calls_per_turn * system_turns + pairs) if calls_per_turn else 0
    return [
        SystemForecast(
            system=name,
            planned=plan.per_system,
            there=there[name],
            replies=(plan.per_system - there[name]) * most,
            calls=(plan.per_system - there[name]) * calls,
        )
        for name in plan.systems
    ]
