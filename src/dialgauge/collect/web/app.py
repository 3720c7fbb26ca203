"""The application: its addresses, and what is said when something cannot be done."""

import logging
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dialgauge.collect.people import People
from dialgauge.collect.web.bodies import UnreadableError
from dialgauge.collect.web.desk import PATIENCE, BusyError, Desk
from dialgauge.collect.web.entrance import Entrance
from dialgauge.collect.web.headers import HEADERS, SafeHeaders
from dialgauge.collect.web.settings import PageSettings
from dialgauge.collect.web.signing import Signer
from dialgauge.collect.web.site import COME_AGAIN, Site, say_why
from dialgauge.collect.web.tasks import Tasks
from dialgauge.collect.web.templating import FILES, files_version, load_files
from dialgauge.collect.web.visits import Door, TurnedAwayError
from dialgauge.errors import InputError, StoreError
from dialgauge.io.store.people_will import WithdrawnError

NOT_YOURS = "This dialogue is not one of yours just now. Please go on with the one that is."

WITHDRAWN = "You withdrew from this study: what you answered is not used, and there is nothing more to do. Thank you."

ANSWER = "/answer"
"""The address that the script of the page talks to, in JSON."""

_LOG = logging.getLogger(__name__)
_YEAR = "public, max-age=31536000, immutable"


def make_app(people: People, settings: PageSettings, key: bytes, *, patience: float = PATIENCE) -> Starlette:
    """Return the application for the people of one study.

    ``key`` signs cookies and forms. A request that the database keeps for more than ``patience`` seconds is answered
    with 503 and a word to try again.
    """
    signer = Signer(key)
    site = Site(settings, Desk(people, signer, patience=patience), signer, Door(signer))
    entrance, tasks = Entrance(site), Tasks(site)
    app = Starlette(
        routes=[
            Route("/", entrance.welcome, methods=["GET"]),
            Route("/enter", entrance.enter, methods=["POST"]),
            Route("/leave", entrance.leave, methods=["POST"]),
            Route("/consent", entrance.consent, methods=["GET"]),
            Route("/agree", entrance.agree, methods=["POST"]),
            Route("/instructions", entrance.instructions, methods=["GET"]),
            Route("/earlier", entrance.earlier, methods=["GET"]),
            Route("/status", entrance.status, methods=["GET"]),
            Route("/rate", tasks.show, methods=["GET"]),
            Route("/rate", tasks.take, methods=["POST"]),
            Route("/stopped", tasks.stopped, methods=["GET"]),
            Route(ANSWER, tasks.answer, methods=["POST"]),
            Route("/files/{name}", _send_file, methods=["GET"]),
        ],
        middleware=[Middleware(SafeHeaders)],
        exception_handlers={kind: _explain(site) for kind in (HTTPException, UnreadableError, TurnedAwayError)}
        | {kind: _explain(site) for kind in (BusyError, InputError, Exception)},
    )
    app.state.site = site
    return app


async def _send_file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    kept = _YEAR if request.query_params.get("v") == files_version() else "no-cache"
    return Response(load_files()[name], media_type=FILES[name], headers={"Cache-Control": kept})


def _explain(site: Site) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def explain(request: Request, error: Exception) -> Response:
        status, message = _tell(error)
        headers = {**HEADERS, **(getattr(error, "headers", None) or {}), "Cache-Control": "no-store"}
        if request.url.path == ANSWER:
            answer: Response = JSONResponse({"problem": message}, status_code=status, headers=headers)
        else:
            answer = site.say(message, status=status, visit=None if status == 401 else site.door.visit_of(request))
            answer.headers.update(headers)
        if status == 401:
            site.door.forget(answer)
        if status == 503:
            answer.headers["Retry-After"] = str(COME_AGAIN)
        return answer

    return explain


def _tell(error: Exception) -> tuple[int, str]:
    """Return the status and the words for what went wrong."""
    if isinstance(error, (UnreadableError, TurnedAwayError)):
        return error.status, str(error)
    if isinstance(error, (BusyError, StoreError)):
        _LOG.warning("%s", str(error) or "the database takes too long")
        return 503, say_why(error)
    if isinstance(error, WithdrawnError):
        return 403, WITHDRAWN
    if isinstance(error, InputError):  # its own words may name the target, and with it the system
        return 409, NOT_YOURS
    if isinstance(error, HTTPException):
        told = {404: "There is no such page.", 405: "This address cannot be asked for in this way."}
        return error.status_code, told.get(error.status_code, "This was not possible.")
    return 500, "Something went wrong here. What was shown as saved is kept; please tell those who invited you."
