"""``dialgauge decide``: ratings and a policy in, what each dimension may be used for out."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.check import print_checks, summarise
from dialgauge.cli.output import NOTHING_ESTIMATED, OUTPUT, AsJson, HtmlFile, complain, print_result, write_files
from dialgauge.cli.reading import (
    Dimension,
    Dimensions,
    Duplicates,
    InstrumentName,
    Labels,
    Rater,
    Replicate,
    ScaleText,
    Target,
    Value,
    Where,
    is_study,
    refuse_options,
    study_name,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dialgauge.analyse.checking import RaterChecks
    from dialgauge.decide import Decisions, GatheredEvidence
    from dialgauge.decide.sources import Basis
    from dialgauge.io import DuplicatePolicy
    from dialgauge.io.request import ReadOptions
    from dialgauge.model import Ratings

GATE_FAILED = 3
"""The exit code where a gate does not hold, or a watched dimension has changed."""

_DECIDING = "Deciding"


def decide_on(  # noqa: PLR0917 (Typer calls it by name)
    source: Annotated[str, typer.Argument(metavar="FILE|STUDY", help="A table of ratings, or the folder of a study.")],
    target: Target = None,
    rater: Rater = None,
    value: Value = None,
    dimension: Dimension = None,
    dimensions: Dimensions = None,
    replicate: Replicate = None,
    instrument: InstrumentName = None,
    scale: ScaleText = None,
    labels: Labels = None,
    where: Where = None,
    duplicates: Duplicates = "error",
    policy: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="A policy in TOML instead of the default one.",
            show_default=False,
            rich_help_panel=_DECIDING,
        ),
    ] = "default",
    use: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this use; may be given several times.", rich_help_panel=_DECIDING),
    ] = None,
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIMENSION:USE",
            help="End with code 3 unless the dimension is trusted for the use; may be given several times.",
            rich_help_panel=_DECIDING,
        ),
    ] = None,
    gate_all: Annotated[
        list[str] | None,
        typer.Option(
            metavar="USE", help="The same for every dimension; may be given several times.", rich_help_panel=_DECIDING
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Which system a target is from, to compare systems.", rich_help_panel=_DECIDING
        ),
    ] = None,
    basis: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="Raters beside each other (crowd), each rater's replicates (repeat), or what the table has (auto).",
            rich_help_panel=_DECIDING,
        ),
    ] = "auto",
    json: AsJson = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a row per decision as CSV.", rich_help_panel=OUTPUT)
    ] = None,
    html: HtmlFile = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the decisions as JSON for other programs.", rich_help_panel=OUTPUT),
    ] = None,
) -> None:
    """Tell what each dimension may be used for: trust it, average raters, collect more, or do not use it.

    A policy names the uses and what the lower limit of each interval must reach. Exit code 3 says that a gate failed,
    also because nothing could be decided.
    """
    from dialgauge.decide import Gate, decide_uses, load_policy
    from dialgauge.report.decide.record import decisions_to_csv, decisions_to_json
    from dialgauge.report.decide.terminal import render_decisions
    from dialgauge.report.files import check_outputs

    check_outputs([path for path in (csv, html, out) if path is not None], source=source)
    rules = load_policy(policy)
    gates = [*(Gate.parse(text) for text in gate or ()), *(Gate(None, name) for name in gate_all or ())]
    options: ReadOptions = {
        "target": target,
        "rater": rater,
        "value": value,
        "dimension": dimension,
        "replicate": replicate,
        "instrument": instrument,
        "scale": scale,
        "where": where,
        "duplicates": cast("DuplicatePolicy", duplicates),  # checked by the reader
        "labels": labels,
        "dimensions": dimensions,
    }
    if is_study(source):
        refuse_options({**options, "system": system, "basis": None if basis == "auto" else basis})
        whole, name, checked = _from_study(source, rules.level)
    else:
        checked = None
        whole, name = _from_file(source, options, system, cast("Basis", basis), rules.level)
    found = decide_uses(
        whole.evidence,
        rules,
        uses=use or None,
        gates=gates,
        checks=() if checked is None else checked.checks,
        source=name,
        notes=whole.notes,
        findings=whole.findings,
    )
    page = partial(_render_page, checked=checked, title=study_name(source))
    write_files(found, [(csv, decisions_to_csv), (html, page), (out, decisions_to_json)])
    print_result(found, json=json, to_json=decisions_to_json, render=render_decisions)
    print_checks(checked, json=json)
    if all(decision.undecided for decision in found.decisions):
        complain("nothing could be decided; the reasons are in what was printed")
        raise typer.Exit(GATE_FAILED if gates else NOTHING_ESTIMATED)
    if not found.passed:
        failed = [f"{gate.dimension}:{gate.use}" for gate in found.gates if not gate.passed]
        complain(f"{len(failed)} of {len(found.gates)} gates failed: {', '.join(failed[:6])}")
        raise typer.Exit(GATE_FAILED)


def _from_file(
    source: str, options: "ReadOptions", system: str | None, basis: "Basis", level: float
) -> tuple["GatheredEvidence", str]:
    from dialgauge.decide import GatheredEvidence, gather_ratings
    from dialgauge.io import read_ratings
    from dialgauge.io.labels import read_with_groups

    systems: Mapping[str, str] | None = None
    ratings: Ratings
    if system is None:
        ratings = read_ratings(source, **options)
    else:
        ratings, systems = read_with_groups(source, system, option="--system", **options)
    evidence = gather_ratings(ratings, basis=basis, systems=systems, level=level)
    return GatheredEvidence(evidence, ratings.notes), ratings.source


def _from_study(source: str, level: float) -> tuple["GatheredEvidence", str, "RaterChecks"]:
    from dialgauge.decide import gather_study
    from dialgauge.io.store import open_store
    from dialgauge.io.study import read_study
    from dialgauge.report.checks.loading import check_study

    folder = read_study(source)
    with open_store(folder.store_url) as store:
        whole = gather_study(store, level=level)
        models = {one.rater for one in whole.evidence if one.rater}
        return whole, store.location, check_study(store, folder.study, only=models)


def _render_page(found: "Decisions", *, checked: "RaterChecks | None", title: str) -> str:
    """Return the page; its templates are loaded only here."""
    from dialgauge.report.decide.page import render_decision_page

    return render_decision_page(found, checks=summarise(checked), title=title)
