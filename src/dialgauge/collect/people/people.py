"""Ask people: who gets which target, what they answered, and how far everything is."""

import hashlib
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from dialgauge.collect.opening import register_dialogues
from dialgauge.collect.people.records import Answer, PersonProgress, TargetProgress, Task
from dialgauge.errors import InputError, OffScaleError, StudyError
from dialgauge.io.store import Store
from dialgauge.io.store.people import QueueRules
from dialgauge.io.study import StudyFolder
from dialgauge.io.words import clip
from dialgauge.model import Missing
from dialgauge.model.people import DECLINED, Assignment

LONGEST_CODE = 200
"""Characters of a code."""

LONGEST_TEXT = 10_000
"""Characters of a remark, and of instructions."""


def open_people(
    folder: StudyFolder, store: Store, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> "People":
    """Return the people of a study.

    Instrument and targets are brought into ``store`` first, as ``dialgauge rate`` does it, but without the lock of the
    study: models may rate and tables be analysed while people answer. ``now`` is the clock, which gives moments with a
    time zone. Raises StudyError where ``study.toml`` has no table [people] or its instructions cannot be read, and
    StoreError where something that was rated is not as it was under the same name.
    """
    settings = folder.study.people
    if settings is None:
        raise StudyError(f"the study {folder.study.name!r} has no people; add a table [people] to its study.toml")
    instructions = _read_instructions(folder)
    store.register(folder.study.model_copy(update={"raters": ()}), folder.instrument)
    rules = QueueRules(
        per_target=settings.per_target,
        hold=timedelta(minutes=settings.reservation_minutes),
        most_per_rater=settings.most_per_rater,
        without=register_dialogues(folder, store),
    )
    return People(folder, store, rules, instructions=instructions, now=now)


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
    """

    def __init__(
        self, folder: StudyFolder, store: Store, rules: QueueRules, *, instructions: str, now: Callable[[], datetime]
    ) -> None:
        study = folder.study
        self.title = (study.people and study.people.title) or study.name
        self.instructions = instructions
        self._tables = store.people
        self._instrument, self._rules, self._now = folder.instrument, rules, now
        self._dimensions, self._seed = folder.dimensions, study.seed

    def enter(self, code: str) -> str:
        """Return the name of the rater who enters with ``code``: always the same for the same code.

        The first time a rater of kind "human" is made. Names (person-001, person-002, ...) count those who entered and
        tell nothing of the code. Blanks around a code do not count; large and small letters differ. Raises InputError
        for a code that is blank, longer than 200 characters, or has characters that cannot be printed.
        """
        known = unicodedata.normalize("NFC", code).strip()
        if not known:
            raise InputError("the code is blank; enter the one that you were given, or any name of your own")
        if len(known) > LONGEST_CODE or not known.isprintable():
            raise InputError(f"the code {clip(known)!r} is no line of at most {LONGEST_CODE} characters; check it")
        return self._tables.enter(known, now=self._now)

    def next_task(self, rater: str) -> Task | None:
        """Return the task that ``rater`` is to do now, reserved for them; None where there is none for them now.

        It is the one that they hold (its reservation is renewed); else one of theirs that expired and still lacks
        raters, with what they had answered; else one of the targets that the fewest raters have completed or hold
        (below k), in an order of the rater's own. Never one that they completed or gave back. None may change later,
        when reservations of others run out; it stays None once they have done ``most_per_rater``. Raises InputError
        where nobody has entered as ``rater``.
        """
        given = self._tables.reserve(rater, self._rules, choose=lambda names: self._choose(rater, names), now=self._now)
        return None if given is None else self._to_task(given)

    def task(self, rater: str, target: str) -> Task:
        """Return a task that ``rater`` was given: to go on with, or to revise once it is completed.

        Reserves and renews nothing. Its state may be any: what expired or was given back may still be completed. Raises
        InputError for a target that they were never given.
        """
        return self._to_task(self._tables.find(rater, target, now=self._now))

    def answer(
        self,
        rater: str,
        target: str,
        dimension: str,
        value: float | None,
        *,
        missing: Missing | None = None,
        text: str | None = None,
    ) -> Answer:
        """Append one answer to the log, and return it: the current one from now on.

        It is a ``value`` on the scale of ``dimension``, or None with ``missing`` "refused" or "not-applicable"; blank
        ``text`` is none. An answer that is as the current one is not logged again. The reservation is renewed; one
        that ran out is taken up again where the target still lacks raters. A completed task may be revised at any time.
        Raises OffScaleError for a value off the scale, InputError for a dimension that is not asked, for another reason
        or none, for a text of more than 10,000 characters, and for a target that they were never given.
        """
        if dimension not in self._dimensions:
            asked = ", ".join(self._dimensions)
            raise InputError(f"the study does not ask for the dimension {clip(dimension)!r}; it asks for {asked}")
        remark = (text or "").strip() or None
        if remark is not None and len(remark) > LONGEST_TEXT:
            raise InputError(
                f"the remark has {len(remark):,} characters; at most {LONGEST_TEXT:,} can be kept, shorten it"
            )
        said = self._check(value, missing, f"{dimension!r} of {clip(target)!r} by {clip(rater)!r}", dimension)
        return self._tables.answer(rater, target, dimension, (*said, remark), rules=self._rules, now=self._now)

    def complete(self, rater: str, target: str) -> None:
        """Complete a task: its answers are ratings from now on, also as they are revised later.

        Always accepted, also after the reservation ran out and after k others; a second time changes nothing. Raises
        InputError naming the dimensions that lack an answer, and for a target that they were never given.
        """
        self._tables.complete(rater, target, dimensions=self._dimensions, now=self._now)

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
        """Return the targets that ``rater`` completed, the newest first."""
        return self._tables.completed(rater)

    def progress(self) -> tuple[TargetProgress, ...]:
        """Return how far each target is, in the order of the study; those taken out of it have no place here."""
        rows = self._tables.count_by_target(now=self._now)
        wanted = self._rules.per_target
        return tuple(TargetProgress(*row, wanted) for row in rows if row[0] not in self._rules.without)

    def people(self) -> tuple[PersonProgress, ...]:
        """Return how far each person is, in the order in which they entered."""
        return tuple(PersonProgress(*row) for row in self._tables.count_by_person(now=self._now))

    def revisions(self, rater: str, target: str) -> tuple[tuple[str, Answer], ...]:
        """Return every answer that ``rater`` gave on ``target`` with its dimension, in the order in which they came."""
        return self._tables.log(rater, target)

    def _to_task(self, given: Assignment) -> Task:
        return Task(
            rater=given.rater,
            target=self._tables.dialogue(given.target).model_copy(update={"system": None}),
            dimensions=tuple(map(self._instrument.dimension, self._dimensions)),
            answers=self._tables.answers(given.rater, given.target),
            state=given.state,
            expires=given.expires if given.state == "reserved" else None,
        )

    def _choose(self, rater: str, names: Sequence[str]) -> str:
        """Return the first of ``names`` in the order of ``rater``, which the seed of the study makes."""
        return min(names, key=lambda name: hashlib.sha256(f"{self._seed}\x1f{rater}\x1f{name}".encode()).digest())

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


def _read_instructions(folder: StudyFolder) -> str:
    """Return the text of the file of instructions, "" where none is named."""
    name = None if folder.study.people is None else folder.study.people.instructions
    if name is None:
        return ""
    path = folder.root / name
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        msg = f"the instructions {path} are not UTF-8 text; save them as UTF-8"
        raise StudyError(msg) from None
    except OSError as error:
        msg = f"the instructions {path} cannot be read ({error.strerror}); write them, or correct [people]"
        raise StudyError(msg) from None
    if len(text) > LONGEST_TEXT:
        msg = f"the instructions {path} have {len(text):,} characters; shorten them to {LONGEST_TEXT:,}"
        raise StudyError(msg)
    return text
