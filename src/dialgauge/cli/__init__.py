"""The command line: parse, call, print. What goes wrong is said in one line, without a traceback."""

import sys
from collections.abc import Sequence

import typer

from dialgauge.cli.app import app
from dialgauge.cli.output import complain, one_line
from dialgauge.errors import ConsistencyError, DialgaugeError

__all__ = ["main"]

DEFECT, BAD_INPUT, INTERRUPTED = 1, 2, 130

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What the parser raises for a wrong command line; Typer gives it no public name."""

HELP_SHOWN = "NoArgsIsHelpError"
"""What it raises once it has printed the help of a command that was given no arguments."""


def main() -> None:
    """Run the command line and leave with its exit code: 0, 2 for bad input, 130 when interrupted."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    try:
        code = typer.main.get_command(app).main(list(arguments), prog_name="dialgauge", standalone_mode=False)
    except UsageError as error:
        if type(error).__name__ == HELP_SHOWN:
            return 0
        complain(_explain(error))
        return BAD_INPUT
    except DialgaugeError as error:
        complain(str(error))
        return DEFECT if isinstance(error, ConsistencyError) else BAD_INPUT
    except MemoryError:
        complain("there is not enough memory for this; use fewer targets, raters or dimensions at a time")
        return BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return int(code or 0)


def _explain(error: Exception) -> str:
    """Say what is wrong with the command line, and where its help is."""
    context = getattr(error, "ctx", None)
    message = one_line(getattr(error, "format_message", error.__str__)()).rstrip(".")
    return f"{message}; see {context.command_path if context else 'dialgauge'} --help"
