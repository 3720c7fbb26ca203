"""``dialgauge init``: begin a study in a folder."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli.output import put, report_written


def begin_study(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder for the study; it is made if need be.")],
    instrument: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="A known instrument (crs_que by default), or a TOML file to copy."),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The dialogues, as JSON lines or CSV; by default three short examples."),
    ] = None,
) -> None:
    """Begin a study: a study.toml with comments, the dialogues, and an empty database. Nothing is overwritten.

    Where there is a study.toml, only what it lacks is made: its database, also behind a URL, and the dialogues of
    --targets.
    """
    from dialgauge.errors import InputError
    from dialgauge.io.study import FILE, complete_study, init_study

    rate = f"dialgauge rate {shlex.quote(folder)}"
    if (Path(folder) / FILE).exists():
        if instrument is not None:
            raise InputError(f"{Path(folder) / FILE} exists and names its instrument; leave --instrument out")
        for made in complete_study(folder, targets=targets):
            report_written(made)
        put(f"Next: {rate}\n")
        return
    for path in init_study(folder, instrument=instrument or "crs_que", targets=targets):
        report_written(str(path))
    put(f"Next: name the raters in {Path(folder) / FILE}, then\n  {rate}\n")
