"""``dialgauge export``: what a study has collected, as a table."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from dialgauge.cli.output import complain, put, report_written

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl

    from dialgauge.io.store import Store
    from dialgauge.io.study import StudyFolder
    from dialgauge.model import Purpose, Ratings

ALL = "all"

WITH_OCCASIONS = ("anchor", ALL)
"""Purposes whose ratings may be of several occasions."""


def export_study(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="Folder of a study, or its study.toml.")],
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A .csv, .tsv, .jsonl or .parquet file; by default CSV is printed."),
    ] = None,
    purpose: Annotated[
        str,
        typer.Option(metavar="PURPOSE", help="Ratings of targets for study, planted, probe or anchor, or all."),
    ] = "study",
    attempts: Annotated[
        bool, typer.Option("--attempts", help="Every call instead of the ratings, with what was sent and received.")
    ] = False,
    log: Annotated[
        bool,
        typer.Option("--log", help="Every answer of people instead of the ratings, those that they changed too."),
    ] = False,
) -> None:
    """Write the ratings of a study as the long table that the other commands read, missing reasons included.

    Beside them stand the kind of the rater and, where dialogues name it, the system. With the purposes anchor and all
    there is a column with the occasion: 0 for what is no anchor set, then 1, 2, ... Where people rated there are two
    more: how often the answer was changed, and its moment.
    """
    from dialgauge.errors import InputError, StudyError
    from dialgauge.io.study import read_study
    from dialgauge.io.writing import check_suffix, to_long, to_separated
    from dialgauge.report.files import check_outputs

    if attempts and log:
        raise InputError("--attempts exports calls of models and --log answers of people; give one of them")
    wanted = _check_purpose(purpose)
    folder = read_study(study)
    if out is not None:
        check_suffix(out)
        check_outputs([out])
        if Path(out).resolve() == folder.targets_path.resolve():
            msg = f"{out} would replace the dialogues of the study; give it a name of its own"
            raise StudyError(msg)
    ratings = None
    with folder.open_store() as store:
        if attempts:
            frame = _choose(store.attempts(texts=True), wanted)
        elif log:
            frame = store.answer_log(purpose=wanted)
        else:
            ratings = store.ratings(purpose=wanted)
            frame = _by_occasion(store, wanted) if purpose in WITH_OCCASIONS else to_long(ratings)
            frame = _with_revisions(_with_origin(frame, store, wanted), store, wanted)
        if not frame.height:
            raise StudyError(_say_empty(study, store, purpose, what="calls" if attempts else "answers" if log else ""))
    if out is None or check_suffix(out) in {".csv", ".tsv"}:
        _warn_of_formulas(frame)
    if out is None:
        put(to_separated(_flatten(frame)))
        return
    _write(frame, Path(out))
    report_written(out)
    if ratings is not None:
        occasions = {*frame["occasion"]} - {0} if "occasion" in frame.columns else set()
        put(f"Next: {shlex.join(_next_command(folder, ratings, out, occasions=occasions, purpose=purpose))}\n")


def _warn_of_formulas(frame: "pl.DataFrame") -> None:
    from dialgauge.io.writing import count_formulas

    if n := count_formulas(frame):
        texts = "1 text begins" if n == 1 else f"{n:,} texts begin"
        complain(
            f"{texts} with a sign by which spreadsheets know formulas (= + - @, a tab); import the columns as text "
            "there, or write .parquet or .jsonl"
        )


def _check_purpose(purpose: str) -> "Purpose | None":
    from dialgauge.errors import InputError
    from dialgauge.model import PURPOSES

    if purpose not in {*PURPOSES, ALL}:
        msg = f"--purpose is one of {', '.join((*PURPOSES, ALL))}, got {purpose!r}"
        raise InputError(msg)
    return None if purpose == ALL else cast("Purpose", purpose)


def _by_occasion(store: "Store", purpose: "Purpose | None") -> "pl.DataFrame":
    """Return the ratings with the occasion on which each was made or failed to be."""
    import polars as pl

    from dialgauge.io.writing import to_long

    numbers = sorted({*store.runs()["occasion"], *store.rating_details(purpose=purpose)["occasion"]}) or [0]
    parts = [to_long(store.ratings(purpose=purpose, occasion=n)).with_columns(occasion=pl.lit(n)) for n in numbers]
    return pl.concat(parts)


def _with_origin(frame: "pl.DataFrame", store: "Store", purpose: "Purpose | None") -> "pl.DataFrame":
    """Return the ratings with the kind of each rater, and the system of each target where some target has one."""
    import polars as pl

    kinds = {rater.name: rater.kind for rater in store.raters()}
    systems = {dialogue.id: dialogue.system for dialogue in store.targets(purpose=purpose)}
    frame = frame.with_columns(kind=pl.col("rater").replace_strict(kinds, return_dtype=pl.String))
    if not any(systems.get(target) for target in frame["target"].unique()):
        return frame
    return frame.with_columns(system=pl.col("target").replace_strict(systems, return_dtype=pl.String))


def _say_empty(study: str, store: "Store", purpose: str, *, what: str) -> str:
    """Say what there is instead of what was asked for."""
    said = f"{study} has no {what or 'ratings'} of purpose {purpose}"
    if what == "calls" and (by := {rater.kind for rater in store.raters()} - {"llm"}):
        whose = " and ".join("people" if kind == "human" else "code" for kind in sorted(by, reverse=True))
        instead = "; leave --attempts out for the ratings"
        instead += ", or give --log for every answer of people" if "human" in by else ""
        return f"{said}: its raters are {whose}, and only models are called{instead}"
    if what == "answers":
        return f"{said} by people yet; collect some with dialgauge serve, or leave --log out for all ratings"
    return f"{said} yet; collect some first"


def _with_revisions(frame: "pl.DataFrame", store: "Store", purpose: "Purpose | None") -> "pl.DataFrame":
    """Return the ratings with what is known of the answers of people, where there are any."""
    details = store.rating_details(purpose=purpose)
    details = details.filter(details["revisions"].is_not_null())
    key = ["target", "rater", "dimension", "replicate"]
    answers = details.select(*key, "revisions", "at")
    return frame.join(answers, on=key, how="left", maintain_order="left") if details.height else frame


def _choose(frame: "pl.DataFrame", purpose: "Purpose | None") -> "pl.DataFrame":
    return frame if purpose is None else frame.filter(frame["purpose"] == purpose)


def _flatten(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Write lists of names as JSON, for tables of text."""
    import json

    import polars as pl

    lists = [name for name, dtype in frame.schema.items() if dtype == pl.List(pl.String)]
    texts = [pl.Series(name, [json.dumps(names) for names in frame[name].to_list()], pl.String) for name in lists]
    return frame.with_columns(texts)


