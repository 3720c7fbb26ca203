"""How far a simulation is."""

from dialgauge.report.collection.words import say_duration, say_money
from dialgauge.report.progress import ProgressView
from dialgauge.report.simulation.terminal import say_speed
from dialgauge.simulate.tally import SimulationTally


class SimulationView(ProgressView[SimulationTally]):
    """Shows how far a simulation is."""

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
