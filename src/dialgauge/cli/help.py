"""How ``--help`` looks: no types where a word says what goes there, no box for ``--help`` alone, whole paragraphs."""

from collections.abc import Iterable
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption


class CalmCommand(TyperCommand):
    """A command with calm help."""

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401 (the parser's types have no public name)
        """Return the parameters; ``--help`` works and is not listed, since whoever reads it knows it."""
        params = super().get_params(ctx)
        _calm(params)
        _hide_help(params)
        return params

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (as above)
        """Print the help, paragraphs in lines as long as the terminal has room for."""
        self.help = _join_lines(self.help or "")
        super().format_help(ctx, formatter)


class CalmGroup(TyperGroup):
    """A group of commands with calm help."""

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401 (as above)
        """Return the parameters; ``--help`` is listed where it is not the only option."""
        params = super().get_params(ctx)
        _calm(params)
        if len(params) == 1:
            _hide_help(params)
        return params


def _calm(params: Iterable[object]) -> None:
    """Show no type of a switch, and none of an argument, whose name says what it is."""
    for param in params:
        if isinstance(param, TyperOption) and param.is_flag:
            param.metavar = ""
        elif isinstance(param, TyperArgument):
            param.display_type_rich = _show_nothing  # type: ignore[method-assign]


def _hide_help(params: Iterable[object]) -> None:
    for param in params:
        if isinstance(param, TyperOption) and "--help" in param.opts:
            param.hidden = True


def _show_nothing(ctx: Any) -> str:  # noqa: ANN401, ARG001 (the signature of Typer)
    return ""


def _join_lines(text: str) -> str:
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
