r"""Evidence that a baseline differs from later occasions, from who would have been the baseline had chance decided.

Nothing having changed, the ratings of one target on m + 1 occasions could be exchanged. So, given the m + 1 numbers of
a target, each of them is equally likely to be the baseline. With s_ij the mean of the others minus number j, the
baseline being j = 0,

.. math::
    E_\lambda = \prod_i \frac{\exp(\lambda s_{i0})}{\frac{1}{m + 1} \sum_j \exp(\lambda s_{ij})}

has expectation 1 for every lambda that does not depend on the order of occasions: it is an e-value, whatever the
distribution of the ratings, bounded, coarse or skewed, and although all comparisons share the noise of one baseline.
For m = 1 it is the likelihood ratio of tilted signs (Efron 1969 for the symmetry that it rests on). Large values speak
for a change, and P(E >= 1 / a) <= a. The mean of e-values is an e-value (Vovk and Wang 2021): it is taken over several
lambda, scaled by the spread of the s_ij, which the order of occasions leaves alone.
"""

import math
from typing import Literal

import numpy as np
from scipy.special import logsumexp

from dialgauge.errors import InputError
from dialgauge.stats.arrays import Floats

Sides = Literal["both", "up"]

SCALES = (2.5, 4.0, 6.5)
"""Sizes of a change, in standard errors, at which the evidence is greatest."""


def exchange_evidence(values: Floats, *, sides: Sides = "both") -> float:
    """Return the log of the e-value of a table (targets, occasions), complete, with the baseline in column 0.

    ``sides`` "up" looks for later occasions that are higher only. 0 where nothing differs. Targets must be rated
    independently of each other, each occasion alike. Raises ``InputError`` for a table that is not complete or has less
    than two occasions.
    """
    y = np.asarray(values, dtype=np.float64)
    if y.ndim != 2 or y.shape[1] < 2 or not np.isfinite(y).all():
        raise InputError(
            f"evidence needs a complete table (targets, occasions) with a baseline and a later one, got shape {y.shape}"
        )
    m = y.shape[1] - 1
    s = (y.sum(axis=1, keepdims=True) - y) / m - y
    spread = math.sqrt(float(np.sum(np.mean(s**2, axis=1))))
    if spread == 0.0:
        return 0.0
    scales = np.array(SCALES if sides == "up" else (*SCALES, *(-z for z in SCALES))) / spread
    tilted = scales[:, None, None] * s
    logs = np.sum(tilted[:, :, 0] - logsumexp(tilted, axis=2) + math.log(m + 1), axis=1)
    return float(logsumexp(logs) - math.log(len(scales)))
