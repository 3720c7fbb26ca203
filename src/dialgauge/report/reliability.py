"""The door of the library: ratings in, a report on their reliability out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import narwhals as nw

from dialgauge.analyse.reliability import analyse_reliability
from dialgauge.analyse.results import DimensionReliability, RefusedDimension, Reliability
from dialgauge.io import DuplicatePolicy, from_frame, read_ratings
from dialgauge.model import Instrument, Scale
from dialgauge.report.files import write_whole
from dialgauge.report.latex import to_latex
from dialgauge.report.page import render_notebook, render_page
from dialgauge.report.record import to_csv, to_dict, to_frame, to_json
from dialgauge.report.terminal import render
from dialgauge.stats.design import Design
from dialgauge.stats.reml.intervals import IntervalMethod

Backend = Literal["polars", "pandas", "pyarrow", "modin", "cudf"]


@dataclass(frozen=True, slots=True)
class ReliabilityReport:
    """The reliability of every dimension, ready to be printed, saved or passed on.

    ``analysis`` holds the numbers; ``backend`` is the kind of frame that `to_frame` returns.
    """

    analysis: Reliability
    backend: Backend = "polars"

    @property
    def design(self) -> Design:
        """Who rated what, in numbers."""
        return self.analysis.design

    @property
    def dimensions(self) -> Sequence[DimensionReliability]:
        """The dimensions that could be estimated, the most reliable first."""
        return self.analysis.dimensions

    @property
    def refused(self) -> Sequence[RefusedDimension]:
        """The dimensions that could not be estimated, with reason and remedy."""
        return self.analysis.refused

    @property
    def findings(self) -> Sequence[str]:
        """The sentences that change what one may conclude; those of one dimension stand with it."""
        return self.analysis.findings

    @property
    def notes(self) -> Sequence[str]:
        """How the ratings were read: what was guessed, filtered or left out."""
        return self.analysis.notes

    def to_frame(self) -> Any:  # noqa: ANN401 (the frame of the caller's library)
        """Return a row per dimension, the refused ones last, as a frame of the kind that the ratings came in.

        Ratings from a file give a Polars frame. Columns that a dimension lacks are null.
        """
        frame = to_frame(self.analysis)
        if self.backend == "polars":
            return frame
        schema = dict(nw.from_native(frame).schema)
        if self.backend != "pyarrow":  # whole numbers of pandas and its kin cannot be missing
            holes = [name for name, dtype in schema.items() if dtype.is_integer() and frame[name].null_count()]
            schema |= dict.fromkeys(holes, nw.Float64())
        return nw.from_dict(frame.to_dict(as_series=False), schema, backend=self.backend).to_native()

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain dicts, lists, texts and numbers, without NaN."""
        return to_dict(self.analysis)

    def to_json(self) -> str:
        """Return `to_dict` as strict JSON."""
        return to_json(self.analysis)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return the table as LaTeX (it needs booktabs), and write it to ``path`` if one is given."""
        text = to_latex(self.analysis)
        if path is not None:
            write_whole(path, text)
        return text

    def to_csv(self, path: str | Path) -> None:
        """Write `to_frame` as CSV. Raises InputError where it cannot be written."""
        write_whole(path, to_csv(self.analysis))

    def save_html(self, path: str | Path) -> None:
        """Write the page, one HTML file that needs no network. Raises InputError where it cannot be written."""
        write_whole(path, render_page(self.analysis))

    def __str__(self) -> str:
        return render(self.analysis).rstrip("\n")

    def _repr_html_(self) -> str:
        return render_notebook(self.analysis)


def reliability(  # noqa: PLR0913 (the options of the command, one by one)
    ratings: Any,  # noqa: ANN401 (any library's frame, or a path)
    *,
    target: str | None = None,
    rater: str | None = None,
    value: str | None = None,
    dimension: str | None = None,
    replicate: str | None = None,
    instrument: Instrument | str | Path | None = None,
    scale: Scale | str | None = None,
    where: str | None = None,
    duplicates: DuplicatePolicy = "error",
    labels: str | Sequence[str] | None = None,
    dimensions: str | Sequence[str] | None = None,
    k: float | None = None,
    level: float = 0.95,
    interval: IntervalMethod = "profile",
    ordinal: bool = False,
    seed: int = 0,
) -> ReliabilityReport:
    """Compute the reliability of every dimension of ``ratings``.

    ``ratings`` is the path of a CSV, TSV, JSON lines or Parquet file, an eager data frame that Narwhals knows (Polars,
    pandas, PyArrow and others), or a list of dicts; in long form (``value``, and perhaps ``dimension``, name columns)
    or in wide form (one column per dimension). ``target``, ``rater`` and ``replicate`` name columns, and well-known
    names are guessed. The scale is declared: by ``instrument`` (a name or a TOML file), by ``scale`` (``"1:5"``) or by
    ``labels`` (words, lowest first). ``where`` keeps the rows for which a condition is true; ``duplicates`` says what
    to do when a rater rated a target twice (error, first, last, mean, replicate); ``dimensions`` chooses among them.

    ``k`` is the number of raters that the k forms average over (> 0; by default the harmonic mean of raters per
    target), ``level`` the confidence level in (0, 1), ``interval`` the method for the intervals of the reliabilities
    (profile, wald, or bootstrap under ``seed``); ``ordinal`` sets an ordinal model beside REML. A dimension that
    cannot be estimated is refused with its reason.

    Raises InputError (TableError, InstrumentError, OffScaleError, DuplicateRatingsError) for what cannot be used.
    """
    read = read_ratings if isinstance(ratings, str | Path) else from_frame
    rated = read(
        ratings,
        target=target,
        rater=rater,
        value=value,
        dimension=dimension,
        replicate=replicate,
        instrument=instrument,
        scale=scale,
        where=where,
        duplicates=duplicates,
        labels=labels,
        dimensions=dimensions,
    )
    analysis = analyse_reliability(rated, k=k, level=level, interval=interval, ordinal=ordinal, seed=seed)
    return ReliabilityReport(analysis, backend=_backend_of(ratings))


def _backend_of(ratings: Any) -> Backend:  # noqa: ANN401 (any library's frame, or a path)
    """Return the kind of frame that results leave in."""
    frame = nw.from_native(ratings, pass_through=True, eager_only=True)
    return cast("Backend", frame.implementation.value) if isinstance(frame, nw.DataFrame) else "polars"
