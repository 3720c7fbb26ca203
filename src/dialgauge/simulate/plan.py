"""What is to be simulated: every system meets the same users, each a persona with a preference, in each replicate."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dialgauge.errors import InputError
from dialgauge.io.store.simulations import SimulationKey
from dialgauge.model.simulated import Persona, Preference
from dialgauge.simulate.personas import N_PERSONAS, make_personas
from dialgauge.simulate.session import Case
from dialgauge.systems import System


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The crossing of systems, users and replicates; ``users`` are those that `deal_preferences` gives."""

    systems: tuple[str, ...]
    users: tuple[tuple[Persona, Preference], ...]
    replicates: int = 1

    @property
    def per_system(self) -> int:
        """Dialogues of each system."""
        return len(self.users) * self.replicates

    @property
    def n_personas(self) -> int:
        """How many personas there are."""
        return len({persona.id for persona, _ in self.users})

    @property
    def n_preferences(self) -> int:
        """How many different preferences there are."""
        return len({preference.id for _, preference in self.users})

    def there(self, done: Collection[SimulationKey]) -> Mapping[str, int]:
        """Return for each system how many of its dialogues are among ``done``."""
        return {name: sum(key in done for key in self._keys(name)) for name in self.systems}

    def cases(self, system: System, done: Collection[SimulationKey]) -> Iterator[Case]:
        """Yield the dialogues of ``system`` that are not among ``done``; first replicates come first."""
        for replicate in range(1, self.replicates + 1):
            for persona, preference in self.users:
                if (system.name, persona.id, preference.id, replicate) not in done:
                    yield Case(system=system, persona=persona, preference=preference, replicate=replicate)

    def _keys(self, system: str) -> Iterator[SimulationKey]:
        return (
            (system, persona.id, preference.id, replicate)
            for persona, preference in self.users
            for replicate in range(1, self.replicates + 1)
        )


def deal_preferences(
    personas: Sequence[Persona], preferences: Sequence[Preference], *, each: int, seed: int = 1
) -> tuple[tuple[Persona, Preference], ...]:
    """Return ``each`` of the ``preferences`` for each persona, the first of all of them before the second.

    They are dealt round the 48 personas in turn (a cyclic incomplete block design, John and Williams 1995), in an order
    in which neighbours differ in emotion and in age: so every preference goes to about as many personas, the four ages
    of an emotion meet different ones, and any two personas are linked by preferences that others share. What a persona
    gets hangs on nothing but ``seed`` and the number of preferences: more of each are added to those that were there.
    With as many preferences as ``each``, all meet all. Raises InputError where there are fewer.
    """
    n = len(preferences)
    if n < each:
        raise InputError(f"each persona is to have {each} of {n} preferences; give at least {each} to deal from")
    places = {persona.id: place for place, persona in enumerate(make_personas(N_PERSONAS, seed=seed))}
    return tuple(
        (persona, preferences[(places[persona.id] + turn) % n]) for turn in range(each) for persona in personas
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
