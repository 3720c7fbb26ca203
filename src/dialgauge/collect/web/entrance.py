"""The pages around the work: the welcome with its code, the instructions, the earlier dialogues, the progress."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dialgauge.collect.people import People
from dialgauge.collect.web.bodies import read_form
from dialgauge.collect.web.codes import LONGEST, check_code
from dialgauge.collect.web.desk import EVERYBODY
from dialgauge.collect.web.progress import sum_up
from dialgauge.collect.web.shown import excerpt
from dialgauge.collect.web.signing import Visit
from dialgauge.collect.web.site import Site
from dialgauge.collect.web.visits import TurnedAwayError
from dialgauge.errors import InputError

MOST_EXCERPTS = 100
"""Earlier dialogues that are listed with their first words; older ones by their number."""


class Entrance:
    """Answers for everything but the rating itself."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def welcome(self, request: Request) -> Response:
        """Show what it is about, and ask for the code, which the address may bear."""
        code = request.query_params.get(self._site.settings.code_parameter, "")
        visit = self._site.door.visit_of(request)
        return self._welcome(request, visit or Visit.begin(), code=code[: 2 * LONGEST])

    async def enter(self, request: Request) -> Response:
        """Let a person in."""
        door, visit = self._site.door, self._site.door.visit_of(request)
        fields = await read_form(request)
        door.check_form(visit, fields.get("token"))
        try:
            code = check_code(fields.get("code", ""))
        except InputError as error:
            asked = fields.get("code", "")[: 2 * LONGEST]
            return self._welcome(request, visit or Visit.begin(), code=asked, problem=str(error), status=422)
        rater = await self._site.desk.write(EVERYBODY, lambda people: people.enter(code))
        response = RedirectResponse("/rate", status_code=303)
        door.remember(response, Visit.begin(rater, self._site.signer.mark(code)), request)
        return response

    async def leave(self, request: Request) -> Response:
        """Forget who sits at this browser."""
        visit = self._site.door.visit_of(request)
        self._site.door.check_form(visit, (await read_form(request)).get("token"))
        response = RedirectResponse("/", status_code=303)
        self._site.door.forget(response)
        return response

    async def instructions(self, request: Request) -> Response:
        """Show the instructions again."""
        return self._site.page("instructions", visit=self._site.door.visit_of(request))

    async def earlier(self, request: Request) -> Response:
        """List what this person has completed, to look at or revise."""
        visit, rater = await self._site.rater_of(request)
        found = await self._site.desk.read(rater, lambda people: _list_earlier(people, rater))
        tasks = [(number, self._site.signer.handle(target), first) for number, target, first in found]
        return self._site.page("earlier", visit=visit, tasks=tasks)

    async def status(self, request: Request) -> Response:
        """Show how far the study is to whoever has the token: counts, never answers or codes."""
        if not self._site.signer.is_status_token(request.query_params.get("token", "")):
            raise TurnedAwayError(404, "There is no such page.")
        targets, people = await self._site.desk.read(EVERYBODY, lambda people: (people.progress(), people.people()))
        return self._site.page("status", sums=sum_up(targets), people=people)

    def _welcome(self, request: Request, visit: Visit, *, code: str, problem: str = "", status: int = 200) -> Response:
        response = self._site.page("welcome", visit=visit, code=code, problem=problem, status=status)
        if self._site.door.visit_of(request) is None:
            self._site.door.remember(response, visit, request)
        return response


def _list_earlier(people: People, rater: str) -> list[tuple[int, str, str]]:
    """Return number, target and first words of each task that a rater completed, the newest first."""
    targets = people.completed(rater)
    return [
        (
            len(targets) - place,
            target,
            excerpt(people.task(rater, target).target) if place < MOST_EXCERPTS else "",
        )
        for place, target in enumerate(targets)
    ]
