"""Read simulated dialogues, wherever they are kept."""

from collections.abc import Iterator
from pathlib import Path

from dialgauge.io.simulated.lines import SUFFIXES, iter_lines
from dialgauge.io.store import Store, open_store
from dialgauge.io.study import FILE, read_study
from dialgauge.model.simulated import SimulatedDialogue
from dialgauge.model.simulation import Simulation


def read_simulated(source: str | Path | Store) -> tuple[SimulatedDialogue, ...]:
    """Return the simulated dialogues in ``source``, as `read_simulations` does, without their book-keeping."""
    return tuple(simulation.dialogue for simulation in read_simulations(source))


def read_simulations(source: str | Path | Store) -> tuple[Simulation, ...]:
    """Return the simulated dialogues in ``source``, each with its seeds, pairs and notices.

    ``source`` is a ``.jsonl`` file that `dialgauge simulate --out` wrote, the folder of a study (or its study.toml),
    its database, or an open store. Raises StudyError or StoreError for what cannot be read.
    """
    return tuple(_iterate(source))


def _iterate(source: str | Path | Store) -> Iterator[Simulation]:
    if isinstance(source, Store):
        yield from source.simulated
        return
    path = Path(source)
    if path.suffix.lower() in SUFFIXES:
        yield from iter_lines(path)
        return
    location = read_study(path).store_url if path.is_dir() or path.name == FILE else str(source)
    with open_store(location) as store:
        yield from store.simulated
