"""What injected texts do to the ratings of models."""

from dialgauge.analyse.probing.records import ProbeMaterial, ProbeReport, Shift
from dialgauge.analyse.probing.study import analyse_probe

__all__ = ["ProbeMaterial", "ProbeReport", "Shift", "analyse_probe"]
