"""Checks of model raters: whether a valid answer says anything of the dialogue."""

from dialgauge.analyse.checking.records import CheckedRater, CheckMaterial, RaterChecks
from dialgauge.analyse.checking.study import check_raters

__all__ = ["CheckMaterial", "CheckedRater", "RaterChecks", "check_raters"]
