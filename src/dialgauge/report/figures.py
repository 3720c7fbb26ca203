"""Figures with the words that belong to them, drawn and saved."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import vl_convert

from dialgauge.analyse.results import DimensionReliability, Reliability
from dialgauge.errors import InputError
from dialgauge.report.average import equate_k
from dialgauge.report.charts import draw_forest, draw_raters, draw_variance
from dialgauge.report.files import write_whole
from dialgauge.report.numerals import decimal, percent
from dialgauge.report.svg import finish_svg
from dialgauge.report.text import clean
from dialgauge.report.theme import pick_drawn, say_undrawn

FigureName = Literal["forest", "variance", "raters"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with the words that belong to it; ``description`` is for those who cannot see it."""

    name: str
    title: str
    description: str
    svg: str


_DRAWERS: Mapping[FigureName, Callable[[Reliability], str]] = {
    "forest": draw_forest,
    "variance": draw_variance,
    "raters": draw_raters,
}


def draw_all(analysis: Reliability) -> tuple[Figure, ...]:
    """Return every figure; none where no dimension could be estimated."""
    if not analysis.dimensions:
        return ()
    return tuple(draw(analysis, name) for name in _DRAWERS)


def draw(analysis: Reliability, name: FigureName) -> Figure:
    """Return the figure called ``name`` with its words."""
    title, description = _describe(analysis, name)
    description = " ".join([description, say_undrawn(len(analysis.dimensions))]).rstrip()
    drawn = replace(analysis, dimensions=pick_drawn(analysis.dimensions))
    svg = finish_svg(_DRAWERS[name](drawn), name=f"figure-{name}", title=title, description=description)
    return Figure(name=name, title=title, description=description, svg=svg)


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write ``figure`` as SVG, PNG (twice the size in pixels) or PDF, by the suffix of ``path``.

    Raises InputError for another suffix or a place that cannot be written.
    """
    path = Path(path)
    match path.suffix.lower():
        case ".svg":
            content: str | bytes = figure.svg
        case ".png":
            content = vl_convert.svg_to_png(figure.svg, scale=2)
        case ".pdf":
            content = vl_convert.svg_to_pdf(figure.svg)
        case other:
            msg = f"a figure is written to .svg, .png or .pdf, and {path} has the suffix {other or '(none)'!r}"
            raise InputError(msg)
    write_whole(path, content)


def _describe(analysis: Reliability, name: FigureName) -> tuple[str, str]:
    """Return title and description; the numbers themselves stand in the table."""
    first, last = analysis.dimensions[0], analysis.dimensions[-1]
    match name:
        case "forest":
            span = f"Rel(k) runs from {_say(first)} to {_say(last)}."
            return "Reliability of each dimension with intervals", f"{span} All values stand in the table."
        case "variance":
            shares = [d.variance.shares()["target"] for d in analysis.dimensions]
            span = f"Targets account for {percent(min(shares))} to {percent(max(shares))} percent of the variance."
            return "Shares of variance of each dimension", f"{span} All values stand in the table."
        case _:
            return (
                "Reliability against the number of raters",
                f"Highest: {_say(first)}; lowest: {_say(last)}, both for {equate_k(analysis)}.",
            )


def _say(d: DimensionReliability) -> str:
    return f"{clean(d.name)} ({decimal(d.rel_k.value)})"
