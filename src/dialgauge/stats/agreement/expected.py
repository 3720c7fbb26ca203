"""The agreement that chance alone would give, by each coefficient's own idea of chance, beside what was observed."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dialgauge.errors import InputError
from dialgauge.stats.agreement.correction import check_paired
from dialgauge.stats.agreement.counts import Counts
from dialgauge.stats.agreement.weights import check_weights
from dialgauge.stats.arrays import Floats

ChanceModel = Literal["fleiss", "conger", "brennan_prediger", "gwet"]


@dataclass(frozen=True, slots=True)
class AlphaParts:
    """What alpha is made of: ``observed`` and ``expected`` agreement (0 to 1), alpha = (o - e) / (1 - e)."""

    observed: float
    expected: float

    @property
    def alpha(self) -> float:
        """Krippendorff's alpha."""
        return (self.observed - self.expected) / (1.0 - self.expected)


def mean_shares(counts: Counts) -> Floats:
    """Return the mean over targets of the shares of the categories, shape (categories,)."""
    shares: Floats = np.mean(counts.table / counts.per_target[:, None], axis=0)
    return shares


def expected_agreement(counts: Counts, model: ChanceModel, weights: Floats | None = None) -> float:
    """Return the agreement (0 to 1) that is expected by chance under the idea of chance of a coefficient.

    With pi the mean distribution over targets, P_g that of rater g and W the weights (q, q): ``fleiss`` pi' W pi;
    ``conger`` the mean of P_g' W P_h over pairs of different raters; ``brennan_prediger`` the mean of W; ``gwet`` sum W
    / (q (q - 1)) times sum pi (1 - pi). Sources: with the coefficients. Raises ``InputError`` for another model.
    """
    W = check_weights(weights, counts.n_categories)
    q = counts.n_categories
    if model == "brennan_prediger":
        return float(W.mean())
    if model == "conger":
        P = counts.rater_table / counts.rater_table.sum(axis=1, keepdims=True)
        S, J = P.sum(axis=0), len(P)
        return float(S @ W @ S - np.sum((P @ W) * P)) / (J * (J - 1))
    pi = mean_shares(counts)
    if model == "fleiss":
        return float(pi @ W @ pi)
    if model == "gwet":
        return float(W.sum() / (q * (q - 1)) * np.sum(pi * (1 - pi)))
    raise InputError(f"there is no chance model {model!r}; choose fleiss, conger, brennan_prediger or gwet")


def alpha_parts(counts: Counts, distance: Floats) -> AlphaParts:
    """Return what Krippendorff's alpha is made of, for squared differences ``distance`` (q, q) between categories.

    Agreement is one minus disagreement as a share of the largest distance between categories that were used. Targets
    with one rating are left out. Raises ``CannotEstimateError`` unless two targets have two ratings. Source:
    Krippendorff (2019), ch. 12.
    """
    table = counts.table[counts.per_target >= 2].astype(np.float64)
    check_paired(len(table))
    n_c, m = table.sum(axis=0), table.sum(axis=1)
    n = float(m.sum())
    used = n_c > 0
    most = max(float(distance[np.ix_(used, used)].max()), np.finfo(np.float64).tiny)
    seen = float(np.sum(np.sum(table * (table @ distance), axis=1) / (m - 1))) / n
    chance = float(n_c @ distance @ n_c) / (n * (n - 1))
    return AlphaParts(1.0 - seen / most, 1.0 - chance / most)


def category_midranks(counts: Counts) -> Floats:
    """Return the mid-rank of each category, (categories,); their differences are Krippendorff's ordinal metric."""
    n_c = counts.table[counts.per_target >= 2].sum(axis=0)
    ranks: Floats = np.cumsum(n_c) - (n_c - 1) / 2
    return ranks
