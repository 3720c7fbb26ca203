"""Numbers behind the CONCEPT measures and abilities: plain sequences and arrays in, numbers out."""

from dialgauge.stats.abilities.twoway import Crossing, Linear, combine, estimate_mean, estimate_share, take_ratio

__all__ = ["Crossing", "Linear", "combine", "estimate_mean", "estimate_share", "take_ratio"]
