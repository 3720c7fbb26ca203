"""``dialgauge anchor`` and ``dialgauge monitor``: a fixed set of targets, rated again and again."""

import shlex
from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.collecting import StudyPath
from dialgauge.cli.decide import GATE_FAILED
from dialgauge.cli.output import NOTHING_ESTIMATED, OUTPUT, AsJson, HtmlFile, complain, print_result, put, write_files
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
    from collections.abc import Iterator, Mapping

    from dialgauge.analyse.monitor import Event, Monitoring
    from dialgauge.io import DuplicatePolicy
    from dialgauge.io.request import ReadOptions
    from dialgauge.io.store import Store
    from dialgauge.io.study import StudyFolder
    from dialgauge.model import Dialogue, Ratings

ALARM = GATE_FAILED

INCOMPLETE = 1

_WATCHING = "Watching"


def declare_anchors(
    study: StudyPath,
    targets: Annotated[
        str | None, typer.Option(metavar="FILE", help="Dialogues of the anchor set, JSON lines or CSV.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="Draw so many of the study's own targets.")
    ] = None,
) -> None:
    """Declare the anchor set of a study: the dialogues that are rated again and again to see whether raters drift.

    Sampled dialogues are copied, as anchor-NAME, and leave the study as it is. An anchor set is declared once: one that
    changes shows nothing.
    """
    from dialgauge.errors import InputError
    from dialgauge.io.dialogues import iter_dialogues
    from dialgauge.io.study import read_study
    from dialgauge.report.text import clean

    if (targets is None) == (sample is None):
        raise InputError("an anchor set comes from a file or from the study's own targets; give --targets or --sample")
    folder = read_study(study)
    with folder.open_store() as store, store.lock():
        there = store.count_targets(purpose="anchor")
        if there:
            raise InputError(
                f"the study has an anchor set of {there} targets, and one that changes shows nothing; begin another "
                "study for another set"
            )
        chosen = iter_dialogues(targets) if targets is not None else _draw(folder, cast("int", sample))
        added = store.add_targets(chosen, purpose="anchor")
    put(f"{added:,} targets are the anchor set of {clean(folder.study.name)}.\nNext: {_rerating(study)}\n")


def monitor_anchors(  # noqa: PLR0917 (Typer calls it by name)
    source: Annotated[str, typer.Argument(metavar="FILE|STUDY", help="A table of ratings, or the folder of a study.")],
    occasion: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="On which occasion a rating was made; for tables.", rich_help_panel=_WATCHING
        ),
    ] = None,
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
    alpha: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Probability of any false alarm, ever, at most.", rich_help_panel=_WATCHING),
    ] = 0.05,
    level: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence level of the intervals.", rich_help_panel=_WATCHING)
    ] = 0.95,
    minimum: Annotated[
        int, typer.Option(metavar="NUMBER", help="Targets that a comparison needs.", rich_help_panel=_WATCHING)
    ] = 10,
    rerate: Annotated[
        bool, typer.Option("--rerate", help="Rate the anchor set of a study first.", rich_help_panel=_WATCHING)
    ] = False,
    json: AsJson = False,
    html: HtmlFile = None,
    warn: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write what has changed as JSON for other programs.", rich_help_panel=OUTPUT),
    ] = None,
) -> None:
    """Tell whether raters have shifted or lost reliability since the first time that an anchor set was rated.

    Occasions in numbers are put in order, others are taken in that of their first rows; the first is the baseline. Exit
    code 3 says that something has changed.
    """
    from dialgauge.analyse.monitor import analyse_drift
    from dialgauge.errors import InputError
    from dialgauge.report.files import check_outputs
    from dialgauge.report.monitor.record import monitoring_to_json, warning_to_json
    from dialgauge.report.monitor.terminal import render_monitoring

    check_outputs([path for path in (html, warn) if path is not None], source=source)
    options: ReadOptions = {
        "target": target,
        "rater": rater,
        "value": value,
        "dimension": dimension,
        "dimensions": dimensions,
        "replicate": replicate,
        "instrument": instrument,
        "scale": scale,
        "where": where,
        "duplicates": cast("DuplicatePolicy", duplicates),  # checked by the reader
        "labels": labels,
    }
    events: tuple[Event, ...] = ()
    if is_study(source):
        refuse_options({**options, "occasion": occasion})
        parts, events = _from_study(source, rerate=rerate, json=json)
    elif rerate:
        raise InputError("--rerate asks the raters of a study again, and this is a table; give the folder of a study")
    elif occasion is None:
        raise InputError("a table needs a column that tells occasions apart; name it with --occasion")
    else:
        parts = _from_file(source, occasion, options)
    found = analyse_drift(parts, events=events, alpha=alpha, level=level, minimum=minimum)
    write_files(found, [(html, partial(_render_page, title=study_name(source))), (warn, warning_to_json)])
    print_result(found, json=json, to_json=monitoring_to_json, render=render_monitoring)
    if all(watch.state == "not enough" for watch in found.watches):
        complain("too little is known of every dimension; the reasons are in what was printed")
        raise typer.Exit(NOTHING_ESTIMATED)
    if found.alarms:
        complain(f"{len(found.alarms)} of {len(found.watches)} have changed; the table says what and since when")
        raise typer.Exit(ALARM)


