r"""Many looks, many things to look at: what is left of the evidence.

The e-values E_1, E_2, ... of successive occasions share a baseline, so they may depend on each other in any way, and
their product would be no e-value. Weights that add up to 1 make one of them all,

.. math:: M_t = \sum_{s \le t} w_s E_s, \qquad w_s = \frac{1}{s (s + 1)}

and M only grows. So if nothing ever changes, P(M_t >= 1 / a for any t) <= a (Markov's inequality for the whole sum):
min(1, 1 / M_t) is a p-value that holds at all times at once, and Holm's (1979) adjustment of such p-values over
dimensions and raters keeps the probability of any false alarm, ever, at the level.
"""

from collections.abc import Sequence

import numpy as np

from dialgauge.stats.arrays import Floats


def accumulate_evidence(log_e: Sequence[float] | Floats) -> Floats:
    """Return log M_t for t = 1, 2, ..., from the logs of the e-values of the occasions, shape (occasions,)."""
    s = np.arange(1, len(log_e) + 1, dtype=np.float64)
    weighted = np.asarray(log_e, dtype=np.float64) - np.log(s) - np.log1p(s)
    return np.logaddexp.accumulate(weighted) if len(s) else weighted


def to_p(log_evidence: float) -> float:
    """Return the p-value that holds at all times, min(1, 1 / M)."""
    return float(np.exp(-max(log_evidence, 0.0)))


def adjust_holm(p: Sequence[float]) -> list[float]:
    """Return the p-values of a family, adjusted so that the chance of any false alarm is controlled (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    steps = np.asarray(p, dtype=np.float64)[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]
