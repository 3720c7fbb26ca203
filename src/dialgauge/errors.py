"""Everything that Dialgauge raises on purpose.

::

    DialgaugeError
    ├── InputError                 what a user gave cannot be used; the command ends with code 2
    │   ├── TableError             a file or its columns cannot be read as ratings
    │   ├── InstrumentError        an instrument file is wrong, or no such instrument
    │   ├── OffScaleError          a value outside the declared scale
    │   └── DuplicateRatingsError  one rater rated one target twice and no policy says what to do
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
