"""Repeated measurement: do raters repeat themselves, agree on what is reliable, and give the same values."""

from dialgauge.analyse.retest.records import Retest
from dialgauge.analyse.retest.study import analyse_retest

__all__ = ["Retest", "analyse_retest"]
