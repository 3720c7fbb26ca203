"""``dialgauge init``: begin a study in a folder."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli.output import put, report_written


def begin_study(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder for the study; it is made if need be.")],
    instrument: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="A known instrument, or a TOML file, which is copied.")
    ] = "crs_que",
    targets: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The dialogues, as JSON lines or CSV; by default three short examples."),
    ] = None,
) -> None:
    """Begin a study: a study.toml with comments, the dialogues, and an empty database. Nothing is overwritten."""
    from dialgauge.io.study import init_study

    for path in init_study(folder, instrument=instrument, targets=targets):
        report_written(str(path))
    put(f"Next: name the raters in {Path(folder) / 'study.toml'}, then\n  dialgauge rate {shlex.quote(folder)}\n")