def _from_file(source: str, occasion: str, options: "ReadOptions") -> "Mapping[str, Ratings]":
    from dialgauge.io.labels import read_by_part

    parts = read_by_part(source, occasion, option="--occasion", **options)
    try:
        return dict(sorted(parts.items(), key=lambda part: float(part[0])))
    except ValueError:
        return parts


def _from_study(source: str, *, rerate: bool, json: bool) -> tuple["Mapping[str, Ratings]", "tuple[Event, ...]"]:
    from dialgauge.analyse.monitor.study import find_model_changes
    from dialgauge.errors import InputError
    from dialgauge.io.study import read_study

    folder = read_study(source)
    with folder.open_store() as store:
        if not store.count_targets(purpose="anchor"):
            raise InputError(f"the study {folder.study.name} has no anchor set; declare one with dialgauge anchor")
        if rerate:
            _collect_occasion(folder, store)
        details = store.rating_details(purpose="anchor")
        numbers = sorted(details["occasion"].unique())
        if rerate and len(numbers) < 2:
            _tell_baseline(folder, store, source, json=json)
        parts = {str(n): store.ratings(purpose="anchor", occasion=n) for n in numbers}
        return parts, find_model_changes(details)


def _tell_baseline(folder: "StudyFolder", store: "Store", source: str, *, json: bool) -> None:
    """Say that there is nothing to compare yet, and leave: with 0, or with 1 where the baseline is not complete."""
    from dialgauge.collect.occasions import due_occasion

    due, _ = due_occasion(folder, store)
    if due == 1:
        complain(f"occasion 1, the baseline, is not complete; {_rerating(source)} goes on with it")
        raise typer.Exit(INCOMPLETE)
    said = f"Occasion 1 is the baseline. Next: {_rerating(source)}"
    if json:
        complain(said)
    else:
        put(f"{said}\n")
    raise typer.Exit


def _rerating(study: str) -> str:
    return shlex.join(["dialgauge", "monitor", study, "--rerate"])


def _collect_occasion(folder: "StudyFolder", store: "Store") -> None:
    """Rate the anchor set of a study once more, or finish the occasion that was begun."""
    from dialgauge.cli.collecting import collect_rounds
    from dialgauge.collect.occasions import due_occasion
    from dialgauge.collect.opening import register_study

    with store.lock():
        register_study(folder, store)
        _, shares = due_occasion(folder, store)
        collect_rounds(folder, store, [shares], estimate=False)


def _draw(folder: "StudyFolder", n: int) -> "Iterator[Dialogue]":
    """Yield copies of ``n`` of the study's own dialogues, chosen by its seed."""
    from dialgauge.errors import InputError
    from dialgauge.io.dialogues import iter_dialogues
    from dialgauge.seeding import child_rng

    total = sum(1 for _ in iter_dialogues(folder.targets_path))
    if n > total:
        raise InputError(f"{folder.targets_path} has {total} dialogues, and --sample asks for {n}; ask for fewer")
    chosen = set(child_rng(folder.study.seed, "anchor").choice(total, n, replace=False).tolist())
    for place, dialogue in enumerate(iter_dialogues(folder.targets_path)):
        if place in chosen:
            yield dialogue.model_copy(update={"id": f"anchor-{dialogue.id}"})


def _render_page(found: "Monitoring", *, title: str) -> str:
    """Return the page; what draws figures is loaded only here."""
    from dialgauge.report.monitor.page import render_monitoring_page

    return render_monitoring_page(found, title=title)
