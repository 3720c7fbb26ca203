"""What a caller asks for when ratings are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, Unpack, get_args

from dialgauge.errors import InputError
from dialgauge.instruments import load_instrument
from dialgauge.io.words import clip
from dialgauge.model import Instrument, Scale

DuplicatePolicy = Literal["error", "first", "last", "mean", "replicate"]

OffScalePolicy = Literal["error", "missing"]


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `read_ratings`, with instrument and scale loaded and lists split."""

    target: str | None = None
    rater: str | None = None
    value: str | None = None
    dimension: str | None = None
    replicate: str | None = None
    instrument: Instrument | None = None
    scale: Scale | None = None
    where: str | None = None
    duplicates: DuplicatePolicy = "error"
    labels: tuple[str, ...] | None = None
    dimensions: tuple[str, ...] | None = None
    off_scale: OffScalePolicy = "error"

    def __post_init__(self) -> None:
        if self.off_scale not in get_args(OffScalePolicy):
            msg = f"off_scale is one of {', '.join(get_args(OffScalePolicy))}, got {clip(str(self.off_scale))!r}"
            raise InputError(msg)
        if self.duplicates not in get_args(DuplicatePolicy):
            msg = f"duplicates is one of {', '.join(get_args(DuplicatePolicy))}, got {clip(str(self.duplicates))!r}"
            raise InputError(msg)

    @property
    def declares_scale(self) -> bool:
        """Whether instrument, scale or labels say how the ratings were given."""
        return self.instrument is not None or self.scale is not None or self.labels is not None

    def scale_for(self, dimension: str) -> Scale:
        """Return the scale of ``dimension``: the one given, else the instrument's, else that of the labels."""
        base = self.scale
        if base is None and self.instrument is not None:
            base = self.instrument.scale_for(dimension)
        if base is None:
            return Scale.from_labels(self.labels or ())
        return base if self.labels is None else base.with_labels(self.labels)


class ReadOptions(TypedDict, total=False):
    """The options of `read_ratings` as they are given."""

    target: str | None
    rater: str | None
    value: str | None
    dimension: str | None
    replicate: str | None
    instrument: Instrument | str | Path | None
    scale: Scale | str | None
    where: str | None
    duplicates: DuplicatePolicy
    labels: str | Sequence[str] | None
    dimensions: str | Sequence[str] | None
    off_scale: OffScalePolicy


def make_request(**options: Unpack[ReadOptions]) -> Request:
    """Load the instrument, read the scale and split the lists of ``options``."""
    instrument, scale = options.get("instrument"), options.get("scale")
    for what, given, kinds, example in (
        ("scale", scale, (str, Scale), "'1:5'"),
        ("instrument", instrument, (str, Path, Instrument), "'crs-que'"),
        ("labels", options.get("labels"), (str, Sequence), "'bad,fair,good'"),
        ("dimensions", options.get("dimensions"), (str, Sequence), "'accuracy,novelty'"),
    ):
        if given is not None and not isinstance(given, kinds):
            raise InputError(
                f"{what} is {clip(repr(given))}, and cannot be read; write it as a text, such as {example}"
            )
    return Request(
        target=options.get("target"),
        rater=options.get("rater"),
        value=options.get("value"),
        dimension=options.get("dimension"),
        replicate=options.get("replicate"),
        instrument=load_instrument(instrument) if isinstance(instrument, str | Path) else instrument,
        scale=Scale.parse(scale) if isinstance(scale, str) else scale,
        where=options.get("where"),
        duplicates=options.get("duplicates", "error"),
        labels=_split_names(options.get("labels")),
        dimensions=_split_names(options.get("dimensions")),
        off_scale=options.get("off_scale", "error"),
    )


def _split_names(given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Split a comma-separated text; a sequence stays as it is. InputError when nothing is in it."""
    if given is None:
        return None
    names = tuple(part.strip() for part in given.split(",")) if isinstance(given, str) else tuple(given)
    if not names or not all(names):
        msg = f"a list of names has an empty entry: {clip(str(given))!r}; write it with commas, such as bad,fair,good"
        raise InputError(msg)
    return names
