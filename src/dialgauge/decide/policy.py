"""A policy: which uses there are, and what each asks of a score."""

import hashlib
import json
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from dialgauge.model.instrument import Name

Kind = Literal["real-time", "per-target", "compare-systems", "descriptive"]
"""One rating decides at once; the score of a target; the mean over the targets of a system; description only."""

Coefficient = Literal["single", "mean", "systems"]
"""The reliability of one rating, of a mean of raters or replicates, of means over the targets of a system."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Requirement(_Table):
    """What is asked of a score.

    ``threshold`` is what the lower limit of the coefficient's interval must reach, ``minimum_targets`` the least number
    of targets that were rated, ``most_missing`` the largest share of ratings that may be missing.
    """

    threshold: float = Field(gt=0.0, lt=1.0)
    minimum_targets: int = Field(ge=2)
    most_missing: float = Field(ge=0.0, le=1.0)


class Override(_Table):
    """What is asked of some dimensions instead; what is left out stays as it is for the use."""

    dimensions: tuple[Name, ...] = ()
    groups: tuple[Name, ...] = ()
    threshold: float | None = Field(default=None, gt=0.0, lt=1.0)
    minimum_targets: int | None = Field(default=None, ge=2)
    most_missing: float | None = Field(default=None, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _check_some(self) -> Self:
        if not (self.dimensions or self.groups):
            msg = "an override names dimensions or groups; add dimensions = [...] or groups = [...]"
            raise ValueError(msg)
        if self.threshold is None and self.minimum_targets is None and self.most_missing is None:
            msg = "an override changes nothing; give threshold, minimum_targets or most_missing"
            raise ValueError(msg)
        return self

    def applies(self, dimension: str, group: str) -> bool:
        """Tell whether it is about ``dimension``, which belongs to ``group`` ("" for none)."""
        return dimension in self.dimensions or (bool(group) and group in self.groups)


class Use(Requirement):
    """One use with what it asks for.

    ``k`` is the number of raters or replicates that a score averages over (None: as many as were collected), ``most_k``
    the largest number that may be suggested instead. ``most_more`` is the largest number of further targets or ratings
    that may be suggested. A gate passes with "average k raters" only where ``average_passes``. Of several ``overrides``
    for a dimension the last counts, key by key.
    """

    name: Name
    kind: Kind
    coefficient: Coefficient
    k: int | None = Field(default=None, ge=1, le=1000)
    most_k: int = Field(default=1, ge=1, le=1000)
    most_more: int = Field(default=1000, ge=1)
    average_passes: bool = False
    overrides: tuple[Override, ...] = ()

    @model_validator(mode="after")
    def _check_fit(self) -> Self:
        if (self.kind == "compare-systems") != (self.coefficient == "systems"):
            msg = f"the coefficient {self.coefficient!r} does not fit the kind {self.kind!r}; systems go together only"
            raise ValueError(msg)
        if self.kind == "real-time" and self.coefficient != "single" and self.k is None:
            msg = (
                "real-time use rests on one rating, or on a mean of k that is stated; set coefficient = 'single', or k"
            )
            raise ValueError(msg)
        if self.k is not None and self.coefficient != "mean":
            msg = f"k is for the coefficient 'mean', and this is {self.coefficient!r}; leave one of the two out"
            raise ValueError(msg)
        return self

    def requirement_for(self, dimension: str, group: str) -> Requirement:
        """Return what is asked of ``dimension``, which belongs to ``group`` ("" for none)."""
        found = {name: getattr(self, name) for name in Requirement.model_fields}
        for override in self.overrides:
            if override.applies(dimension, group):
                changes = override.model_dump(include=set(found), exclude_none=True)
                found.update(changes)
        return Requirement(**found)


class Policy(_Table):
    """Uses with a name and a version; ``level`` is the confidence level of all intervals."""

    name: Name
    version: Name
    level: float = Field(default=0.95, gt=0.5, lt=1.0)
    uses: tuple[Use, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [use.name for use in self.uses]
        doubled = [name for i, name in enumerate(names) if name in names[:i]]
        if doubled:
            msg = f"the use {doubled[0]!r} is there twice; each needs a name of its own"
            raise ValueError(msg)
        return self

    @property
    def hash(self) -> str:
        """SHA-256 of the content, 64 hexadecimal digits: two policies with one hash decide alike."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
