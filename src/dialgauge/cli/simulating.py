"""What the commands that simulate share: their options, and a simulation from the command line to its outcome."""

import contextlib
import sys
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialgauge.cli.output import ascii_only, complain, put, report_written, styled, width
from dialgauge.cli.running import run_shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dialgauge.io.store import Spent, Store
    from dialgauge.io.study import FirstRater, StudyFolder
    from dialgauge.model.item import Fit
    from dialgauge.simulate.casting import Cast
    from dialgauge.simulate.course import SimulationCourse, SimulationOutcome
    from dialgauge.simulate.plan import Plan
    from dialgauge.simulate.users import Users
    from dialgauge.systems import System
    from dialgauge.systems.items import ItemFinder

MOST_FIGURES = 9
"""Of a number of personas; what is longer is no number of anything here."""

_LIMITS = "Limits"

NewStudy = Annotated[str, typer.Argument(metavar="STUDY", help="Folder of the study; one that is new is begun.")]

Systems = Annotated[
    list[str], typer.Option(metavar="[NAME=]SPEC", help="Recommender under test; may be given several times.")
]

UsersName = Annotated[
    str, typer.Option(metavar="agenda|MODEL", help="Who plays the users: the built-in one, or a language model.")
]

Personas = Annotated[
    str | None,
    typer.Option(
        metavar="N|NAMES", help="How many of the 48 personas (all in a new study), or which, with commas between."
    ),
]

Preferences = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="How many preferences each persona has; 4 in a new study.")
]

Pool = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="How many different preferences these are dealt from, if there are; 16 in a new study."
    ),
]

CatalogueName = Annotated[
    str, typer.Option(metavar="films|PATH", help="What can be recommended; films comes with the package.")
]

FitRule = Annotated[
    Literal["containing", "equal"],
    typer.Option(help="When an item fits: its attributes contain those that are wanted, or are just those."),
]

Replicates = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=1000, help="Dialogues of each combination; 1 in a new study."),
]

Pairs = Annotated[
    int, typer.Option(metavar="N", min=0, max=10, help="Turns of each user that are put again as a paraphrase.")
]

NoGiveUp = Annotated[bool, typer.Option("--no-give-up", help="No user leaves before the last turn.")]

Concurrency = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=1024, help="Dialogues of a system at a time.", rich_help_panel=_LIMITS),
]

Timeout = Annotated[
    float | None, typer.Option(metavar="SECONDS", min=0.01, help="For one reply of a system.", rich_help_panel=_LIMITS)
]

