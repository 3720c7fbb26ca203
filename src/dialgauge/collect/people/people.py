"""Ask people: who gets which target, what they answered, and how far everything is."""

import hashlib
import math
import time
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from dialgauge.collect.opening import read_gone, register_dialogues
from dialgauge.collect.people.files import LONGEST_TEXT, read_codes, read_consent, read_text
from dialgauge.collect.people.order import first_for, order_questions
from dialgauge.collect.people.records import Answer, Completed, PersonProgress, TargetProgress, Task
from dialgauge.errors import InputError, OffScaleError, StudyError
from dialgauge.io.store import Store
from dialgauge.io.store.people_queue import QueueRules
from dialgauge.io.store.wanted import GivenUpError, wanted_until
from dialgauge.io.study import StudyFolder
from dialgauge.io.words import clip
from dialgauge.model import Missing
from dialgauge.model.people import DECLINED, Assignment

LONGEST_CODE = 200
"""Characters of a code."""


def open_people(
    folder: StudyFolder,
    store: Store,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    patience: float | None = None,
) -> "People":
    """Return the people of a study.

    Instrument and targets are brought into ``store`` first, as ``dialgauge rate`` does it, but without the lock of the
    study: models may rate and tables be analysed while people answer. ``now`` is the clock, which gives moments with a
    time zone. Where the database is held by another process for longer than ``patience`` (seconds; None: as long as
    ever), nothing is brought in, and what is in ``store`` is all there is. Raises StudyError where ``study.toml`` has
    no table [people] or a file of it cannot be read, and StoreError where something that was rated is not as it was
    under the same name.
    """
    settings = folder.study.people
    if settings is None:
        raise StudyError(f"the study {folder.study.name!r} has no people; add a table [people] to its study.toml")
    instructions = read_text(folder, settings.instructions, "instructions")
    consent, codes = read_consent(folder), read_codes(folder)
    without = _bring_in(folder, store, patience=patience)
    rules = QueueRules(
        per_target=settings.per_target,
        hold=timedelta(minutes=settings.reservation_minutes),
        most_per_rater=settings.most_per_rater,
        without=without,
        dimensions=folder.dimensions,
        consent=hashlib.sha256(consent.encode()).hexdigest() if consent else None,
    )
    return People(folder, store, rules, instructions=instructions, consent=consent, codes=codes, now=now)


def _bring_in(folder: StudyFolder, store: Store, *, patience: float | None) -> frozenset[str]:
    """Bring instrument and targets into ``store``; return the targets that the study has no more."""
    until = math.inf if patience is None else time.monotonic() + patience
    try:
        with wanted_until(lambda: time.monotonic() >= until):
            store.register(folder.study.model_copy(update={"raters": ()}), folder.instrument)
            return register_dialogues(folder, store)
    except GivenUpError:
        return read_gone(folder, store)


