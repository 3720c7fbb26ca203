"""Everything that Dialgauge raises on purpose.

::

    DialgaugeError
    ├── InputError                 what a user gave cannot be used; the command ends with code 2
    │   ├── TableError             a file or its columns cannot be read as ratings
    │   ├── InstrumentError        an instrument file is wrong, or no such instrument
    │   ├── OffScaleError          a value outside the declared scale
    │   ├── DuplicateRatingsError  one rater rated one target twice and no policy says what to do
    │   ├── StudyError             a study folder, its study.toml or its targets cannot be used
    │   ├── StoreError             the database of a study cannot be opened, read or written
    │   ├── ModelError             a language model cannot be reached: no key, no weights, no such name
    │   ├── CatalogueError         a file cannot be read as a catalogue of items
    │   ├── RecommenderError       a recommender under test cannot be set up: no such module, address or catalogue
    │   └── PolicyError            a policy of uses is wrong
    ├── CallFailedError            a call to a language model brought no answer (in `dialgauge.llm`)
    ├── SystemFailedError          a recommender under test gave no proper reply (in `dialgauge.systems`)
    ├── CannotEstimateError        the data do not determine this number: a typed refusal
    └── ConsistencyError           two routes to the same number disagree: a defect of Dialgauge

A message says what is wrong, where, and what to do about it, in one line.
"""


class DialgaugeError(Exception):
    """Root of every error raised on purpose."""


class InputError(DialgaugeError):
    """What a user gave cannot be used."""


class TableError(InputError):
    """A file or its columns cannot be read as ratings."""


class InstrumentError(InputError):
    """An instrument file is wrong, or there is no such instrument."""


class OffScaleError(InputError):
    """A value lies outside the declared scale."""


class DuplicateRatingsError(InputError):
    """A rater rated a target twice, and no policy says which rating counts."""


class StudyError(InputError):
    """A study folder, its ``study.toml`` or its targets cannot be used."""


class StoreError(InputError):
    """The database of a study cannot be opened, read or written."""


class ModelError(InputError):
    """A language model cannot be reached: its key, its weights or its name is missing."""


class CatalogueError(InputError):
    """A file cannot be read as a catalogue of items."""


class RecommenderError(InputError):
    """A recommender under test cannot be set up: no such module, address or catalogue."""


class PolicyError(InputError):
    """A policy of uses is wrong."""


class CannotEstimateError(DialgaugeError):
    """The data do not determine the number that was asked for.

    ``reason`` says why, ``remedy`` says what would help; both are sentences without the final stop.
    """

    def __init__(self, reason: str, *, remedy: str) -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason = reason
        self.remedy = remedy


class ConsistencyError(DialgaugeError):
    """Two routes that theory ties together gave different numbers. Please report it."""


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra, from a package and from a clone."""
    return f"pip install 'dialgauge[{extra}]', or in a clone of Dialgauge pip install '.[{extra}]'"
