"""How all figures look: calm, readable, in colours that most people can tell apart."""

from collections.abc import Sequence
from typing import TypeVar

import altair as alt
import vl_convert

Row = TypeVar("Row")

FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
"""Fonts of the same widths as the one that the renderer measures with, so that nothing is cut off."""

INK, SOFT, FAINT = "#1f2933", "#52606d", "#dfe4ea"
BLUE, ORANGE, GREEN, VERMILION, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#BBBBBB"
"""Colours of Okabe and Ito (2008), with a lighter grey."""

PLOT_WIDTH = 560
LABEL_WIDTH = 240
SIZE = 12

MOST_DRAWN = 200
"""Rows of a figure; with many more it could neither be drawn nor read."""


def to_svg(chart: alt.LayerChart, *, title: str, subtitle: str, width: int = PLOT_WIDTH) -> str:
    """Render ``chart``, ``width`` pixels wide without its labels, below its title; no browser and no network."""
    heading = alt.TitleParams(
        title,
        subtitle=subtitle,
        anchor="start",
        frame="bounds",
        offset=14,
        fontSize=15,
        fontWeight=600,
        color=INK,
        subtitleColor=SOFT,
        subtitleFontSize=SIZE,
        subtitlePadding=4,
    )
    themed = (
        chart.properties(title=heading, width=width, background="white", padding=18)
        .configure(font=FONT, aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=SOFT,
            labelFontSize=SIZE,
            titleFontSize=SIZE,
            titleFontWeight="normal",
            titlePadding=10,
            gridColor=FAINT,
            domainColor=SOFT,
            tickColor=SOFT,
            labelLimit=LABEL_WIDTH,
            labelFlush=False,
        )
        .configure_legend(
            orient="top",
            title=None,
            labelColor=INK,
            labelFontSize=SIZE,
            labelLimit=0,
            symbolSize=90,
            columnPadding=18,
            offset=6,
        )
    )
    return str(vl_convert.vegalite_to_svg(themed.to_dict(), allowed_base_urls=[]))


def row_height(rows: int) -> int:
    """Return the height of a row in pixels: less where there are many."""
    return int(min(30, max(15, 1200 / max(rows, 1))))


def pick_drawn(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the rows that a figure shows: all, or of very many the first and the last."""
    half = MOST_DRAWN // 2
    return rows if len(rows) <= MOST_DRAWN else [*rows[:half], *rows[-half:]]


def say_undrawn(n: int) -> str:
    """Say which of ``n`` dimensions the figures leave out; nothing where they show all."""
    if n <= MOST_DRAWN:
        return ""
    return f"Of {n:,} dimensions the figures show the first and the last {MOST_DRAWN // 2}; the table has all."
