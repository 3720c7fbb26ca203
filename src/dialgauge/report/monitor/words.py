"""What was watched, in words."""

from collections import Counter
from collections.abc import Mapping

from dialgauge.analyse.monitor.records import STATES, Event, Monitoring, OccasionChange, State, Watch
from dialgauge.analyse.results import Coefficient
from dialgauge.report.numerals import DASH, MINUS, decimal, fixed, plural
from dialgauge.report.text import clean
from dialgauge.stats.estimate import Estimate

MARKS: Mapping[State, str] = {"steady": "=", "shifted": "!", "less reliable": "!", "not enough": "?"}
"""Beside the words, so that a column can be skimmed."""


def describe_monitoring(found: Monitoring) -> str:
    """Say what was watched, over which occasions."""
    dimensions = plural(len({w.dimension for w in found.watches}), "dimension")
    raters = plural(len({w.rater for w in found.watches}), "rater")
    later = plural(len(found.occasions) - 1, "later occasion")
    return (
        f"{dimensions} × {raters}; baseline {clean(found.occasions[0])}, {later}; probability of any false "
        f"alarm, ever: at most {decimal(found.alpha, 2)}"
    )


def conclude_monitoring(found: Monitoring) -> str:
    """Say how many are in which state."""
    counts = Counter(w.state for w in found.watches)
    return f"{', '.join(f'{counts[state]} {state}' for state in STATES if counts[state])}."


def say_state(watch: Watch) -> str:
    """Write a state with its mark."""
    both = " and less reliable" if watch.state == "shifted" and watch.less_reliable_since is not None else ""
    return f"{MARKS[watch.state]} {watch.state}{both}"


def signed(value: float) -> str:
    """Write a difference: ``+0.81``, ``−0.81``."""
    return f"{value:+z.2f}".replace("-", MINUS)


def say_difference(found: Coefficient) -> str:
    """Write a difference with its interval; a dash where there is none."""
    if not isinstance(found, Estimate):
        return DASH
    if found.low is None or found.high is None:
        return signed(found.value)
    return f"{signed(found.value)} [{signed(found.low)}, {signed(found.high)}]"


def say_reliability(found: Coefficient) -> str:
    """Write a reliability; a dash where there is none."""
    return decimal(found.value) if isinstance(found, Estimate) else DASH


def say_p(p: float) -> str:
    """Write a p-value, small ones with a bound."""
    return "<.0001" if p < 1e-4 else decimal(p, 4) if p < 0.01 else decimal(p, 2)


def say_watch(watch: Watch) -> str:
    """Say in sentences what changed, when and by how much, or why nothing can be told."""
    if watch.state == "not enough":
        return f"Not enough to tell: {clean(watch.reason)}."
    latest = watch.latest
    parts = []
    if watch.shifted_since is not None:
        began = (
            ""
            if watch.shift_began in {None, watch.shifted_since}
            else f" (it shows from {clean(watch.shift_began or '')} on)"
        )
        parts.append(f"Shifted: alarm on occasion {clean(watch.shifted_since)}{began}.")
    if watch.less_reliable_since is not None:
        parts.append(f"Less reliable: alarm on occasion {clean(watch.less_reliable_since)}.")
    if latest is not None:
        parts.append(_say_latest(watch, latest))
    return " ".join(parts)


def say_event(event: Event) -> str:
    """Write what happened, to whom and when."""
    return f"Occasion {clean(event.occasion)}, {clean(event.rater)}: {clean(event.what)}."


def _say_latest(watch: Watch, latest: OccasionChange) -> str:
    sd = "" if latest.shift_in_sd is None else f", {signed(latest.shift_in_sd)} standard deviations of one rating"
    text = f"On occasion {clean(latest.occasion)} ratings differ by {say_difference(latest.shift)}{sd}"
    if isinstance(latest.icc, Estimate) and isinstance(watch.icc, Estimate):
        text += f"; reliability of one rating {decimal(latest.icc.value)}, at the baseline {decimal(watch.icc.value)}"
        if latest.class_left:
            text += f" ({watch.reliability_class} then, {latest.reliability_class} now)"
    return f"{text}. {plural(latest.n_targets, 'target')}."


def say_sd(watch: Watch) -> str:
    """Write the standard deviation of one rating at the baseline."""
    return DASH if watch.sd is None else fixed(watch.sd)
