"""Systems compared: differences with intervals, held to all pairs, and ranks."""

from dialgauge.stats.compare.clustered import compare_linear
from dialgauge.stats.compare.mixed import fit_mixed
from dialgauge.stats.compare.needed import needed
from dialgauge.stats.compare.pairwise import fit_pairs
from dialgauge.stats.compare.records import Comparison, Contrast, NeededDesign, RankInterval, SystemPanel

__all__ = [
    "Comparison",
    "Contrast",
    "NeededDesign",
    "RankInterval",
    "SystemPanel",
    "compare_linear",
    "fit_mixed",
    "fit_pairs",
    "needed",
]
