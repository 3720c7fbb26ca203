"""How far something long is: a bar in a terminal, a line now and then elsewhere."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TextIO, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

EVERY = 30.0
"""Seconds between two lines where the output is no terminal."""


class Counted(Protocol):
    """What is counted while it goes on."""

    @property
    def planned(self) -> int:
        """How many there are to be."""
        ...

    @property
    def done(self) -> int:
        """How many there are."""
        ...

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        ...


T = TypeVar("T", bound=Counted)


class ProgressView(ABC, Generic[T]):
    """Shows a tally; `update` may be called as often as one likes."""

    def __init__(self, tally: T, currency: str, stream: TextIO) -> None:
        self._tally, self._currency = tally, currency
        self._console = Console(file=stream, highlight=False)
        self._live = self._console.is_terminal
        self._said = 0.0
        self._bar = Progress(
            BarColumn(bar_width=28, complete_style="default", finished_style="default"),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
        )
        self._task = self._bar.add_task("", total=max(1, tally.planned), completed=tally.done)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the bar for the time of the block."""
        if not self._live:
            yield
            return
        with self._bar:
            yield

    def update(self) -> None:
        """Show how far the tally is."""
        tally = self._tally
        if self._live:
            self._bar.update(self._task, completed=tally.done, description=self.describe())
        elif tally.seconds - self._said >= EVERY:
            self._said = tally.seconds
            self._console.print(self.describe(), markup=False)

    @abstractmethod
    def describe(self) -> str:
        """Return the state in a line."""
