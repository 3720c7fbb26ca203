"""What all pages share."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dialgauge.collect.web.desk import BusyError, Desk
from dialgauge.collect.web.ending import Ending
from dialgauge.collect.web.settings import PageSettings
from dialgauge.collect.web.signing import Signer, Visit
from dialgauge.collect.web.templating import render
from dialgauge.collect.web.visits import Door, TurnedAwayError

COME_AGAIN = 5
"""Seconds after which a request that found the database busy is worth another try."""

BUSY = "The database does not answer just now. Nothing that was saved is lost; please try again in a moment."

FAILS = "The database does not answer. Please try again in a moment; if it stays so, tell those who invited you."


def say_why(error: Exception) -> str:
    """Return the words for a database that is busy, or that fails: then nothing is known of what it holds."""
    return BUSY if isinstance(error, BusyError) else FAILS


@dataclass(frozen=True, slots=True)
class Site:
    """The parts of the page for one study."""

    settings: PageSettings
    desk: Desk
    signer: Signer
    door: Door

    async def rater_of(self, request: Request) -> tuple[Visit, str]:
        """Return the visit and its rater; TurnedAwayError (401) where nobody of this study has entered a code."""
        visit, rater = self.door.rater_of(request)
        if not await self.desk.is_rater(rater, visit.mark):
            raise TurnedAwayError(401, "This study does not know you. Please enter your code again.")
        return visit, rater

    def page(self, name: str, *, visit: Visit | None = None, status: int = 200, **content: object) -> HTMLResponse:
        """Return the page of the template ``name`` as ``visit`` sees it."""
        token = "" if visit is None else self.door.token_for(visit)
        known = visit is not None and visit.rater is not None
        text = render(name, site=self.settings, token=token, known=known, **content)
        return HTMLResponse(text, status_code=status)

    def end(self, ending: Ending, *, visit: Visit | None = None) -> HTMLResponse:
        """Return the page of somebody who has nothing to rate, or stopped."""
        code, waits = ending.code(self.settings), ending.waits(self.settings)
        return self.page("end", visit=visit, ending=ending, done=ending.done, code=code, waits=waits)

    def say(self, message: str, *, status: int, visit: Visit | None = None) -> HTMLResponse:
        """Return a page that says why something was not done, and leads back."""
        return self.page("message", visit=visit, status=status, message=message, busy=status == 503)
