"""Instruments for a terminal: which there are, and one of them with its dimensions, scales, questions and rubrics."""

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len

from dialgauge.model import Dimension, Direction, Instrument, Scale
from dialgauge.report.lines import WIDTH, Lines, pad
from dialgauge.report.numerals import plural
from dialgauge.report.text import clean, join, typeset

NAMES = 24
"""Cells of the column of names; longer names make it wider, up to `LONGEST_NAME`."""

LONGEST_NAME = 36

NARROW = 72
"""Below this width, and with longer names, the text of a dimension stands under its name and not beside it."""

_DIRECTIONS: dict[Direction, str] = {
    "higher_is_better": "",
    "lower_is_better": "; lower is better",
    "neutral": "; no end is better",
}


def render_list(
    instruments: Sequence[Instrument], *, width: int = WIDTH, styled: bool = False, ascii_only: bool = False
) -> str:
    """Return name, version, size and title of each instrument, and how to see one in full."""
    lines = Lines(width=width, ascii_only=ascii_only)
    for i in instruments:
        size = plural(len(i.dimensions), "dimension")
        head = lines.write(clean(f"{i.name:<16} {i.version:<6} {size:>14}  "))
        if lines.width < NARROW:
            lines.line(head)
            head = " " * 4
        _hang(lines, i.title, head=head, indent=len(head))
    lines.line()
    lines.say("One in full: dialgauge instruments NAME")
    return lines.to_text(styled=styled)


def render(
    instrument: Instrument,
    dimensions: Sequence[Dimension] | None = None,
    *,
    rubrics: bool = False,
    width: int = WIDTH,
    styled: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return ``instrument`` with ``dimensions`` (one or more; all where None), group by group, and its ``rubrics``.

    No line is wider than ``width`` (44 to 100).
    """
    lines = Lines(width=width, ascii_only=ascii_only)
    shown = instrument.dimensions if dimensions is None else dimensions
    _add_head(lines, instrument)
    room = max(NAMES, *(cell_len(lines.write(clean(dimension.name))) for dimension in shown))
    indent = room + 3 if lines.width >= NARROW and room <= LONGEST_NAME else 4
    group = None
    for dimension in shown:
        if dimension.group != group:
            group = dimension.group
            lines.line()
            lines.say(clean(group or "dimensions"), style="bold")
        elif rubrics:
            lines.line()
        _add_dimension(lines, dimension, room=room, indent=indent, rubric=rubrics)
    if not rubrics and any(dimension.rubric for dimension in shown):
        lines.line()
        lines.say("What the values look like: --rubrics, or --dimensions A,B,C for some of them", style="dim")
    return lines.to_text(styled=styled)


def _add_head(lines: Lines, instrument: Instrument) -> None:
    lines.say(typeset(clean(f"{instrument.name} {instrument.version}: {instrument.title}")), style="bold")
    if instrument.source:
        lines.say(typeset(clean(f"Source: {instrument.source}")), style="dim")
    if instrument.scale is not None:
        lines.say(typeset(clean(f"Scale: {_describe(instrument.scale)}")))
    groups = {dimension.group for dimension in instrument.dimensions}
    if len(groups) > 1:
        counts = Counter(_level(instrument.scale_for(dimension)) for dimension in instrument.dimensions)
        levels = join([f"{count} {level}" for level, count in counts.most_common()])
        lines.say(f"{plural(len(instrument.dimensions), 'dimension')} in {len(groups)} groups: {levels}")


def _add_dimension(lines: Lines, dimension: Dimension, *, room: int, indent: int, rubric: bool) -> None:
    name = lines.write(f"  {clean(dimension.name)}")
    text = dimension.definition or dimension.title
    if indent > room:
        _hang(lines, text, head=pad(name, room + 3, left=True), indent=indent)
    else:
        lines.say(name.strip(), bullet="  ")
        _hang(lines, text, head=" " * indent, indent=indent)
    if dimension.scale is not None:
        _hang(lines, _describe(dimension.scale), head=" " * indent, indent=indent, style="dim")
    for question in dimension.questions:
        _hang(lines, f"“{question.text}”", head=" " * indent, indent=indent)
    for line in dimension.rubric.splitlines() if rubric else ():
        _hang(lines, line, head=" " * indent, indent=indent + 3)


def _hang(lines: Lines, text: str, *, head: str, indent: int, style: str = "") -> None:
    """Add ``head`` and ``text``, the lines after the first set in by ``indent``."""
    plain = lines.write(typeset(clean(text))).strip()
    first = lines.wrap(plain, lines.width - cell_len(head))[0]
    lines.line(head + first, style=style)
    rest = plain[len(first) :].strip()
    for line in lines.wrap(rest, lines.width - indent) if rest else ():
        lines.line(" " * indent + line, style=style)


def _describe(scale: Scale) -> str:
    """Write values, level, labels and direction: ``0..1 (binary), no | yes; lower is better``."""
    labels = f", {' | '.join(scale.labels)}" if scale.labels else ""
    direction = _DIRECTIONS[scale.direction] if scale.level != "nominal" else ""
    return f"{scale}{labels}{direction}"


def _level(scale: Scale) -> str:
    return "continuous" if scale.continuous else scale.level
