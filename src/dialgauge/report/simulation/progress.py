"""How far a simulation is: a bar in a terminal, a line now and then elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from dialgauge.report.collection.progress import EVERY
from dialgauge.report.collection.words import say_duration, say_money
from dialgauge.report.simulation.terminal import say_speed
from dialgauge.simulate.tally import SimulationTally


class SimulationView:
    """Shows a tally; `update` may be called as often as one likes."""

    def __init__(self, tally: SimulationTally, currency: str, stream: TextIO) -> None:
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

    def describe(self) -> str:
        """Return the state in a line: dialogues, speed, money, time left, what failed."""
        tally = self._tally
        parts = [f"{tally.done:,} of {tally.planned:,}", f"{say_speed(tally.per_minute)}/min"]
        if tally.calls:
            unknown = tally.unpriced and not tally.cost
            parts.append("cost unknown" if unknown else say_money(tally.cost, self._currency))
        parts.append(f"{say_duration(tally.seconds_left)} left")
        parts += [f"{n:,} failed: {what}" for what, n in tally.failures.most_common()]
        return " | ".join(parts)
