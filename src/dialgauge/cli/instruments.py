"""``dialgauge instruments``: the instruments that ship with the package, or one of them."""

from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli.output import ascii_only, put, styled, width

if TYPE_CHECKING:
    from dialgauge.model import Dimension, Instrument


def show_instruments(
    name: Annotated[str | None, typer.Argument(help="An instrument, or a TOML file that holds one.")] = None,
    dimensions: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="Only these dimensions, or those of a group, with their rubrics."),
    ] = None,
    rubrics: Annotated[bool, typer.Option("--rubrics", help="Show the rubric of every dimension.")] = False,
) -> None:
    """List the instruments that ship with Dialgauge, or show one: its scales, dimensions and questions."""
    from dialgauge.errors import InputError
    from dialgauge.instruments import available_instruments, load_instrument
    from dialgauge.report.instruments import render, render_list

    if name is None:
        if rubrics or dimensions is not None:
            msg = "--rubrics and --dimensions belong to one instrument; name it, as in dialgauge instruments concept"
            raise InputError(msg)
        loaded = [load_instrument(known) for known in available_instruments()]
        put(render_list(loaded, width=width(), styled=styled(), ascii_only=ascii_only()))
        return
    instrument = load_instrument(name)
    chosen = None if dimensions is None else _choose(instrument, dimensions)
    put(
        render(
            instrument,
            chosen,
            rubrics=rubrics or chosen is not None,
            width=width(),
            styled=styled(),
            ascii_only=ascii_only(),
        )
    )


def _choose(instrument: "Instrument", names: str) -> "list[Dimension]":
    """Return the dimensions that are named, alone or by their group, in the order of the instrument."""
    from dialgauge.errors import InputError

    groups = {dimension.group.casefold() for dimension in instrument.dimensions if dimension.group}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        msg = "--dimensions names no dimension; give one or more, such as --dimensions frustration,safety"
        raise InputError(msg)
    single = {instrument.dimension(name).name for name in wanted if name.casefold() not in groups}
    whole = {name.casefold() for name in wanted if name.casefold() in groups}
    return [d for d in instrument.dimensions if d.name in single or d.group.casefold() in whole]
