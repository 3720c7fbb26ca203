"""``dialgauge rate``: get the ratings that a study lacks."""

import shlex
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.collecting import INTERRUPTED, Estimating, StudyPath, analysis_of, run_collection, say_gone
from dialgauge.cli.output import ascii_only, complain, put, styled, width

if TYPE_CHECKING:
    from collections.abc import Sequence

TOO_MUCH_MISSING = 1


def collect_ratings(
    study: StudyPath,
    rater: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this rater; may be given several times.")
    ] = None,
    estimate: Estimating = False,
) -> None:
    """Get the ratings that a study lacks from its models and code, within its budget; run it again to go on.

    Each answer is in the database before it is counted. Ctrl-C lets the calls under way end and keeps their answers; a
    second one ends at once. Exit code 1 says that more ratings are missing than the study allows.
    """
    code = collect_study(study, rater or (), estimate=estimate)
    if code:
        raise typer.Exit(code)
    if not estimate:
        _say_next(study)


def collect_study(study: str, only: "Sequence[str]" = (), *, estimate: bool = False) -> int:
    """Get what a study lacks from its raters, or those named in ``only``; return the exit code, having said why."""
    from dialgauge.collect.opening import register_study
    from dialgauge.collect.plan import count_planned, forecast, shares_of
    from dialgauge.collect.rate import Collection
    from dialgauge.collect.tally import Tally
    from dialgauge.io.study import read_study
    from dialgauge.report.collection.terminal import missing_share, render_forecast, render_outcome

    folder = read_study(study)
    budget = folder.study.budget
    look = {"width": width(), "styled": styled(), "ascii_only": ascii_only()}
    with folder.open_store() as store, store.lock(), store.rehearse() if estimate else nullcontext():
        gone = register_study(folder, store)
        say_gone(folder, gone)
        targets = tuple(one.id for one in store.targets() if one.id not in gone) if gone else None
        shares = shares_of(folder, only=only, targets=targets)
        forecasts = forecast(folder, store, shares)
        put(render_forecast(forecasts, budget, **look))  # type: ignore[arg-type]
        if estimate:
            return 0
        tally = Tally(planned=sum(one.planned for one in forecasts), there=sum(one.there for one in forecasts))
        outcome = run_collection(Collection(folder, store, shares, tally), budget.currency)
        counts, copies = count_planned(store, shares), store.copies()
    put("\n" + render_outcome(outcome, counts, forecasts, budget, copies=copies, **look))  # type: ignore[arg-type]
    if outcome.interrupted:
        return INTERRUPTED
    allowed = folder.study.limits.allowed_missing
    by_rater = {one.rater: one for one in counts}
    short = [one.rater for one in forecasts if missing_share(by_rater[one.rater], one.planned) > allowed]
    if short:
        why = "what the calls said is above" if outcome.tally.failed else "see the table for why"
        complain(f"more than {allowed:.0%} of the ratings are missing for {', '.join(short)}; {why}")
        return TOO_MUCH_MISSING
    return 0


def _say_next(study: str) -> None:
    """Say how to go on."""
    from dialgauge.io.study import read_study

    folder = read_study(study)
    models = any(one.kind == "llm" for one in folder.study.raters)
    put(f"\nNext: {shlex.join(['dialgauge', 'check', study] if models else analysis_of(folder, study))}\n")
