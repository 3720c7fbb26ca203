"""What the commands that collect ratings share: running a collection, and getting what lacks for a report."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.output import ascii_only, complain, put, styled, width
from dialgauge.cli.running import run_shown

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dialgauge.collect.plan import Forecast, Share
    from dialgauge.collect.rate import Collection as Collecting
    from dialgauge.collect.rate import Outcome
    from dialgauge.collect.rounds import Rounds
    from dialgauge.io.store import Store
    from dialgauge.io.study import StudyFolder

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 + SIGINT."""

StudyPath = Annotated[str, typer.Argument(metavar="STUDY", help="Folder of the study, or its study.toml.")]

Estimating = Annotated[bool, typer.Option("--estimate", help="Print what it will take, and call nobody.")]


def collect_rounds(
    folder: "StudyFolder", store: "Store", rounds: "Sequence[Sequence[Share]]", *, estimate: bool
) -> bool:
    """Collect what lacks of ``rounds``, one after the other, and return whether a report may follow.

    With ``estimate`` the forecast is printed and nobody is called. Otherwise forecast and outcome go to standard error,
    so that standard output holds the report alone; where nothing lacks, nothing is said. Leaves with 130 after Ctrl-C.
    """
    from dialgauge.collect.plan import forecast
    from dialgauge.collect.rounds import Rounds
    from dialgauge.collect.tally import Tally
    from dialgauge.report.collection.terminal import render_forecast, say_errors, say_state

    budget = folder.study.budget
    forecasts = [forecast(folder, store, shares) for shares in rounds]
    every = [one for part in forecasts for one in part]
    look = {"width": width(), "ascii_only": ascii_only()}
    if estimate:
        put(render_forecast(_merge(every), budget, styled=styled(), **look))  # type: ignore[arg-type]
        return False
    lacking = [
        [share for share, one in zip(shares, part, strict=True) if one.calls]
        for shares, part in zip(rounds, forecasts, strict=True)
    ]
    if not any(lacking):
        return True
    sys.stderr.write(render_forecast(_merge(every), budget, **look))  # type: ignore[arg-type]
    tally = Tally(planned=sum(one.planned for one in every), there=sum(one.there for one in every))
    outcome = run_collection(Rounds(folder, store, lacking, tally), budget.currency)
    sys.stderr.write(f"{say_state(outcome)}\n")
    for told in say_errors(outcome.tally):
        complain(f"calls failed: {told}")
    for name, why in outcome.stopped.items():
        complain(f"{name} stopped early: {why}")
    if outcome.interrupted:
        raise typer.Exit(INTERRUPTED)
    return True


def say_gone(folder: "StudyFolder", gone: "Collection[str]") -> None:
    """Say how many targets of the study are not in its file any more, if any."""
    from dialgauge.io.words import count

    if gone:
        verb, whose = ("is", "its") if len(gone) == 1 else ("are", "their")
        what = f"{count(len(gone), 'target')} of the study {verb} no longer in {folder.study.targets}"
        complain(f"{what}; {whose} ratings are kept, and no more are asked for")


def analysis_of(folder: "StudyFolder", study: str) -> list[str]:
    """Return the command that says how reliable the ratings of a study are: that of one rater, or of several."""
    raters = folder.study.raters
    alone = len(raters) == 1 and raters[0].kind == "llm" and (raters[0].replicates or folder.study.replicates) > 1
    return ["dialgauge", "retest" if alone else "reliability", study]


def _merge(forecasts: "Sequence[Forecast]") -> "list[Forecast]":
    """Return one forecast for each rater, the sum of its parts."""
    from dialgauge.collect.plan import Forecast
    from dialgauge.llm.purse import Usage

    found: dict[str, Forecast] = {}
    for one in forecasts:
        sums = found.get(one.rater)
        if sums is None:
            found[one.rater] = one
            continue
        costs = (sums.use.cost, one.use.cost)
        cost = None if None in costs else sum(cost for cost in costs if cost is not None)
        tokens = (sums.use.input_tokens + one.use.input_tokens, sums.use.output_tokens + one.use.output_tokens)
        counts = (sums.planned + one.planned, sums.there + one.there, sums.calls + one.calls)
        found[one.rater] = Forecast(one.rater, one.kind, *counts, Usage(*tokens, cost))
    return list(found.values())


def run_collection(collection: "Collecting | Rounds", currency: str) -> "Outcome":
    """Run a collection to its end, showing how far it is; the first Ctrl-C stops it, the second cancels it."""
    from dialgauge.report.collection.progress import CollectionView

    view = CollectionView(collection.outcome.tally, currency, sys.stderr)
    run_shown(collection, view, under_way="calls")
    return collection.outcome
