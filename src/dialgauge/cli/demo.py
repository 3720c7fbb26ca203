"""``dialgauge demo``: the whole way once, on ratings that are simulated on the spot."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli.output import put, report_written


def show_demo(
    context: typer.Context,
    folder: Annotated[str, typer.Option("--dir", metavar="DIR", help="Folder for ratings and page.")] = "demo",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulated study.")] = 7,
) -> None:
    """Simulate a small crowd study, print its reliability table and write the page."""
    from dialgauge.errors import InputError
    from dialgauge.io import write_wide
    from dialgauge.simulate.crowd import generate_crowd_study

    ratings, page = Path(folder) / "ratings.csv", Path(folder) / "report.html"
    try:
        ratings.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"the folder {folder} cannot be made ({error.strerror}); choose another with --dir"
        raise InputError(msg) from None
    unfinished = ratings.with_name(".ratings.part.csv")
    write_wide(generate_crowd_study(seed=seed), unfinished, target="dialogue_id", rater="rater_id")
    unfinished.replace(ratings)
    report_written(str(ratings))
    command = ["reliability", str(ratings), "--instrument", "crs_que", "--html", str(page)]
    put(f"$ {shlex.join(['dialgauge', *command])}\n\n")
    context.find_root().command.main(command, prog_name="dialgauge", standalone_mode=False)
    put(
        f"\nLook next at\n"
        f"  {page}: table, figures, all coefficients and methods, for a browser\n"
        f"  {ratings}: the ratings; a file of yours may look like it\n"
        f"  dialgauge reliability --help: other columns, scales and outputs\n"
    )