def _write(frame: "pl.DataFrame", path: Path) -> None:
    """Write to a new file beside ``path``, which then takes its name."""
    from dialgauge.io.writing import write_frame

    unfinished = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        write_frame(_flatten(frame) if path.suffix.lower() in {".csv", ".tsv"} else frame, unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _next_command(
    folder: "StudyFolder", ratings: "Ratings", out: str, *, occasions: "Collection[int]", purpose: str
) -> list[str]:
    """Return the command that analyses what was written: one instrument at a time, means of points apart.

    Anchor sets are watched over their ``occasions``; one rater is compared with itself, several with each other.
    """
    named, instrument = folder.study.instrument, folder.instrument
    own = [name for name in ratings.dimensions if name in instrument.dimension_names]
    if not own:
        named, instrument, own = "measures", folder.measures or instrument, list(ratings.dimensions)
    elif (folder.root / named).is_file():
        named = str(folder.root / named)
    options = ["--instrument", named]
    known = [name for name in own if name in instrument.dimension_names]
    asked = [name for name in known if ratings.scales[name] == instrument.scale_for(name)]
    if not asked:
        scale = ratings.scales[own[0]]
        options += ["--scale", ":".join(str(float(bound)) for bound in scale.bounds)]
        asked = [name for name in own if ratings.scales[name] == scale]
    if len(asked) < len(ratings.dimensions):
        options += ["--dimensions", ",".join(asked)]
    if occasions:
        only = ["--where", "occasion > 0"] if purpose == ALL else []
        return ["dialgauge", "monitor", out, "--occasion", "occasion", *only, *options]
    if ratings.frame["rater"].n_unique() == 1 and ratings.frame["replicate"].n_unique() > 1:
        return ["dialgauge", "retest", out, "--replicate", "replicate", *options]
    return ["dialgauge", "reliability", out, *options]
