"""``dialgauge simulate``: simulated users meet recommenders; the dialogues become targets of a study."""

import shlex
from typing import TYPE_CHECKING

import typer

from dialgauge.cli.collecting import INTERRUPTED, Estimating
from dialgauge.cli.output import complain, put
from dialgauge.cli.simulating import (
    CatalogueName,
    Concurrency,
    FitRule,
    NewStudy,
    NoGiveUp,
    Out,
    Pairs,
    Personas,
    Pool,
    Preferences,
    Replicates,
    Systems,
    Timeout,
    UsersName,
    Wish,
    simulate_study,
)

if TYPE_CHECKING:
    from dialgauge.io.study import StudyFolder
    from dialgauge.simulate.course import SimulationOutcome

STOPPED = 1


def simulate_dialogues(  # noqa: PLR0917 (Typer calls it by name)
    study: NewStudy,
    system: Systems,
    users: UsersName = "agenda",
    personas: Personas = None,
    preferences: Preferences = None,
    pool: Pool = None,
    catalogue: CatalogueName = "films",
    fit: FitRule = "containing",
    replicates: Replicates = None,
    pairs: Pairs = 1,
    no_give_up: NoGiveUp = False,
    estimate: Estimating = False,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    out: Out = None,
) -> None:
    """Let simulated users talk to recommenders; run it again to go on. The dialogues become targets of the study.

    Each dialogue is in the database before it is counted. Ctrl-C lets the dialogues under way end; a second one ends
    at once. Exit code 1 says that a system was left because it did not reply, or that dialogues still lack.
    """
    from dialgauge.simulate.casting import Cast

    wish = Wish(
        study=study,
        systems=system,
        users=users,
        cast=Cast(personas=personas, preferences=preferences, pool=pool, replicates=replicates),
        catalogue=catalogue,
        fit=fit,
        pairs=pairs,
        no_give_up=no_give_up,
        concurrency=concurrency,
        timeout=timeout,
        out=out,
    )
    folder, outcome = simulate_study(wish, estimate=estimate)
    if outcome is None:
        return
    _say_next(folder)
    if code := code_of(outcome):
        raise typer.Exit(code)


def code_of(outcome: "SimulationOutcome") -> int:
    """Return the exit code of a simulation, having said which systems were left, or how much lacks."""
    if outcome.interrupted:
        return INTERRUPTED
    if outcome.stopped:
        complain(f"left early: {', '.join(outcome.stopped)}; see above for why")
        return STOPPED
    if outcome.tally.lacking:
        complain(f"dialogues that still lack: {outcome.tally.lacking:,}; run the same command again")
        return STOPPED
    return 0


def _say_next(folder: "StudyFolder") -> None:
    """Say what raters will be given, and how to go on."""
    from dialgauge.io.words import count

    own = folder.targets_path
    beside = f", and the dialogues of {own}" if own.exists() else ""
    with folder.open_store() as store:
        n = store.count_targets()
    put(f"\nRaters are given {count(n, 'dialogue')} of the store{beside}. Next:\n")
    put(f"  dialgauge rate {shlex.quote(str(folder.root))}\n")
