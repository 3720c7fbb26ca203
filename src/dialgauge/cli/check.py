"""``dialgauge check``: whether the answers of the model raters of a study say anything of the dialogues."""

import shlex
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import typer

from dialgauge.cli.collecting import Estimating, StudyPath, analysis_of, collect_rounds
from dialgauge.cli.output import (
    NOTHING_ESTIMATED,
    AsJson,
    HtmlFile,
    ascii_only,
    complain,
    print_result,
    put,
    styled,
    width,
    write_files,
)

if TYPE_CHECKING:
    from dialgauge.analyse.checking import RaterChecks
    from dialgauge.analyse.users import UserChecks
    from dialgauge.report.checks.words import CheckSummary


def check_raters_of(
    study: StudyPath, estimate: Estimating = False, json: AsJson = False, html: HtmlFile = None
) -> None:
    """Check the model raters of a study: constant answers, order, form, and planted dialogues of known quality.

    What lacks for the checks is collected first, within the budget of the study; run again, it only reports. A failed
    check forbids every use of the ratings that it is about (dialgauge decide). Where dialogues were simulated, their
    users are checked too, from what is recorded.
    """
    from dialgauge.collect.checking import open_checks
    from dialgauge.io.study import read_study
    from dialgauge.report.checks.loading import check_simulated, check_study
    from dialgauge.report.checks.record import checks_to_json
    from dialgauge.report.checks.terminal import render_checks
    from dialgauge.report.files import check_outputs

    check_outputs([html] if html is not None else [])
    folder = read_study(study)
    with folder.open_store() as store:
        with store.lock(), store.rehearse() if estimate else nullcontext():
            rounds = open_checks(folder, store)
            go_on = collect_rounds(folder, store, rounds, estimate=estimate)
        if not go_on:
            return
        found, users = check_study(store, folder.study), check_simulated(store)
    write_files(found, [(html, partial(_render_page, users=users, title=folder.study.name))])
    print_result(
        found, json=json, to_json=partial(checks_to_json, users=users), render=partial(render_checks, users=users)
    )
    if not json:
        next_step = analysis_of(folder, study) if users is None else ["dialgauge", "compare", study]
        put(f"\nNext: {shlex.join(next_step)}\n")
    if not found.checks and (users is None or not users.checks):
        complain("nothing could be checked; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)


def print_checks(found: "RaterChecks | None", *, json: bool) -> None:
    """Print the checks of the raters below another table; nothing in JSON, and where nothing could be checked."""
    from dialgauge.report.checks.terminal import render_checks

    if found is not None and found.checks and not json:
        look = {"width": width(), "styled": styled(), "ascii_only": ascii_only()}
        put("\n" + render_checks(found, brief=True, **look))  # type: ignore[arg-type]


def summarise(found: "RaterChecks | None") -> "CheckSummary | None":
    """Return what a page on something else shows of the checks; None where nothing could be checked."""
    from dialgauge.report.checks.words import summarise_checks

    return None if found is None or not found.checks else summarise_checks(found)


def _render_page(found: "RaterChecks", *, users: "UserChecks | None", title: str) -> str:
    """Return the page; its templates are loaded only here."""
    from dialgauge.report.checks.page import render_checks_page

    return render_checks_page(found, users=users, title=title)
