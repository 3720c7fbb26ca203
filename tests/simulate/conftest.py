"""Recommenders that do as they are told, a small stage, and studies to simulate in."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from dialgauge.io.catalogues import read_catalogue
from dialgauge.io.store import Store, open_store
from dialgauge.model import Turn
from dialgauge.model.item import Catalogue, Fit
from dialgauge.model.simulated import Persona, Preference
from dialgauge.model.simulation import Simulation
from dialgauge.simulate.agenda import AgendaUsers
from dialgauge.simulate.personas import make_personas
from dialgauge.simulate.session import Case, Stage, simulate_dialogue
from dialgauge.simulate.users import Users
from dialgauge.systems import Reply

FILMS = read_catalogue("films")
WANT = Preference(id="horror", attributes=("horror",), words="something that scares me")

Answering = Callable[[Sequence[Turn]], Reply]


def recommend(title: str) -> Reply:
    """Return a recommendation of one film."""
    (item,) = (one for one in FILMS if one.title == title)
    return Reply(text=f'How about "{item.title}" ({item.year})?', ranking=(item.id,), recommends=True)


@dataclass
class Toy:
    """A system that answers by a function, and counts its conversations and what they were given."""

    answer: Answering
    name: str = "toy"
    given: list[list[list[Turn]]] = field(default_factory=list)
    closed: int = 0

    def begin(self) -> "ToyConversation":
        self.given.append([])
        return ToyConversation(self, self.given[-1])

    async def close(self) -> None:
        self.closed += 1


@dataclass
class ToyConversation:
    system: Toy
    given: list[list[Turn]]

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        self.given.append(list(turns))
        return self.system.answer(turns)

    async def close(self) -> None:
        self.system.closed += 1


class Hanging:
    """A system that never answers."""

    name = "hanging"

    def begin(self) -> "Hanging":
        return self

    async def reply(self, turns: Sequence[Turn]) -> Reply:
        await asyncio.sleep(60)
        return Reply(text=f"too late for {len(turns)}")

    async def close(self) -> None: ...


def persona(name: str = "satisfaction-adults", *, gives_up: bool = True) -> Persona:
    (found,) = make_personas([name], gives_up=gives_up)
    return found


@cache
def default_stage() -> Stage:
    """Return the stage that most tests use: its index of titles takes longer than a dialogue."""
    return stage()


def stage(
    *, users: Users | None = None, fit: Fit = "containing", pairs: int = 0, timeout: float = 5.0, seed: int = 1
) -> Stage:
    return Stage(catalogue=FILMS, users=users or AgendaUsers(fit), fit=fit, pairs=pairs, timeout=timeout, seed=seed)


def simulate(
    system: object,
    who: Persona | None = None,
    *,
    wants: Preference = WANT,
    replicate: int = 1,
    on: Stage | None = None,
) -> Simulation:
    case = Case(system=system, persona=who or persona(), preference=wants, replicate=replicate)  # type: ignore[arg-type]
    return asyncio.run(simulate_dialogue(case, on or default_stage()))


@pytest.fixture
def films() -> Catalogue:
    return FILMS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "study.db", create=True) as opened:
        yield opened
