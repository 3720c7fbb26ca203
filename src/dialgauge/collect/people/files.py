"""The texts of a study that people are shown, and the codes that may enter."""

from dialgauge.errors import StudyError
from dialgauge.io.study import StudyFolder
from dialgauge.io.words import clip, count

LONGEST_TEXT = 10_000
"""Characters of a remark, of instructions and of a text of consent."""

LONGEST_LIST = 10_000_000
"""Characters of a list of codes."""


def read_text(folder: StudyFolder, name: str | None, what: str, *, longest: int = LONGEST_TEXT) -> str:
    """Return the text of a file beside ``study.toml``, "" where none is named.

    Raises StudyError where it cannot be read, is no UTF-8, or is longer than allowed; ``what`` says what it is.
    """
    if name is None:
        return ""
    path = folder.root / name
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        msg = f"the {what} {path} are not UTF-8 text; save them as UTF-8"
        raise StudyError(msg) from None
    except OSError as error:
        msg = f"the {what} {path} cannot be read ({error.strerror}); write them, or correct [people]"
        raise StudyError(msg) from None
    if len(text) > longest:
        msg = f"the {what} {path} have {len(text):,} characters; shorten them to {longest:,}"
        raise StudyError(msg)
    return text


def read_consent(folder: StudyFolder) -> str:
    """Return the text to which people agree, "" where none is named; StudyError where it is empty."""
    name = None if folder.study.people is None else folder.study.people.consent
    text = read_text(folder, name, "words of consent in")
    if name is not None and not text:
        msg = f"{folder.root / name} is empty, so that there is nothing to agree to; write it, or correct [people]"
        raise StudyError(msg)
    return text


def read_codes(folder: StudyFolder) -> tuple[str, ...] | None:
    """Return the codes that may enter, None where all may; StudyError where one is there twice, or none at all."""
    name = None if folder.study.people is None else folder.study.people.codes
    if name is None:
        return None
    lines = read_text(folder, name, "codes in", longest=LONGEST_LIST).splitlines()
    codes = [line.strip() for line in lines if line.strip()]
    if not codes:
        msg = f"{folder.root / name} has no codes, so that nobody could enter; write one a line, or correct [people]"
        raise StudyError(msg)
    seen: set[str] = set()
    for code in codes:
        if code.casefold() in seen:
            msg = f"{folder.root / name} has the code {clip(code)!r} twice among its {count(len(codes), 'code')}"
            raise StudyError(f"{msg} (large and small letters are the same); take one out")
        seen.add(code.casefold())
    return tuple(codes)
