"""Exact REML for sparse, unbalanced ratings."""

from dialgauge.stats.reml.fit import Model, RemlFit, fit_panel, fit_reml
from dialgauge.stats.reml.panel import Panel

__all__ = ["Model", "Panel", "RemlFit", "fit_panel", "fit_reml"]
