"""``dialgauge serve``: the page on which people rate the dialogues of a study."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.collecting import StudyPath
from dialgauge.cli.output import complain, put

if TYPE_CHECKING:
    from dialgauge.io.study import StudyFolder

_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def serve_people(
    study: StudyPath,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; by default for this machine only.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")] = 8000,
    code_parameter: Annotated[
        str, typer.Option(metavar="NAME", help="The part of the address that bears a person's code.")
    ] = "code",
    completion_code: Annotated[
        str | None, typer.Option(metavar="TEXT|URL", help="Shown to a person who has done all there is for them.")
    ] = None,
) -> None:
    """Serve the page on which people rate, until Ctrl-C. Each answer is in the database before it is shown as saved.

    The same command goes on where it stopped; people stay logged in.
    """
    from dialgauge.collect.web.extras import check_extra
    from dialgauge.errors import InputError
    from dialgauge.io.study import read_study

    check_extra()
    if not _PARAMETER.fullmatch(code_parameter):
        raise InputError(f"--code-parameter is a word such as code or PROLIFIC_PID, got {code_parameter!r}")
    from dialgauge.collect.people import open_people
    from dialgauge.collect.web.app import make_app
    from dialgauge.collect.web.keys import read_key
    from dialgauge.collect.web.serving import address_of, is_loopback, open_socket, serve
    from dialgauge.collect.web.settings import make_settings

    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        settings = make_settings(
            folder, people, code_parameter=code_parameter, completion_code=(completion_code or "").strip() or None
        )
        app = make_app(people, settings, read_key(folder.root))
        n_targets = len(people.progress())
        if not n_targets:
            raise InputError(f"the study {folder.study.name!r} has no dialogues to rate; add some to its targets first")
        listening = open_socket(host, port)
        address, status = address_of(listening), app.state.site.signer.status
        if not is_loopback(listening):
            complain("other machines can reach this page, and it is not encrypted; put TLS in front: docs/people.md")

        def say_begun() -> None:
            put(_describe(folder, n_targets))
            put(f"People    {address}/\n")
            put(f"Panels    {address}/?{code_parameter}=CODE\n")
            put(f"Progress  {address}/status?token={status}\n")
            put("Ctrl-C ends it; what was shown as saved is kept.\n")

        serve(app, listening, begun=say_begun)
    put("Ended.\n")


def _describe(folder: "StudyFolder", n_targets: int) -> str:
    """Return what is asked for, in one line."""
    from dialgauge.io.words import count

    asked = folder.study.people
    k = 0 if asked is None else asked.per_target
    what = f"{count(n_targets, 'dialogue')}, {count(len(folder.dimensions), 'question')} each"
    return f"{folder.study.name}: {what}, {count(k, 'rater')} per dialogue\n\n"
