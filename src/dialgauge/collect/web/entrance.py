"""The pages around the work: the welcome with its code, the instructions, the earlier dialogues, the progress."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from dialgauge.collect.people import Completed, People
from dialgauge.collect.web.bodies import read_form
from dialgauge.collect.web.codes import LONGEST, check_code
from dialgauge.collect.web.desk import EVERYBODY, BusyError
from dialgauge.collect.web.ending import Ending, is_finished
from dialgauge.collect.web.progress import say_unanswered, sum_up
from dialgauge.collect.web.shown import excerpt
from dialgauge.collect.web.signing import Visit
from dialgauge.collect.web.site import Site
from dialgauge.collect.web.visits import TurnedAwayError
from dialgauge.errors import InputError, StoreError
from dialgauge.io.store.people_will import WithdrawnError

AGREE = "agree"
"""The field of the box that says that a person agrees."""

MOST_EXCERPTS = 100
"""Earlier dialogues that are listed with their first words; older ones by their number."""


class Entrance:
    """Answers for everything but the rating itself."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def welcome(self, request: Request) -> Response:
        """Show what it is about, and ask for the code, which the address may bear."""
        code = request.query_params.get(self._site.settings.code_parameter, "")
        finished = await self._is_finished()
        return self._welcome(request, code=code[: 2 * LONGEST], finished=finished)

    async def enter(self, request: Request) -> Response:
        """Let a person in; where all is done, those who were there before: of others nothing is stored."""
        door, desk = self._site.door, self._site.desk
        fields = await read_form(request)
        door.check_form(door.visit_of(request), fields.get("token"))
        asked, agreed = fields.get("code", "")[: 2 * LONGEST], AGREE in fields
        finished = await self._is_finished()
        try:
            code = check_code(fields.get("code", ""))
            if finished and await desk.read(EVERYBODY, lambda people: people.find(code)) is None:
                return self._site.end(Ending(done=0))
            if self._site.settings.consent and not (agreed or finished):
                return self._welcome(request, code=asked, unticked=True, status=422)
            rater, known = await desk.write(EVERYBODY, lambda people: _let_in(people, code, agreed=agreed))
        except (WithdrawnError, StoreError):
            raise
        except InputError as error:
            return self._welcome(request, code=asked, problem=str(error), ticked=agreed, finished=finished, status=422)
        response = RedirectResponse("/rate", status_code=303)
        door.remember(response, Visit.begin(rater, self._site.signer.mark(known)), request)
        return response

    async def consent(self, request: Request) -> Response:
        """Show what is to be agreed to, to somebody who has entered: the text is new to them."""
        visit, _ = await self._site.rater_of(request)
        if not self._site.settings.consent:
            return RedirectResponse("/rate", status_code=303)
        return self._site.page("consent", visit=visit, unticked=False, ticked=False)

    async def agree(self, request: Request) -> Response:
        """Keep that somebody who has entered agrees."""
        visit, rater = await self._site.rater_of(request)
        fields = await read_form(request)
        self._site.door.check_form(visit, fields.get("token"))
        if AGREE not in fields:
            return self._site.page("consent", visit=visit, unticked=True, ticked=False, status=422)
        await self._site.desk.write(rater, lambda people: people.agree(rater))
        return RedirectResponse("/rate", status_code=303)

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
        tasks = [(number, self._site.signer.handle(one.target), first, one.at) for number, one, first in found]
        return self._site.page("earlier", visit=visit, tasks=tasks)

    async def status(self, request: Request) -> Response:
        """Show how far the study is to whoever has the token: counts, never answers or codes."""
        if not self._site.signer.is_status_token(request.query_params.get("token", "")):
            raise TurnedAwayError(404, "There is no such page.")
        targets, people = await self._site.desk.read(EVERYBODY, lambda people: (people.progress(), people.people()))
        sums = sum_up(targets)
        unanswered = say_unanswered(sums.unanswered) if sums.unanswered else ""
        return self._site.page("status", sums=sums, unanswered=unanswered, people=people)

    async def _is_finished(self) -> bool:
        """Whether all is done; not known is not done."""
        try:
            return await self._site.desk.read(EVERYBODY, is_finished)
        except (BusyError, StoreError):
            return False

    def _welcome(
        self,
        request: Request,
        *,
        code: str,
        problem: str = "",
        ticked: bool = False,
        unticked: bool = False,
        finished: bool = False,
        status: int = 200,
    ) -> Response:
        known = self._site.door.visit_of(request)
        visit = known or Visit.begin()
        response = self._site.page(
            "welcome",
            visit=visit,
            code=code,
            problem=problem,
            ticked=ticked,
            unticked=unticked,
            finished=finished,
            status=status,
        )
        if known is None:
            self._site.door.remember(response, visit, request)
        return response


def _let_in(people: People, code: str, *, agreed: bool) -> tuple[str, str]:
    """Return the rater who enters, with their code as it was first written."""
    rater = people.enter(code)
    if agreed:
        people.agree(rater)
    return rater, people.known_codes()[rater]


def _list_earlier(people: People, rater: str) -> list[tuple[int, Completed, str]]:
    """Return number, target and first words of each task that a rater completed, the newest first."""
    done = people.completions(rater)
    return [
        (
            len(done) - place,
            one,
            excerpt(people.task(rater, one.target).target) if place < MOST_EXCERPTS else "",
        )
        for place, one in enumerate(done)
    ]
