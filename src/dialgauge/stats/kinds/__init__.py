"""Raters of several kinds, people and language models, in one variance model."""

from dialgauge.stats.kinds.fit import ConstantKindError, FewSharedError, KindsFit, fit_kinds
from dialgauge.stats.kinds.layout import KindLayout
from dialgauge.stats.kinds.minimise import KindVanishesError

__all__ = ["ConstantKindError", "FewSharedError", "KindLayout", "KindVanishesError", "KindsFit", "fit_kinds"]
