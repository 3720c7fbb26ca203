"""``dialgauge evaluate``: simulate, rate and report abilities in one command."""

import shlex
from functools import partial
from typing import TYPE_CHECKING

import typer

from dialgauge.cli.abilities import analyse_study, render_page
from dialgauge.cli.collecting import INTERRUPTED, Estimating
from dialgauge.cli.output import NOTHING_ESTIMATED, HtmlFile, ascii_only, complain, put, styled, width, write_files
from dialgauge.cli.rate import collect_study
from dialgauge.cli.simulate import code_of
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
    from dialgauge.analyse.abilities import Abilities
    from dialgauge.io.study import StudyFolder


def evaluate_systems(  # noqa: PLR0917 (Typer calls it by name)
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
    html: HtmlFile = None,
) -> None:
    """Simulate dialogues with recommenders, rate them, and tell what each can do; run it again to go on.

    It is simulate, rate and abilities one after the other, with the raters of the study; a study that is begun here has
    a code rater. Exit code 1 says that a system did not reply or too many ratings are missing; what there is, is
    reported all the same.
    """
    from dialgauge.report.files import check_outputs
    from dialgauge.simulate.casting import Cast

    check_outputs([path for path in (html,) if path is not None], source=out)
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
    folder, outcome = simulate_study(wish, estimate=estimate, rater="counts")
    if outcome is None:
        return
    simulated = code_of(outcome)
    if simulated == INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    _require_targets(folder, simulated)
    rated = _rate(folder)
    if rated == INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    _report(folder, catalogue, html)
    if code := simulated or rated:
        raise typer.Exit(code)


def _require_targets(folder: "StudyFolder", simulated: int) -> None:
    """Leave where no dialogue has a proper reply: there is nothing to rate."""
    with folder.open_store() as store:
        n = store.count_targets()
    if not n:
        complain("no dialogue has a proper reply of a system, so there is nothing to rate; see above for why")
        raise typer.Exit(simulated or NOTHING_ESTIMATED)


def _rate(folder: "StudyFolder") -> int:
    """Get what the study lacks from its models and code, and return the exit code."""
    if not folder.study.raters:
        return 0
    put("\n")
    return collect_study(str(folder.root))


def _report(folder: "StudyFolder", catalogue: str, html: str | None) -> None:
    """Print the abilities, write the page, and say how to go on."""
    from dialgauge.report.abilities.terminal import render_abilities

    found = analyse_study(str(folder.root), catalogue, title_match="whole", level=0.95)
    put("\n" + render_abilities(found, width=width(), styled=styled(), ascii_only=ascii_only()))
    write_files(found, [(html, partial(render_page, title=folder.study.name))])
    _say_next(folder, catalogue, found)


def _say_next(folder: "StudyFolder", catalogue: str, found: "tuple[Abilities, ...]") -> None:
    """Say which commands tell more, and what takes rated measures in where there are none."""
    root = shlex.quote(str(folder.root))
    items = "" if catalogue == "films" else f" --catalogue {shlex.quote(catalogue)}"
    tells = []
    if len(found[0].systems) > 1:
        tells.append((f"dialgauge compare {root}{items}", "is one better than another?"))
    if any(rater.kind == "llm" for rater in folder.study.raters):
        tells.append((f"dialgauge check {root}", "do the answers of its model raters say anything?"))
    tells.append((f"dialgauge abilities {root}{items} --csv FILE", "the same as a table"))
    wide = max(len(command) for command, _ in tells)
    put("\nNext:\n" + "".join(f"  {command:<{wide}}  {why}\n" for command, why in tells))
    if not any(measure.family == "rated" for system in found[0].systems for measure in system.measures):
        file = folder.root / "study.toml"
        put(f"Rated measures: take a model, people or code of yours into {file}, and run it again.\n")
