"""The CONCEPT measures and abilities of simulated dialogues (Huang et al. 2024)."""

from dialgauge.analyse.abilities.records import (
    Abilities,
    Ability,
    Coordination,
    Group,
    Measure,
    PersonaSpread,
    SystemAbilities,
)
from dialgauge.analyse.abilities.study import analyse_abilities

__all__ = [
    "Abilities",
    "Ability",
    "Coordination",
    "Group",
    "Measure",
    "PersonaSpread",
    "SystemAbilities",
    "analyse_abilities",
]
