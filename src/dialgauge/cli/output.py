"""Where text leaves the program: standard output, standard error, files; and the options that ask for it."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

Result = TypeVar("Result")

OUTPUT = "Output"
"""The heading of these options in the help of a command."""

AsJson = Annotated[
    bool, typer.Option("--json", help="Print everything as JSON instead of the table.", rich_help_panel=OUTPUT)
]
CsvFile = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write a row per dimension as CSV.", rich_help_panel=OUTPUT)
]
LatexFile = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the table for a paper.", rich_help_panel=OUTPUT)
]
HtmlFile = Annotated[str | None, typer.Option(metavar="FILE", help="Write the page, one file.", rich_help_panel=OUTPUT)]

NOTHING_ESTIMATED = 2
"""The exit code of an analysis that gave no number at all."""

PIPE_CLOSED = 141
"""The exit code of a process whose reader has gone: 128 + SIGPIPE."""

NO_TERMINAL_WIDTH = 100


def write_files(result: Result, files: Sequence[tuple[str | None, Callable[[Result], str]]]) -> None:
    """Write ``result`` to each path that was asked for by its function; all is rendered before anything is written."""
    from dialgauge.report.files import write_whole

    rendered = [(path, render(result)) for path, render in files if path is not None]
    for path, content in rendered:
        write_whole(Path(path), content)
        report_written(path)


def print_result(result: Result, *, json: bool, to_json: Callable[[Result], str], render: Callable[..., str]) -> None:
    """Print ``result`` as JSON, or as the lines that ``render`` makes for a terminal (or a file) like this one."""
    put(to_json(result) if json else render(result, width=width(), styled=styled(), ascii_only=ascii_only()))


def put(text: str) -> None:
    """Write ``text`` to standard output; when its reader has gone (``| head``), leave in silence.

    Raises InputError where standard output is closed or takes no more, such as a full disk.
    """
    from dialgauge.errors import InputError

    if not _open(sys.stdout):
        raise InputError("the result cannot be printed (standard output is closed); send it to a file")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise SystemExit(PIPE_CLOSED) from None
        raise InputError(f"the result cannot be printed ({error.strerror}); send it to another place") from None


def complain(message: str) -> None:
    """Say in one line on standard error what is wrong."""
    _say(f"dialgauge: {message}")


def report_written(path: str) -> None:
    """Say on standard error that a file was written, so that standard output holds the result alone."""
    _say(f"wrote {path}")


def one_line(text: str) -> str:
    """Return ``text`` in one line."""
    return " ".join(text.split())


def width() -> int:
    """Return the columns of the terminal, or 100 where the output is none."""
    return shutil.get_terminal_size().columns if _is_terminal() else NO_TERMINAL_WIDTH


def styled() -> bool:
    """Whether bold and dim may be used: in a terminal, unless NO_COLOR is set or it can do nothing."""
    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def ascii_only() -> bool:
    """Whether standard output cannot take every character."""
    return not (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "").startswith("utf")


def _open(stream: object) -> bool:
    """Whether there is a stream: Python has none where it was closed before the start."""
    return stream is not None


def _is_terminal() -> bool:
    return _open(sys.stdout) and sys.stdout.isatty()


def _say(message: str) -> None:
    from dialgauge.report.text import clean

    if not _open(sys.stderr):
        return
    try:
        sys.stderr.write(f"{clean(one_line(message))}\n")
        sys.stderr.flush()
    except OSError:  # nobody is left to be told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
