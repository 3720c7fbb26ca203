"""Studies that are still to be done: who would rate what, and how precise the reliabilities would be."""

from dialgauge.stats.plan.layout import Layout, assign
from dialgauge.stats.plan.precision import Precision, expected_precision
from dialgauge.stats.plan.search import Goal, Limits, cheapest_layouts
from dialgauge.stats.plan.simulation import Simulation, simulate_design

__all__ = [
    "Goal",
    "Layout",
    "Limits",
    "Precision",
    "Simulation",
    "assign",
    "cheapest_layouts",
    "expected_precision",
    "simulate_design",
]
