"""Where text leaves the program: standard output, standard error, files."""

import os
import shutil
import sys

PIPE_CLOSED = 141
"""The exit code of a process whose reader has gone: 128 + SIGPIPE."""

NO_TERMINAL_WIDTH = 100


def put(text: str) -> None:
    """Write ``text`` to standard output; when its reader has gone (``| head``), leave in silence."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(PIPE_CLOSED) from None


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
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else NO_TERMINAL_WIDTH


def styled() -> bool:
    """Whether bold and dim may be used: in a terminal, unless NO_COLOR is set or it can do nothing."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def ascii_only() -> bool:
    """Whether standard output cannot take every character."""
    return not (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def _say(message: str) -> None:
    from dialgauge.report.text import clean

    try:
        sys.stderr.write(f"{clean(one_line(message))}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
