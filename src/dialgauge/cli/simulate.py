"""``dialgauge simulate``: simulated users meet recommenders; the dialogues become targets of a study."""

import shlex
import sys
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialgauge.cli.collecting import INTERRUPTED, Estimating
from dialgauge.cli.output import ascii_only, complain, put, report_written, styled, width
from dialgauge.cli.running import run_shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dialgauge.io.catalogues import CatalogueFile
    from dialgauge.io.store import Store
    from dialgauge.io.study import StudyFolder
    from dialgauge.model.item import Fit
    from dialgauge.simulate.course import SimulationCourse, SimulationOutcome
    from dialgauge.simulate.plan import Plan
    from dialgauge.systems import System

STOPPED = 1

LIMITS = "Limits"
"""The heading of these options in the help."""


def simulate_dialogues(  # noqa: PLR0917 (Typer calls it by name)
    study: Annotated[str, typer.Argument(metavar="STUDY", help="Folder of the study; one that is new is begun.")],
    system: Annotated[
        list[str],
        typer.Option(metavar="[NAME=]SPEC", help="Recommender under test; may be given several times."),
    ],
    users: Annotated[
        str, typer.Option(metavar="agenda|MODEL", help="Who plays the users: the built-in one, or a language model.")
    ] = "agenda",
    personas: Annotated[
        str, typer.Option(metavar="N|NAMES", help="How many of the 48 personas, or which, with commas between.")
    ] = "48",
    preferences: Annotated[int, typer.Option(metavar="N", min=1, help="How many preferences each persona has.")] = 4,
    catalogue: Annotated[
        str, typer.Option(metavar="films|PATH", help="What can be recommended; films comes with the package.")
    ] = "films",
    fit: Annotated[
        Literal["containing", "equal"],
        typer.Option(help="When an item fits: its attributes contain those that are wanted, or are just those."),
    ] = "containing",
    replicates: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Dialogues of each combination.")] = 1,
    pairs: Annotated[
        int, typer.Option(metavar="N", min=0, max=10, help="Turns of each user that are put again as a paraphrase.")
    ] = 1,
    no_give_up: Annotated[bool, typer.Option("--no-give-up", help="No user leaves before the last turn.")] = False,
    estimate: Estimating = False,
    concurrency: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=1024, help="Dialogues of a system at a time.", rich_help_panel=LIMITS),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0.01, help="For one reply of a system.", rich_help_panel=LIMITS),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE.jsonl", help="Write all simulated dialogues of the study, whole.")
    ] = None,
) -> None:
    """Let simulated users talk to recommenders; run it again to go on. The dialogues become targets of the study.

    Each dialogue is in the database before it is counted. Ctrl-C lets the dialogues under way end; a second one ends
    at once. Exit code 1 says that a system was left because it did not reply.
    """
    from dialgauge.io.catalogues import read_catalogue
    from dialgauge.io.simulated import check_place
    from dialgauge.simulate.opening import begin_or_read, name_systems, open_systems
    from dialgauge.simulate.personas import make_personas
    from dialgauge.simulate.plan import Plan
    from dialgauge.simulate.preferences import make_preferences

    items, named, wanted = read_catalogue(catalogue), name_systems(system), _parse_personas(personas)
    if out is not None:
        check_place(out)
    folder, made = begin_or_read(study)
    for path in made:
        report_written(str(path))
    limits, seed = folder.study.limits, folder.study.seed
    wait, at_once = timeout or limits.timeout, concurrency or limits.concurrency
    who = make_personas(wanted, gives_up=not no_give_up, seed=seed)
    wants = make_preferences(items, preferences, fit, seed=seed)
    systems = open_systems(named, items, folder=folder.root, timeout=wait, seed=seed, parallel=at_once)
    plan = Plan(systems=tuple(named), personas=tuple(who), preferences=tuple(wants), replicates=replicates)
    asked = Asked(
        folder,
        plan,
        systems,
        items,
        users,
        specs=named,
        gives_up=not no_give_up,
        fit=fit,
        pairs=pairs,
        timeout=wait,
        concurrency=at_once,
    )
    outcome = _simulate(asked, estimate=estimate, out=out)
    if outcome is not None and outcome.interrupted:
        raise typer.Exit(INTERRUPTED)
    if outcome is not None and outcome.stopped:
        complain(f"left early: {', '.join(outcome.stopped)}; see above for why")
        raise typer.Exit(STOPPED)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for, with everything opened but users and store."""

    folder: "StudyFolder"
    plan: "Plan"
    systems: "Sequence[System]"
    catalogue: "CatalogueFile"
    users: str
    _: KW_ONLY
    specs: "Mapping[str, str]"
    gives_up: bool
    fit: "Fit"
    pairs: int
    timeout: float
    concurrency: int


def _simulate(asked: Asked, *, estimate: bool, out: str | None) -> "SimulationOutcome | None":
    """Forecast, simulate, say what came of it, and export; None where it was a forecast only."""
    from dialgauge.io.simulated import write_lines
    from dialgauge.io.store import open_store
    from dialgauge.io.words import count
    from dialgauge.report.simulation.terminal import render_outcome

    look = {"width": width(), "styled": styled(), "ascii_only": ascii_only()}
    currency = asked.folder.study.budget.currency
    with open_store(asked.folder.store_url, create=True) as store, store.lock():
        course = _prepare(asked, store, estimate=estimate)
        if course is None:
            return None
        outcome = _run(course, currency)
        put("\n" + render_outcome(outcome, store.simulated.counts(), currency=currency, **look))  # type: ignore[arg-type]
        if out is not None:
            n = write_lines(store.simulated, out)
            report_written(f"{out} ({count(n, 'dialogue')})")
        _say_next(asked.folder, store)
    return outcome


def _prepare(asked: Asked, store: "Store", *, estimate: bool) -> "SimulationCourse | None":
    """Print the forecast, and return what is to be run; None where only the forecast was wanted."""
    from dialgauge.report.simulation.terminal import render_forecast
    from dialgauge.simulate.course import SimulationCourse
    from dialgauge.simulate.opening import CALLS_PER_TURN, check_systems, open_users
    from dialgauge.simulate.plan import forecast
    from dialgauge.simulate.session import SYSTEM_TURNS, Stage

    study = asked.folder.study
    check_systems(asked.specs, store)
    plays = asked.users != "agenda"
    forecasts = forecast(
        asked.plan,
        store.simulated.done(),
        system_turns=SYSTEM_TURNS,
        pairs=asked.pairs,
        calls_per_turn=CALLS_PER_TURN if plays else 0,
    )
    look = {"width": width(), "styled": styled(), "ascii_only": ascii_only()}
    put(render_forecast(forecasts, asked.plan, users=asked.users, **look))  # type: ignore[arg-type]
    if estimate:
        return None
    users = open_users(asked.users, study, asked.catalogue, fit=asked.fit, spent=store.spent())
    stage = Stage(
        catalogue=asked.catalogue,
        users=users,
        fit=asked.fit,
        timeout=asked.timeout,
        pairs=asked.pairs,
        seed=study.seed,
    )
    settings = {**stage.settings, "gives_up": asked.gives_up}
    simulator = store.simulated.register(users.name, settings, users.template)
    return SimulationCourse(
        store,
        asked.plan,
        asked.systems,
        stage,
        simulator=simulator,
        concurrency=asked.concurrency,
        config={**settings, "users": users.name, "systems": dict(asked.specs)},
    )


def _run(course: "SimulationCourse", currency: str) -> "SimulationOutcome":
    """Run to the end, showing how far it is; the first Ctrl-C stops it, the second cancels it."""
    from dialgauge.report.simulation.progress import SimulationView

    run_shown(course, SimulationView(course.outcome.tally, currency, sys.stderr), under_way="dialogues")
    return course.outcome


def _say_next(folder: "StudyFolder", store: "Store") -> None:
    """Say what raters will be given, and how to go on."""
    from dialgauge.io.words import count

    own = folder.targets_path
    beside = f", and the dialogues of {own}" if own.exists() else ""
    put(f"\nRaters are given {count(store.count_targets(), 'dialogue')} of the store{beside}. Next:\n")
    put(f"  dialgauge rate {shlex.quote(str(folder.root))}\n")


def _parse_personas(text: str) -> int | list[str]:
    """Return a number, or the names between commas."""
    bare = text.strip()
    return int(bare) if bare.isdecimal() else [name.strip() for name in bare.split(",") if name.strip()]
