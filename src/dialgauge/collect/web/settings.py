"""What the page says and asks for, out of ``study.toml`` and the command."""

import re
from dataclasses import dataclass

from dialgauge.collect.people import People
from dialgauge.errors import StudyError
from dialgauge.io.study import StudyFolder
from dialgauge.model import Instrument

_WRAPPED = re.compile(r"\n(?![ \t]*(?:[-*•–]|\d+[.)])[ \t])")
"""The end of a line within a paragraph, unless the next one begins an entry of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """What the page shows of a study, and how people come to it.

    ``instructions`` are the paragraphs of the study's own text. ``code_parameter`` is the part of the address that may
    bear the code, ``completion_code`` what a person is shown who has done all there is (an address becomes a link).
    ``most_per_rater`` is how many dialogues one person may complete, None where there is no limit.
    """

    title: str
    instrument: Instrument
    instructions: tuple[str, ...] = ()
    most_per_rater: int | None = None
    reservation_minutes: float = 30.0
    code_parameter: str = "code"
    completion_code: str | None = None


def make_settings(
    folder: StudyFolder, people: People, *, code_parameter: str = "code", completion_code: str | None = None
) -> PageSettings:
    """Return the settings of the page of a study; StudyError where its ``study.toml`` has no table [people]."""
    asked = folder.study.people
    if asked is None:
        raise StudyError(f"the study {folder.study.name!r} has no people; add a table [people] to its study.toml")
    paragraphs = people.instructions.replace("\r\n", "\n").split("\n\n")
    return PageSettings(
        title=people.title,
        instrument=folder.instrument,
        instructions=tuple(_WRAPPED.sub(" ", part.strip()) for part in paragraphs if part.strip()),
        most_per_rater=asked.most_per_rater,
        reservation_minutes=asked.reservation_minutes,
        code_parameter=code_parameter,
        completion_code=completion_code,
    )
