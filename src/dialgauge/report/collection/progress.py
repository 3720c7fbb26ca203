"""How far a collection is: a bar in a terminal, a line now and then elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from dialgauge.collect.tally import Tally
from dialgauge.report.collection.words import say_duration, say_money

EVERY = 30.0
"""Seconds between two lines where the output is no terminal."""


class ProgressView:
    """Shows a tally; `update` may be called as often as one likes."""

    def __init__(self, tally: Tally, currency: str, stream: TextIO) -> None:
        self._tally, self._currency = tally, currency
        self._console = Console(file=stream, highlight=False)
        self._live = self._console.is_terminal
        self._said = 0.0
        self._bar = Progress(
            BarColumn(bar_width=28, complete_style="default", finished_style="default"),
            TextColumn("{task.description}"),
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

    def describe(self) -> str:
        """Return the state in a line: ratings, speed, money, time left, what is missing."""
        tally = self._tally
        parts = [
            f"{tally.done:,} of {tally.planned:,}",
            f"{tally.per_second:,.1f}/s",
            "cost unknown" if tally.unpriced and not tally.cost else say_money(tally.cost, self._currency),
            f"{say_duration(tally.seconds_left)} left",
        ]
        missing = [f"{n:,} {reason}" for reason, n in tally.missing.most_common()]
        failed = [f"{n:,} calls: {reason}" for reason, n in tally.failed.most_common()]
        return " | ".join([*parts, *missing, *failed])
