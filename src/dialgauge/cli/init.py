"""``dialgauge init``: begin a study in a folder."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.output import put, report_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dialgauge.io.dialogues_from import FoundDialogues

MOST_NAMES = 5
"""Dimensions that are named of those that may be compared."""


def begin_study(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder for the study; it is made if need be.")],
    instrument: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="A known instrument (crs_que by default), or a TOML file to copy."),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The dialogues: JSON lines or CSV, or a file of ReDial, OpenDialKG, DialogueKit or AB-ReDial; by "
            "default three short examples.",
        ),
    ] = None,
) -> None:
    """Begin a study: a study.toml with comments, the dialogues, and an empty database. Nothing is overwritten.

    Where there is a study.toml, only what it lacks is made: its database, also behind a URL, and the dialogues of
    --targets. Ratings by people that came with the dialogues are kept beside them, in people.csv.
    """
    from dialgauge.errors import InputError
    from dialgauge.io.dialogues_from import read_foreign_dialogues
    from dialgauge.io.study import FILE, complete_study, init_study, read_study

    found = None if targets is None else read_foreign_dialogues(targets)
    if (Path(folder) / FILE).exists():
        if instrument is not None:
            raise InputError(f"{Path(folder) / FILE} exists and names its instrument; leave --instrument out")
        for made in complete_study(folder, targets=found or targets):
            report_written(made)
        _say_found(found, folder)
        study = read_study(folder).study
        verbs = ["serve"] * (study.people is not None) + ["rate"] * bool(study.raters)
        put(f"Next: {' and '.join(f'dialgauge {verb} {shlex.quote(folder)}' for verb in verbs)}\n")
        return
    for path in init_study(folder, instrument=instrument or "crs_que", targets=found or targets):
        report_written(str(path))
    _say_found(found, folder)
    put(f"Next: name the raters in {Path(folder) / FILE}, then\n  dialgauge rate {shlex.quote(folder)}\n")


def _say_found(found: "FoundDialogues | None", folder: str) -> None:
    """Say what a file of another project was taken for, and where its ratings are."""
    from dialgauge.io.people_ratings import RATINGS
    from dialgauge.report.text import clean

    if found is None:
        return
    put(f"{len(found):,} dialogues of {found.form}\n")
    for note in found.notes:
        put(f"{clean(note)}\n")
    if found.ratings is not None:
        theirs = found.ratings.dimensions
        own = [name for name in _dimensions_of(folder) if name in theirs]
        beside = shlex.join(["dialgauge", "kinds", folder, "--people", str(Path(folder) / RATINGS)])
        n = found.ratings.frame["value"].count()
        put(f"Kept beside them: {n:,} ratings by people. To compare, once the study is rated:\n  {beside}")
        put("\n" if own else f" --map PEOPLES=STUDYS\n{_say_pairs(theirs, _dimensions_of(folder))}")


def _dimensions_of(folder: str) -> "Sequence[str]":
    """Return the dimensions that are rated in a study."""
    from dialgauge.io.study import read_study

    found = read_study(folder)
    return found.study.dimensions or found.instrument.dimension_names


def _say_pairs(theirs: "Sequence[str]", own: "Sequence[str]") -> str:
    """Say what to put in the place of the two names, where no dimension is called the same on both sides."""
    from dialgauge.report.text import clean

    there, here = (", ".join(map(clean, names[:MOST_NAMES])) for names in (theirs, own))
    there += f" and {len(theirs) - MOST_NAMES} more" if len(theirs) > MOST_NAMES else ""
    here += f" and {len(own) - MOST_NAMES} more" if len(own) > MOST_NAMES else ""
    return (
        "No dimension is called the same on both sides: complete the pair, and repeat --map for others.\n"
        f"  PEOPLES: {there}\n  STUDYS: {here}\n"
    )
