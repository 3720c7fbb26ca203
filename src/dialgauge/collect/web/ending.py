"""What somebody is shown who has nothing to rate, or stops: thanks, a code, and whether more may come."""

from dataclasses import dataclass

from dialgauge.collect.people import People
from dialgauge.collect.web.settings import PageSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How it stands for one person.

    ``done`` counts the dialogues that they completed. ``may_come`` says whether a dialogue that others hold may still
    become theirs, ``stopped`` whether they stopped although there is more, ``gave_back`` whether they gave some back.
    """

    done: int
    may_come: bool = False
    stopped: bool = False
    gave_back: bool = False

    def waits(self, settings: PageSettings) -> bool:
        """Whether it is worth looking again."""
        full = settings.most_per_rater is not None and self.done >= settings.most_per_rater
        return self.may_come and not self.stopped and not full

    def code(self, settings: PageSettings) -> str | None:
        """Return the code that they are shown: of completion, or that there was nothing for them.

        That of completion is due from ``least_per_rater`` dialogues on, and where there is nothing more for somebody
        who completed one; with a least number, not if they gave others back.
        """
        if not self.done:
            return None if self.stopped or self.gave_back else settings.no_task_code
        least = settings.least_per_rater
        enough = least is not None and self.done >= least
        all_there_is = not self.stopped and (least is None or not self.gave_back)
        return settings.completion_code if enough or all_there_is else None


def look_at_end(people: People, rater: str, *, stopped: bool = False) -> Ending:
    """Return how it stands for a rater who has nothing to rate, or stopped."""
    completed, given_back = people.completed(rater), people.given_back(rater)
    had = {*completed, *given_back}
    may_come = any(
        one.completed < one.wanted <= one.completed + one.reserved and one.target not in had
        for one in people.progress()
    )
    return Ending(done=len(completed), may_come=may_come, stopped=stopped, gave_back=bool(given_back))


def is_finished(people: People) -> bool:
    """Whether all dialogues have all their raters, and answers to all questions from each."""
    return all(one.completed >= one.wanted and not one.unanswered for one in people.progress())
