"""What a wanted difference takes, as it is printed: the numbers that there are, and how to ask for them."""

from dialgauge.analyse.compare import SystemsComparison
from dialgauge.report.numerals import DASH
from dialgauge.stats.compare import NeededDesign

BASIS = "from"
VARIANCES, PROPORTION = "variances", "by proportion"


def designs_of(found: SystemsComparison) -> list[NeededDesign]:
    """Return all designs of all measures."""
    return [n for m in found.measures if isinstance(m.needed, tuple) for n in m.needed]


def sizes_of(found: SystemsComparison, design: NeededDesign) -> list[tuple[str, str]]:
    """Return the numbers of a design by what they count, the same ones for all designs of ``found``.

    Personas and preferences are among them where the data name them, raters where people rate, a pool where
    preferences are dealt from one, and what the numbers come from where this differs.
    """
    every = designs_of(found)
    personas = any(system.n_personas is not None for system in found.systems)
    preferences = any(system.n_preferences is not None for system in found.systems)
    shown = {
        "raters": any(n.n_raters is not None for n in every),
        "personas": personas,
        "preferences": preferences and not _are_dealt(found),
        "each": preferences and _are_dealt(found),
        "pool": preferences and _are_dealt(found),
        "dialogues": True,
        BASIS: any(n.by_proportion for n in every),
    }
    numbers = {
        "raters": DASH if design.n_raters is None else f"{design.n_raters:,}",
        "personas": f"{design.n_personas:,}",
        "preferences": f"{design.n_preferences:,}",
        "each": f"{design.n_preferences:,}",
        "pool": f"{design.n_pool or design.n_preferences:,}",
        "dialogues": f"{design.n_dialogues:,}",
        BASIS: PROPORTION if design.by_proportion else VARIANCES,
    }
    return [(head, numbers[head]) for head, is_shown in shown.items() if is_shown]


def say_designs(found: SystemsComparison) -> str:
    """Say how the dialogues of a design come about."""
    if all(system.n_personas is None and system.n_preferences is None for system in found.systems):
        said = "Of each system, the cheapest first."
    elif _are_dealt(found):
        said = (
            "Of each system, the cheapest first: each persona has as many preferences as stand under each, dealt from "
            "a pool of so many."
        )
    else:
        said = "Of each system, the cheapest first: every persona with every preference once."
    if any(n.by_proportion for n in designs_of(found)):
        said += " By proportion: the study at hand, made larger or smaller as a whole."
    return said


def say_flags(found: SystemsComparison) -> str:
    """Say with which options the cheapest design that is enough for all measures is simulated; nothing for tables."""
    if not found.simulated:
        return ""
    cheapest = [m.needed[0] for m in found.measures if isinstance(m.needed, tuple) and m.needed[0].n_pool]
    if not cheapest:
        return ""
    most = max(cheapest, key=lambda n: n.n_dialogues)
    flags = f"--personas {most.n_personas} --preferences {most.n_preferences} --pool {most.n_pool} --replicates 1"
    which = "" if len(cheapest) == 1 else " of the measure that takes most"
    return f"The cheapest{which}: dialgauge simulate STUDY --system ... {flags}"


def _are_dealt(found: SystemsComparison) -> bool:
    return any(n.n_pool is not None for n in designs_of(found))
