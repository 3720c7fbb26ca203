"""``dialgauge instruments``: the instruments that ship with the package, or one of them."""

from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.output import ascii_only, put

if TYPE_CHECKING:
    from dialgauge.model import Instrument


def show_instruments(
    name: Annotated[str | None, typer.Argument(help="An instrument, or a TOML file that holds one.")] = None,
) -> None:
    """List the instruments that ship with Dialgauge, or show one: its scale, dimensions and statements."""
    from dialgauge.instruments import available_instruments, load_instrument
    from dialgauge.report.numerals import plural
    from dialgauge.report.text import clean, to_ascii, typeset

    if name is None:
        loaded = [load_instrument(known) for known in available_instruments()]
        sizes = [plural(len(i.dimensions), "dimension") for i in loaded]
        lines = [f"{i.name:<16} {i.version:<6} {n:>14}  {i.title}" for i, n in zip(loaded, sizes, strict=True)]
        lines += ["", "One in full: dialgauge instruments NAME"]
    else:
        lines = _describe(load_instrument(name))
    write = to_ascii if ascii_only() else str
    put("".join(f"{write(typeset(clean(line)))}\n" for line in lines))


def _describe(instrument: "Instrument") -> list[str]:
    lines = [f"{instrument.name} {instrument.version}: {instrument.title}"]
    lines += [f"Source: {instrument.source}"] if instrument.source else []
    if instrument.scale is not None:
        scale = instrument.scale
        lines.append(f"Scale: {scale}" + (f", {' | '.join(scale.labels)}" if scale.labels else ""))
    group = None
    for dimension in instrument.dimensions:
        if dimension.group != group:
            group = dimension.group
            lines += ["", group or "dimensions"]
        own = f" [{dimension.scale}]" if dimension.scale is not None else ""
        lines.append(f"  {dimension.name:<24} {dimension.definition or dimension.title}{own}")
        lines += [f"  {'':<24} “{question.text}”" for question in dimension.questions]
    return lines
