"""One door to the intervals of a reliability."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dialgauge.stats.reml.bootstrap import bootstrap_odds
from dialgauge.stats.reml.fit import RemlFit
from dialgauge.stats.reml.odds import Form, Odds
from dialgauge.stats.reml.profile import profile_odds
from dialgauge.stats.reml.wald import wald_odds

IntervalMethod = Literal["profile", "wald", "bootstrap"]

INTERVAL_METHODS: tuple[IntervalMethod, ...] = ("profile", "wald", "bootstrap")


def odds_intervals(
    fits: Sequence[RemlFit],
    *,
    method: IntervalMethod = "profile",
    form: Form = "absolute",
    replicates: float = 1.0,
    level: float = 0.95,
    rng: np.random.Generator,
) -> list[Odds]:
    """Return the odds of true to error variance of each fit with an interval by ``method``.

    All three cover the sampling of the facets in the model, Wald only roughly with few raters or a variance at zero. A
    large panel is not profiled: it gets the Wald interval, which does as well there. ``rng`` is used by the bootstrap
    only.
    """
    if not fits:
        return []
    if method == "bootstrap":
        return bootstrap_odds(fits, rng=rng, form=form, replicates=replicates, level=level)
    if method == "wald" or fits[0].panel.large:
        return wald_odds(fits, form=form, replicates=replicates, level=level)
    return profile_odds(fits, form=form, replicates=replicates, level=level)