class People:
    """The people who rate the targets of one study; made by `open_people`, for use from any number of threads.

    A target is wanted from k raters (``per_target``). Somebody who is given one holds it until they complete it, give
    it back, or the reservation runs out ``reservation_minutes`` after they were given it or last answered; then
    somebody else gets it, until k have completed it. Whoever comes back late may still answer and complete: nothing
    that was answered is lost, and such a rater counts beyond k. Nobody is told what others answered, nor the system
    that speaks in a dialogue.

    Each change is one transaction, and survives a crash of the process and of the machine once its method returns.
    Methods raise InputError, of one line that may be shown to people, and StoreError where the database fails.

    Attributes
    ----------
    title
        What stands above the page: the title in [people], or the name of the study.
    instructions
        The text of the file named in [people], "" where there is none.
    consent
        The text to which people agree before they are given anything, "" where there is none.
    codes
        The codes that may enter, None where all may.
    dimensions
        The names of the dimensions that are asked.
    """

    def __init__(
        self,
        folder: StudyFolder,
        store: Store,
        rules: QueueRules,
        *,
        instructions: str,
        consent: str,
        codes: Sequence[str] | None,
        now: Callable[[], datetime],
    ) -> None:
        study = folder.study
        self.title = (study.people and study.people.title) or study.name
        self.instructions, self.consent, self.codes = instructions, consent, codes
        self._allowed = None if codes is None else {code.casefold() for code in codes}
        self._shuffle = study.people is not None and study.people.shuffle
        self._tables = store.people
        self._instrument, self._rules, self._now = folder.instrument, rules, now
        self.dimensions, self._seed = folder.dimensions, study.seed

    def enter(self, code: str) -> str:
        """Return the name of the rater who enters with ``code``: always the same for the same code.

        The first time a rater of kind "human" is made. Names (person-001, person-002, ...) count those who entered and
        tell nothing of the code. Blanks around a code do not count, and large and small letters are the same; the code
        is kept as it was first written. Raises InputError for a code that is blank, longer than 200 characters, has
        characters that cannot be printed, or is none of those that may enter.
        """
        known = _clean(code)
        if not known:
            raise InputError("the code is blank; enter the one that you were given, or any name of your own")
        if len(known) > LONGEST_CODE or not known.isprintable():
            raise InputError(f"the code {clip(known)!r} is no line of at most {LONGEST_CODE} characters; check it")
        if self._allowed is not None and known.casefold() not in self._allowed:
            raise InputError(
                f"the code {clip(known)!r} is none of those for this study; please check how it is written, or ask "
                "those who invited you"
            )
        return self._tables.enter(known, now=self._now)

    def find(self, code: str) -> str | None:
        """Return the name of the rater who entered with ``code`` before; None where nobody did."""
        return self._tables.find(_clean(code))

    def known_codes(self) -> dict[str, str]:
        """Return the code of each rater who entered, "" where it was blanked."""
        return self._tables.codes()

    def agree(self, rater: str) -> None:
        """Keep that ``rater`` agreed to the text of consent, by its SHA-256; the first moment stays."""
        if self._rules.consent is not None:
            self._tables.agree(rater, self._rules.consent, now=self._now)

    def next_task(self, rater: str) -> Task | None:
        """Return the task that ``rater`` is to do now, reserved for them; None where there is none for them now.

        It is the one that they hold (its reservation is renewed); else one that they completed and that lacks an answer
        to a dimension which the study did not ask for then: it stays completed; else one of theirs that expired and
        still lacks raters, with what they had answered; else one of the targets that the fewest raters have completed
        or hold (below k), in an order of the rater's own. Never one that they gave back. None may change later,
        when reservations of others run out; it stays None once they have done ``most_per_rater``. Raises InputError
        where nobody has entered as ``rater`` or they withdrew, and where there is a task and they have not agreed to
        the text of consent.
        """
        given = self._tables.reserve(rater, self._rules, choose=lambda names: self._choose(rater, names), now=self._now)
        return None if given is None else self._to_task(given)

    def task(self, rater: str, target: str) -> Task:
        """Return a task that ``rater`` was given: to go on with, or to revise once it is completed.

        Reserves and renews nothing. Its state may be any: what expired or was given back may still be completed. Raises
        InputError for a target that they were never given.
        """
        return self._to_task(self._tables.task(rater, target, now=self._now))

    def answer(
        self,
        rater: str,
        target: str,
        dimension: str,
        value: float | None,
        *,
        missing: Missing | None = None,
        text: str | None = None,
        seen: int | None = None,
    ) -> Answer:
        """Append one answer to the log, and return it: the current one from now on.

        ``seen`` is the revision of the answer that the rater had before them (0: none; None: do not look): where
        the current one is newer, nothing is logged, and that one is returned.

        It is a ``value`` on the scale of ``dimension``, or None with ``missing`` "refused" or "not-applicable"; blank
        ``text`` is none. An answer that is as the current one is not logged again. The reservation is renewed; one
        that ran out is taken up again where the target still lacks raters. A completed task may be revised at any time.
        Raises OffScaleError for a value off the scale, InputError for a dimension that is not asked, for another reason
        or none, for a text of more than 10,000 characters, and for a target that they were never given.
        """
        if dimension not in self.dimensions:
            asked = ", ".join(self.dimensions)
            raise InputError(f"the study does not ask for the dimension {clip(dimension)!r}; it asks for {asked}")
        remark = (text or "").strip() or None
        if remark is not None and len(remark) > LONGEST_TEXT:
            raise InputError(
                f"the remark has {len(remark):,} characters; at most {LONGEST_TEXT:,} can be kept, shorten it"
            )
        said = self._check(value, missing, f"{dimension!r} of {clip(target)!r} by {clip(rater)!r}", dimension)
        return self._tables.answer(
            rater, target, dimension, (*said, remark), rules=self._rules, now=self._now, seen=seen
        )

    def complete(self, rater: str, target: str) -> None:
        """Complete a task: its answers are ratings from now on, also as they are revised later.

        Always accepted, also after the reservation ran out and after k others; a second time changes nothing. Raises
        InputError naming the dimensions that lack an answer, and for a target that they were never given.
        """
        self._tables.complete(rater, target, dimensions=self.dimensions, now=self._now)

    def give_back(self, rater: str, target: str) -> None:
        """Give a task back, so that somebody else gets the target; ``rater`` is not given it again.

        What was answered stays in the log and is no rating. Raises InputError for a task that is completed, and for a
        target that they were never given.
        """
        self._tables.give_back(rater, target, now=self._now)

    def held(self, rater: str) -> tuple[str, ...]:
        """Return the targets that ``rater`` holds: one as a rule, more where an expired one was taken up again."""
        return self._tables.held(rater, now=self._now)

    def completed(self, rater: str) -> tuple[str, ...]:
        """Return the targets that ``rater`` completed, the newest first, also those taken out of the study since."""
        return tuple(target for target, _ in self._tables.completed(rater))

    def completions(self, rater: str) -> tuple[Completed, ...]:
        """Return the targets that ``rater`` completed with the moments of that, the newest first.

        Those that were taken out of the study have no place here.
        """
        found = self._tables.completed(rater)
        return tuple(Completed(target, at) for target, at in found if target not in self._rules.without)

    def stop(self, rater: str) -> None:
        """Let go of what ``rater`` holds, so that somebody else may get it; they go on with it when they come back."""
        self._tables.stop(rater, now=self._now)

    def given_back(self, rater: str) -> tuple[str, ...]:
        """Return the targets that ``rater`` gave back, which do not come to them again."""
        return self._tables.given_back(rater)

    def withdraw(self, rater: str) -> bool:
        """Take ``rater`` out for good, and return whether that is new.

        What they answered stays in the database and is in no table, analysis or page from now on; their places are
        free. Raises InputError where nobody has entered as ``rater``.
        """
        return self._tables.withdraw(rater, now=self._now)

    def erase_codes(self, rater: str | None = None) -> int:
        """Blank the code of ``rater``, or all codes, for good; return how many there were."""
        return self._tables.erase_codes(rater)

    def progress(self) -> tuple[TargetProgress, ...]:
        """Return how far each target is, in the order of the study; those taken out of it have no place here."""
        rows = self._tables.count_by_target(now=self._now)
        unanswered = self._tables.count_unanswered(self.dimensions)
        wanted = self._rules.per_target
        return tuple(
            TargetProgress(*row, wanted, unanswered.get(row[0], 0)) for row in rows if row[0] not in self._rules.without
        )

    def people(self) -> tuple[PersonProgress, ...]:
        """Return how far each person is, by name, which is the order in which they entered."""
        return self._tables.count_by_person(now=self._now, pause=self._rules.hold)

    def questions(self, rater: str) -> tuple[str, ...]:
        """Return the dimensions of the study in the order in which ``rater`` is asked."""
        return order_questions(self._seed, rater, self.dimensions) if self._shuffle else tuple(self.dimensions)

    def revisions(self, rater: str, target: str) -> tuple[tuple[str, Answer], ...]:
        """Return every answer that ``rater`` gave on ``target`` with its dimension, in the order in which they came."""
        return self._tables.log(rater, target)

    def _to_task(self, given: Assignment) -> Task:
        return Task(
            rater=given.rater,
            target=self._tables.dialogue(given.target).model_copy(update={"system": None}),
            dimensions=tuple(map(self._instrument.dimension, self.questions(given.rater))),
            answers=self._tables.answers(given.rater, given.target),
            state=given.state,
            expires=given.expires if given.state == "reserved" else None,
        )

    def _choose(self, rater: str, names: Sequence[str]) -> str:
        """Return the first of ``names`` in the order of ``rater``, which the seed of the study makes."""
        return first_for(self._seed, rater, names)

    def _check(
        self, value: float | None, missing: Missing | None, place: str, dimension: str
    ) -> tuple[float | None, Missing | None]:
        """Return what was answered, as it is stored; raises what `answer` does."""
        if value is None:
            if missing not in DECLINED:
                raise InputError(f"the answer to {place} has no value; give one, or say {' or '.join(DECLINED)}")
            return None, missing
        if missing is not None:
            raise InputError(f"the answer to {place} has a value and is {missing}; give one of the two")
        number = float(value)
        scale = self._instrument.scale_for(dimension)
        if not scale.contains(np.array([number]))[0]:
            raise OffScaleError(
                f"the answer to {place} is {number:g}, which is not on the scale {scale}; choose from it"
            )
        return number, None


def _clean(code: str) -> str:
    """Return a code in one form of Unicode, without the blanks around it."""
    return unicodedata.normalize("NFC", code).strip()
