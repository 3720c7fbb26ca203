"""Raters: who differs how from the others, and what would change without them."""

from dialgauge.analyse.raters.records import RaterQuality, RaterReport
from dialgauge.analyse.raters.study import analyse_raters

__all__ = ["RaterQuality", "RaterReport", "analyse_raters"]
