"""A fixed set of targets rated again and again: has a rater shifted, and does it still repeat itself."""

from dialgauge.analyse.monitor.records import Event, Monitoring, OccasionChange, State, Watch
from dialgauge.analyse.monitor.study import analyse_drift

__all__ = ["Event", "Monitoring", "OccasionChange", "State", "Watch", "analyse_drift"]
