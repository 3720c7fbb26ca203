"""What is measured: dimensions, the questions that are put for them, and the instrument that holds them."""

from difflib import get_close_matches
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from dialgauge.errors import InstrumentError
from dialgauge.model.scale import Scale

Name = Annotated[str, StringConstraints(min_length=1, pattern=r"^\S(.*\S)?$")]
"""A text without blanks around it and without line breaks."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(_Record):
    """A prompt that is answered on the scale of its dimension."""

    text: Name


class Dimension(_Record):
    """A construct that is scored from its questions.

    ``name`` is the identifier in columns and options, ``title`` the words for people, ``group`` the family of
    constructs it belongs to. ``rubric`` tells a rater what the values mean. Without a ``scale`` of its own it is
    answered on that of its instrument.
    """

    name: Name
    title: Name
    group: str = ""
    definition: str = ""
    rubric: str = ""
    questions: tuple[Question, ...] = ()
    scale: Scale | None = None


class Instrument(_Record):
    """A named and versioned set of dimensions; two instruments are equal when their contents are."""

    name: Name
    version: Name
    title: Name
    source: str = ""
    scale: Scale | None = None
    dimensions: tuple[Dimension, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_dimensions(self) -> Self:
        names = self.dimension_names
        doubled = [name for i, name in enumerate(names) if name in names[:i]]
        if doubled:
            msg = f"the dimension {doubled[0]!r} is defined twice; give one of the two another name"
            raise ValueError(msg)
        bare = [dimension.name for dimension in self.dimensions if dimension.scale is None]
        if self.scale is None and bare:
            msg = f"the dimension {bare[0]!r} has no scale; add a [scale] table to the instrument or to the dimension"
            raise ValueError(msg)
        return self

    @property
    def dimension_names(self) -> tuple[str, ...]:
        """The names of the dimensions in their declared order."""
        return tuple(dimension.name for dimension in self.dimensions)

    def dimension(self, name: str) -> Dimension:
        """Return the dimension called ``name``; InstrumentError when there is none."""
        for dimension in self.dimensions:
            if dimension.name == name:
                return dimension
        near = get_close_matches(name, self.dimension_names, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(self.dimension_names)}"
        msg = f"instrument {self.name!r} has no dimension {name!r}; {remedy}"
        raise InstrumentError(msg)

    def scale_for(self, dimension: str | Dimension) -> Scale:
        """Return the scale on which ``dimension`` (a name, or the record) is answered."""
        record = self.dimension(dimension) if isinstance(dimension, str) else dimension
        scale = record.scale or self.scale
        if scale is None:
            msg = f"the dimension {record.name!r} has no scale in instrument {self.name!r}; declare one"
            raise InstrumentError(msg)
        return scale