Out = Annotated[
    str | None, typer.Option(metavar="FILE.jsonl", help="Write all simulated dialogues of the study, whole.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asks for, as it is written there; None asks for the users that the study has."""

    study: str
    systems: "Sequence[str]"
    users: str
    cast: "Cast"
    catalogue: str
    fit: "Fit"
    pairs: int
    no_give_up: bool
    concurrency: int | None
    timeout: float | None
    out: str | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """The same, with everything opened but users and store."""

    folder: "StudyFolder"
    plan: "Plan"
    systems: "Sequence[System]"
    finder: "ItemFinder"
    wish: Wish
    _: KW_ONLY
    cast: "Cast"
    is_new: bool
    specs: "Mapping[str, str]"
    timeout: float
    concurrency: int


def simulate_study(
    wish: Wish, *, estimate: bool, rater: "FirstRater" = "made-up"
) -> "tuple[StudyFolder, SimulationOutcome | None]":
    """Forecast, simulate, say what came of it, and export; return the study and the outcome.

    A study that is begun has the ``rater``. With ``estimate`` it ends after the forecast, without an outcome.
    """
    from dialgauge.io.simulated import write_lines
    from dialgauge.io.store import open_store
    from dialgauge.io.words import count
    from dialgauge.report.simulation.terminal import render_outcome
    from dialgauge.simulate.opening import begin_study

    asked = _open(wish, rater)
    if estimate:
        _estimate(asked)
        return asked.folder, None
    out = None if wish.out is None else Path(wish.out).absolute()
    look = {"width": width(), "styled": styled(), "ascii_only": ascii_only()}
    currency = asked.folder.study.budget.currency
    users = None
    if asked.is_new:
        users = _open_users(asked, None)
        for path in begin_study(asked.folder, rater=rater):
            report_written(str(path))
    with open_store(asked.folder.store_url, create=True) as store, store.lock(), contextlib.chdir("."):
        course = _prepare(asked, store, users)
        outcome = _run(course, currency)
        put("\n" + render_outcome(outcome, store.simulated.counts(), currency=currency, **look))  # type: ignore[arg-type]
        if out is not None:
            n = write_lines(store.simulated, out)
            report_written(f"{wish.out} ({count(n, 'dialogue')})")
    return asked.folder, outcome


def _open(wish: Wish, rater: "FirstRater") -> _Asked:
    """Open catalogue, study and systems, and plan; what cannot be used is said before anything is made."""
    from dialgauge.io.catalogues import read_catalogue
    from dialgauge.io.simulated import check_place
    from dialgauge.simulate.casting import find_cast
    from dialgauge.simulate.opening import find_study, name_systems, open_systems
    from dialgauge.simulate.personas import make_personas
    from dialgauge.simulate.plan import Plan, deal_preferences
    from dialgauge.simulate.preferences import make_preferences
    from dialgauge.systems.items import ItemFinder

    items, named = read_catalogue(wish.catalogue), name_systems(wish.systems)
    folder, is_new = find_study(wish.study, rater=rater)
    cast = find_cast(wish.cast, None if is_new else folder)
    if wish.out is not None:
        check_place(wish.out, own=[folder.targets_path])
    limits, seed = folder.study.limits, folder.study.seed
    wait, at_once = wish.timeout or limits.timeout, wish.concurrency or limits.concurrency
    who = make_personas(_parse_personas(cast.personas or ""), gives_up=not wish.no_give_up, seed=seed)
    each, pool = cast.preferences or 1, cast.pool or 1
    wants = make_preferences(items, max(each, pool), wish.fit, seed=seed, at_least=each)
    finder = ItemFinder(items)
    systems = open_systems(named, finder, folder=folder.root, timeout=wait, seed=seed, parallel=at_once)
    dealt = deal_preferences(who, wants, each=each, seed=seed)
    return _Asked(
        folder,
        Plan(systems=tuple(named), users=dealt, replicates=cast.replicates or 1),
        systems,
        finder,
        wish,
        cast=cast,
        is_new=is_new,
        specs=named,
        timeout=wait,
        concurrency=at_once,
    )


def _estimate(asked: _Asked) -> None:
    """Print the forecast; nothing is made, not even a study that is not there yet."""
    from dialgauge.io.store.engine import AbsentStoreError

    try:
        with asked.folder.open_store() as store:
            _say_forecast(asked, store)
    except AbsentStoreError:
        _say_forecast(asked, None)


def _say_forecast(asked: _Asked, store: "Store | None") -> dict[str, str]:
    """Check the systems, print the forecast, and return the hashes of the sources that dialogues lack of."""
    from dialgauge.report.simulation.terminal import render_forecast
    from dialgauge.simulate.opening import CALLS_PER_TURN, check_systems, hash_systems
    from dialgauge.simulate.plan import forecast
    from dialgauge.simulate.session import SYSTEM_TURNS

    wish = asked.wish
    forecasts = forecast(
        asked.plan,
        set() if store is None else store.simulated.done(),
        system_turns=SYSTEM_TURNS,
        pairs=wish.pairs,
        calls_per_turn=CALLS_PER_TURN if wish.users != "agenda" else 0,
    )
    lacking = {one.system for one in forecasts if one.planned > one.there}
    sources = hash_systems(asked.specs, asked.folder.root)
    for name in check_systems(asked.specs, store, sources=sources, lacking=lacking) if store is not None else ():
        complain(f"{name} has changed since its dialogues were simulated, and is shown as it was; rename it to try it")
    look = {"width": width(), "styled": styled(), "ascii_only": ascii_only()}
    put(render_forecast(forecasts, asked.plan, users=wish.users, **look))  # type: ignore[arg-type]
    return {name: source for name, source in sources.items() if name in lacking}


def _open_users(asked: _Asked, spent: "Spent | None") -> "Users":
    """Open the users; None of the budget is ``spent`` in a study that is new."""
    from dialgauge.simulate.opening import open_users

    finder = asked.finder
    return open_users(
        asked.wish.users,
        asked.folder.study,
        finder.catalogue,
        fit=asked.wish.fit,
        spent=spent,
        index=finder.index,
    )


def _prepare(asked: _Asked, store: "Store", users: "Users | None") -> "SimulationCourse":
    """Print the forecast, and return what is to be run, by ``users`` where they are opened already."""
    from dialgauge.simulate.course import SimulationCourse
    from dialgauge.simulate.session import Stage

    wish = asked.wish
    sources = _say_forecast(asked, store)
    users = users or _open_users(asked, store.spent())
    stage = Stage(
        catalogue=asked.finder.catalogue,
        users=users,
        fit=wish.fit,
        timeout=asked.timeout,
        pairs=wish.pairs,
        seed=asked.folder.study.seed,
        index=asked.finder.index,
    )
    settings = {**stage.settings, "gives_up": not wish.no_give_up}
    simulator = store.simulated.register(users.name, settings, users.template)
    return SimulationCourse(
        store,
        asked.plan,
        asked.systems,
        stage,
        simulator=simulator,
        concurrency=asked.concurrency,
        config={
            **settings,
            "users": users.name,
            "systems": dict(asked.specs),
            "sources": sources,
            "cast": asdict(asked.cast),
        },
    )


def _run(course: "SimulationCourse", currency: str) -> "SimulationOutcome":
    """Run to the end, showing how far it is; the first Ctrl-C stops it, the second cancels it."""
    from dialgauge.report.simulation.progress import SimulationView

    run_shown(course, SimulationView(course.outcome.tally, currency, sys.stderr), under_way="dialogues")
    return course.outcome


def _parse_personas(text: str) -> int | list[str]:
    """Return a number, or the names between commas."""
    bare = text.strip()
    if bare.isdecimal() and len(bare) <= MOST_FIGURES:
        return int(bare)
    return [name.strip() for name in bare.split(",") if name.strip()]
