"""A conversation, turn by turn: what is rated."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from dialgauge.model.instrument import Name


class Turn(BaseModel):
    """One utterance: who speaks ("user", "system", or another name), the words, and when (seconds from the start)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    speaker: Name
    text: str
    start: float | None = Field(default=None, ge=0.0)
    end: float | None = Field(default=None, ge=0.0)

    @model_validator(mode="after")
    def _check_times(self) -> Self:
        if self.start is not None and self.end is not None and self.end < self.start:
            msg = f"a turn ends after it starts, got {self.start:g} to {self.end:g} s"
            raise ValueError(msg)
        return self


class Dialogue(BaseModel):
    """A whole conversation or a segment of one, as it is put before raters.

    ``id`` names it as a target of ratings. ``audio`` is the path of a .wav file of the same segment, for raters that
    listen, ``audio_sha256`` what was in it when the dialogue was first put before one. ``system`` names the system that
    spoke in it; raters are never told. What is None of these two is not written, so that what is made from the content
    of a dialogue stays the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Name
    turns: tuple[Turn, ...] = Field(min_length=1)
    audio: str | None = None
    audio_sha256: str | None = None
    system: Name | None = None

    @model_serializer(mode="wrap")
    def _leave_out_unknown(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        content: dict[str, object] = write(self)
        for name in ("system", "audio_sha256"):
            if content.get(name) is None:
                content.pop(name, None)
        return content
