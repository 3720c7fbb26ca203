"""What the page says and asks for, out of ``study.toml`` and the command."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.collect.people import People
from dialgauge.collect.web.codes import check_code
from dialgauge.errors import InputError, StudyError
from dialgauge.io.study import StudyFolder
from dialgauge.io.words import clip
from dialgauge.model import Instrument

_WRAPPED = re.compile(r"\n(?![ \t]*(?:[-*•–]|\d+[.)])[ \t])")
"""The end of a line within a paragraph, unless the next one begins an entry of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """What the page shows of a study, and how people come to it.

    ``dimensions`` are those that are asked. ``instructions`` are the paragraphs of the study's own text, ``consent``
    those of the one that people agree to. ``code_parameter`` is the part of the address that may bear the code,
    ``completion_code`` what a person is shown who completed ``least_per_rater`` dialogues, or all there are for them,
    ``no_task_code`` one for whom there was none (an address becomes a button). ``most_per_rater`` is how many dialogues
    one person may complete, None where there is no limit. With ``show_names`` the names of dimensions stand above their
    questions.
    """

    title: str
    instrument: Instrument
    dimensions: tuple[str, ...]
    instructions: tuple[str, ...] = ()
    consent: tuple[str, ...] = ()
    most_per_rater: int | None = None
    least_per_rater: int | None = None
    reservation_minutes: float = 30.0
    code_parameter: str = "code"
    completion_code: str | None = None
    no_task_code: str | None = None
    show_names: bool = False


def make_settings(
    folder: StudyFolder,
    people: People,
    *,
    code_parameter: str | None = None,
    completion_code: str | None = None,
    no_task_code: str | None = None,
) -> PageSettings:
    """Return the settings of the page of a study: those that are given, else those of its table [people].

    Raises StudyError where ``study.toml`` has no such table, or a code that may enter could not be typed on the page.
    """
    asked = folder.study.people
    if asked is None:
        raise StudyError(f"the study {folder.study.name!r} has no people; add a table [people] to its study.toml")
    _check_codes(people.codes or ())
    return PageSettings(
        title=people.title,
        instrument=folder.instrument,
        dimensions=tuple(people.dimensions),
        instructions=_split(people.instructions),
        consent=_split(people.consent),
        most_per_rater=asked.most_per_rater,
        least_per_rater=asked.least_per_rater,
        reservation_minutes=asked.reservation_minutes,
        code_parameter=code_parameter or asked.code_parameter,
        completion_code=(completion_code or asked.completion_code or "").strip() or None,
        no_task_code=(no_task_code or asked.no_task_code or "").strip() or None,
        show_names=asked.show_names,
    )


def _split(text: str) -> tuple[str, ...]:
    """Return the paragraphs of a text, each in one line but for the entries of lists."""
    parts = text.replace("\r\n", "\n").split("\n\n")
    return tuple(_WRAPPED.sub(" ", part.strip()) for part in parts if part.strip())


def _check_codes(codes: Sequence[str]) -> None:
    """Raise StudyError where a code that may enter is none that the page takes."""
    for code in codes:
        try:
            check_code(code)
        except InputError as error:
            raise StudyError(f"the code {clip(code)!r} of [people] codes could never enter: {error}") from None
