"""``dialgauge backup``: copy the database of a study, also while it is in use."""

from typing import Annotated

import typer

from dialgauge.cli.collecting import StudyPath
from dialgauge.cli.output import report_written


def back_up_study(
    study: StudyPath,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The new file; one that exists is not overwritten.")],
) -> None:
    """Copy the database of a study to a new file as it is at one moment, also while people rate and models are asked.

    Copying study.db by hand would miss what is still in study.db-wal. A PostgreSQL database is copied with pg_dump.
    """
    from dialgauge.io.study import read_study

    with read_study(study).open_store() as store:
        store.back_up(file)
    report_written(file)
