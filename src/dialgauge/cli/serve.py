"""``dialgauge serve``: the page on which people rate the dialogues of a study."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.collecting import StudyPath
from dialgauge.cli.output import complain, put

if TYPE_CHECKING:
    from dialgauge.io.study import StudyFolder

PROLIFIC = "PROLIFIC_PID"
"""The parameter in which Prolific sends its number of a person; it fills in what stands between {{% and %}}."""


def serve_people(
    study: StudyPath,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; by default for this machine only.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = 8000,
    code_parameter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The part of the address that bears a person's code; by default that of [people]."
        ),
    ] = None,
    completion_code: Annotated[
        str | None,
        typer.Option(metavar="TEXT|URL", help="Shown to a person who has done enough; by default that of [people]."),
    ] = None,
    no_task_code: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT|URL", help="Shown to a person for whom there is nothing; by default that of [people]."
        ),
    ] = None,
) -> None:
    """Serve the page on which people rate, until Ctrl-C. Each answer is in the database before it is shown as saved.

    The same command goes on where it stopped; people stay logged in. Options hold for this time, and go before what
    [people] in study.toml says.
    """
    from dialgauge.collect.web.extras import check_extra
    from dialgauge.errors import InputError
    from dialgauge.io.study import read_study
    from dialgauge.model.study import CODE_PARAMETER

    check_extra()
    if code_parameter is not None and not re.fullmatch(CODE_PARAMETER, code_parameter):
        raise InputError(f"--code-parameter is a word such as code or PROLIFIC_PID, got {code_parameter!r}")
    from dialgauge.collect.people import open_people
    from dialgauge.collect.web.app import make_app
    from dialgauge.collect.web.keys import read_key
    from dialgauge.collect.web.progress import say_unanswered, sum_up
    from dialgauge.collect.web.serving import address_of, is_loopback, open_socket, serve
    from dialgauge.collect.web.settings import make_settings

    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        settings = make_settings(
            folder,
            people,
            code_parameter=code_parameter,
            completion_code=completion_code,
            no_task_code=no_task_code,
        )
        app = make_app(people, settings, read_key(folder.root))
        sums = sum_up(people.progress())
        n_targets = sums.targets
        if not n_targets:
            raise InputError(f"the study {folder.study.name!r} has no dialogues to rate; add some to its targets first")
        listening = open_socket(host, port)
        address, status = address_of(listening), app.state.site.signer.status
        if not is_loopback(listening):
            complain("other machines can reach this page, and it is not encrypted; put TLS in front: docs/people.md")

        def say_begun() -> None:
            put(_describe(folder, n_targets))
            if sums.unanswered:
                complain(say_unanswered(sums.unanswered))
            put(f"People    {address}/\n")
            put(f"Panels    {address}/?{settings.code_parameter}={_say_code(settings.code_parameter)}\n")
            put(f"Progress  {address}/status?token={status}\n")
            put("Ctrl-C ends it; what was shown as saved is kept.\n")

        serve(app, listening, begun=say_begun)
    put("Ended.\n")


def _say_code(parameter: str) -> str:
    """Return what a panel puts in the place of the code, ready to be pasted where it is known."""
    return f"{{{{%{PROLIFIC}%}}}}" if parameter == PROLIFIC else "CODE"


def _describe(folder: "StudyFolder", n_targets: int) -> str:
    """Return what is asked for, in one line."""
    from dialgauge.io.words import count

    asked = folder.study.people
    k = 0 if asked is None else asked.per_target
    what = f"{count(n_targets, 'dialogue')}, {count(len(folder.dimensions), 'question')} each"
    return f"{folder.study.name}: {what}, {count(k, 'rater')} per dialogue\n\n"
