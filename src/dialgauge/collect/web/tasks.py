"""The page on which a dialogue is rated, and how its answers are taken."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from dialgauge.collect.people import People, Task
from dialgauge.collect.web.bodies import read_form, read_object
from dialgauge.collect.web.desk import BusyError
from dialgauge.collect.web.ending import Ending, look_at_end
from dialgauge.collect.web.saving import (
    CHANGED,
    Saved,
    complete,
    read_answer,
    read_revision,
    save_answers,
    write_answer,
)
from dialgauge.collect.web.shown import show_questions, show_turns
from dialgauge.collect.web.signing import Visit
from dialgauge.collect.web.site import COME_AGAIN, Site, say_why
from dialgauge.collect.web.visits import TurnedAwayError
from dialgauge.errors import InputError, StoreError
from dialgauge.io.store.people_will import ConsentError

COMPLETE, GIVE_BACK, SAVE, STOP = "complete", "give-back", "save", "stop"
"""What the buttons of the form ask for."""

NOT_ASKED = "This question is no longer asked."

GIVEN_BACK = "You gave this dialogue back, so it went to somebody else."


@dataclass(frozen=True, slots=True)
class _Seen:
    """A task, None where there is none left, and the targets that its rater completed."""

    task: Task | None
    completed: tuple[str, ...]
    ending: Ending | None = None


class Tasks:
    """Answers for the rating itself."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def show(self, request: Request) -> Response:
        """Show the task that is due, or the one that the address names; the end where nothing is left."""
        visit, rater = await self._site.rater_of(request)
        handle = request.query_params.get("task")
        if handle is None:
            try:
                seen = await self._site.desk.write(rater, lambda people: _look_ahead(people, rater))
            except ConsentError:
                return RedirectResponse("/consent", status_code=303)
        else:
            target = await self._find(handle)
            seen = await self._site.desk.read(
                rater, lambda people: _Seen(people.task(rater, target), _completed(people, rater))
            )
        if seen.ending is not None:
            return self._site.end(seen.ending, visit=visit)
        if seen.task is None:
            raise TurnedAwayError(404, "There is no such dialogue in this study.")
        if seen.task.state == "given-back":
            raise TurnedAwayError(409, GIVEN_BACK)
        return self._show(visit, seen)

    async def take(self, request: Request) -> Response:
        """Take the form as a whole: log what is new in it, then complete the task or give it back."""
        visit, rater = await self._site.rater_of(request)
        fields = await read_form(request)
        self._site.door.check_form(visit, fields.get("token"))
        action = fields.get("action", COMPLETE)
        if action not in {COMPLETE, GIVE_BACK, SAVE, STOP}:
            raise TurnedAwayError(400, "The form asked for nothing that can be done here.")
        if action == STOP:
            await self._site.desk.write(rater, lambda people: people.stop(rater))
            return RedirectResponse("/stopped", status_code=303)
        try:
            target = await self._find(fields.get("task", ""))
            if action == GIVE_BACK:
                await self._site.desk.write(rater, lambda people: _give_back(people, rater, target))
                return RedirectResponse("/rate", status_code=303)
            saved, completed = await self._site.desk.write(
                rater, lambda people: self._save(people, rater, target, fields, action)
            )
        except (BusyError, StoreError) as error:
            kept = {name: text for name, text in fields.items() if name != "token"}
            message = say_why(error)
            response = self._site.page("busy", visit=visit, status=503, message=message, fields=kept)
            response.headers["Retry-After"] = str(COME_AGAIN)
            return response
        if saved.problems:
            return self._show(visit, _Seen(saved.task, completed), saved.problems)
        address = "/rate" if action == COMPLETE else f"/rate?task={self._site.signer.handle(target)}"
        return RedirectResponse(address, status_code=303)

    async def stopped(self, request: Request) -> Response:
        """Thank somebody who stops although there is more."""
        visit, rater = await self._site.rater_of(request)
        ending = await self._site.desk.read(rater, lambda people: look_at_end(people, rater, stopped=True))
        return self._site.end(ending, visit=visit)

    async def answer(self, request: Request) -> Response:
        """Log one answer, sent by the script of the page as soon as it is given."""
        visit, rater = await self._site.rater_of(request)
        sent = await read_object(request)
        self._site.door.check_form(visit, request.headers.get("x-form-token"))
        handle, dimension, text = (sent.get(name) for name in ("task", "dimension", "answer"))
        if not (isinstance(handle, str) and isinstance(dimension, str) and isinstance(text, str)):
            raise TurnedAwayError(400, "An answer names its task, its dimension and itself, as texts.")
        target = await self._find(handle)
        if dimension not in self._site.settings.dimensions:
            raise TurnedAwayError(410, NOT_ASKED)
        try:
            given = read_answer(dimension, text, self._site.settings.instrument)
        except InputError as error:
            return JSONResponse({"problem": str(error)}, status_code=422)
        seen = read_revision(sent.get("revision"))
        current = await self._site.desk.write(
            rater, lambda people: people.answer(rater, target, dimension, given.value, missing=given.missing, seen=seen)
        )
        if not given.is_current(current):
            told = {"problem": CHANGED, "changed": True, "answer": write_answer(current)}
            return JSONResponse({**told, "revision": current.revision}, status_code=409)
        return JSONResponse({"saved": True, "revision": current.revision})

    async def _find(self, handle: str) -> str:
        target = await self._site.desk.find_target(handle)
        if target is None:
            raise TurnedAwayError(404, "There is no such dialogue in this study.")
        return target

    def _save(
        self, people: People, rater: str, target: str, fields: Mapping[str, str], action: str
    ) -> tuple[Saved, tuple[str, ...]]:
        saved = save_answers(people, rater, target, fields, instrument=self._site.settings.instrument)
        if action == COMPLETE:
            saved = complete(people, saved)
        return saved, _completed(people, rater)

    def _show(self, visit: Visit, seen: _Seen, problems: Mapping[str, str] | None = None) -> Response:
        task, settings = seen.task, self._site.settings
        if task is None:
            raise TurnedAwayError(404, "There is no such dialogue in this study.")
        done = len(seen.completed)
        revised = task.state == "completed"
        number = done - seen.completed.index(task.target.id) if revised else done + 1
        questions = show_questions(task, settings.instrument, problems, show_names=settings.show_names)
        return self._site.page(
            "task",
            visit=visit,
            status=422 if problems else 200,
            task=self._site.signer.handle(task.target.id),
            who=self._site.signer.handle(f"rater:{task.rater}"),
            turns=show_turns(task.target),
            changed=CHANGED,
            questions=questions,
            answered=sum(question.answered for question in questions),
            problems=sum(bool(question.problem) for question in questions),
            revised=revised,
            more=revised and not all(question.answered for question in questions),
            number=number,
            done=done,
            most=settings.most_per_rater,
            ending=Ending(done=done, stopped=True),
        )


def _look_ahead(people: People, rater: str) -> _Seen:
    task = people.next_task(rater)
    return _Seen(task, _completed(people, rater), look_at_end(people, rater) if task is None else None)


def _completed(people: People, rater: str) -> tuple[str, ...]:
    """Return the targets of the study that a rater completed, the newest first."""
    return tuple(one.target for one in people.completions(rater))


def _give_back(people: People, rater: str, target: str) -> None:
    """Give a task back; one that was given back already, by the same button, is left as it is."""
    if people.task(rater, target).state != "given-back":
        people.give_back(rater, target)
