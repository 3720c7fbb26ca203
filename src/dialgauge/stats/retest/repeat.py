r"""How well one rater repeats itself: correlations of a table targets x replicates.

With n targets, k replicates and the mean squares of Shrout and Fleiss (1979),

.. math::
    \mathrm{ICC}(3,1) = \frac{MS_B - MS_E}{MS_B + (k - 1) MS_E}, \qquad \mathrm{ICC}(3,k) = \frac{MS_B - MS_E}{MS_B}

leave shifts of whole replicates out. Krzemińska et al. (2026) print the same formulas with the mean square within
targets, MS_W, in the place of MS_E: these are ICC(1,1) and ICC(1,k), in which such shifts count as error. Both are
computed.
"""

from dataclasses import dataclass, replace

import numpy as np

from dialgauge.stats.agreement.alpha import krippendorff_alpha
from dialgauge.stats.arrays import Floats
from dialgauge.stats.estimate import Estimate, Refusal
from dialgauge.stats.meansquares import icc_forms, mean_squares
from dialgauge.stats.retest.shares import differing_at_most, share_estimate

COVERS = "targets and replicates"
NO_SHIFTS = "targets and replicates (shifts of whole replicates left out)"

_ALIKE = Refusal("the means of the targets do not differ", "use targets that differ")
_NO_MEAN = Refusal(
    "categories without an order have no mean over replicates",
    "read the coefficient of one rating, or use the most frequent category of each target",
)


@dataclass(frozen=True, slots=True)
class Repetition:
    """How well the ratings of ``n`` targets repeat in ``k`` replicates.

    ``printed_single`` and ``printed_mean`` use the mean square within targets, ``consistency_single`` and
    ``consistency_mean`` the residual one; of categories without an order both hold nominal alpha, and the means are
    refused. ``same`` is the share of targets whose ratings are all equal. ``exact`` says that this holds for all
    targets: the coefficients are then 1 without any doubt about the ratings at hand, and their lower limits tell what
    share of further targets could still differ.
    """

    n: int
    k: int
    printed_single: Estimate | Refusal
    printed_mean: Estimate | Refusal
    consistency_single: Estimate | Refusal
    consistency_mean: Estimate | Refusal
    same: Estimate
    exact: bool


def repeat_icc(table: Floats, *, level: float = 0.95) -> Repetition:
    """Return the intraclass correlations of a complete table (targets, replicates) in both forms.

    Intervals are exact F; nothing is cut at zero. Where all replicates of every target are equal, the lower limit is
    that of `_exact`. Targets whose means do not differ are refused in place. Raises ``InputError`` for a table that is
    not complete, ``CannotEstimateError`` for fewer than two targets or replicates and for constant ratings.
    """
    ms = mean_squares(table)
    y = np.asarray(table, dtype=np.float64)
    n, k = y.shape
    equal = np.all(y == y[:, :1], axis=1)
    same, exact = _same(int(equal.sum()), n, level), bool(equal.all())
    if exact:
        widest = 1.0 / (4.0 * (1.0 - 2.0 ** (1 - k)))
        wide = widest * float(np.ptp(y[:, 0])) ** 2 / float(np.var(y[:, 0], ddof=1))
        single, mean = _exact(wide, n * k, n, 1, level), _exact(wide, n * k, n, k, level)
        return Repetition(n, k, single, mean, single, mean, same, exact)
    if ms.target == 0.0:
        return Repetition(n, k, _ALIKE, _ALIKE, _ALIKE, _ALIKE, same, exact)
    one, _, consistency, one_k, _, consistency_k = (form.estimate for form in icc_forms(ms, level=level))
    return Repetition(
        n=n,
        k=k,
        printed_single=_covering(one, COVERS),
        printed_mean=_covering(one_k, COVERS),
        consistency_single=_covering(consistency, NO_SHIFTS),
        consistency_mean=_covering(consistency_k, NO_SHIFTS),
        same=same,
        exact=exact,
    )


def repeat_alpha(table: Floats, *, level: float = 0.95) -> Repetition:
    """Return Krippendorff's nominal alpha over the replicates of categories, (targets, replicates) with NaN for gaps.

    Targets with one value are left out. Raises ``CannotEstimateError`` for constant values and unless two targets have
    two values.
    """
    filled = np.isfinite(table)
    paired = filled.sum(axis=1) >= 2
    target, replicate = np.nonzero(filled & paired[:, None])
    values = table[target, replicate]
    alpha = replace(krippendorff_alpha(values, target, metric="nominal", level=level), covers="targets")
    first = np.take_along_axis(table, filled.argmax(axis=1)[:, None], axis=1)
    equal = np.all((table == first) | ~filled, axis=1)[paired]
    n, exact = len(equal), bool(equal.all())
    if exact:
        shares = np.unique(values, return_counts=True)[1] / len(values)
        alpha = _exact(1.0 / float(1.0 - np.sum(shares**2)), len(values), n, 1, level)
    return Repetition(
        n=n,
        k=int(filled.any(axis=0).sum()),
        printed_single=alpha,
        printed_mean=_NO_MEAN,
        consistency_single=alpha,
        consistency_mean=_NO_MEAN,
        same=_same(int(equal.sum()), n, level),
        exact=exact,
    )


def _exact(loss: float, n_ratings: int, n: int, k: int, level: float) -> Estimate:
    """Return 1 with a lower limit that further targets could bring it down to.

    Let q be the largest share of targets that differ within k replicates which ``n`` targets without any difference
    leave possible. Values within the observed range R that differ within k replicates with probability q_i have at most
    the variance of two equally likely ends, q_i R^2 / (4 (1 - 2^(1 - k))). So a correlation is at least 1 - q R^2 /
    (4 (1 - 2^(1 - k)) var), and nominal alpha at least 1 - q / D_e. ``loss`` is what stands behind q, range and
    variance as observed.
    """
    low = max(1.0 - differing_at_most(n, level) * loss, 0.0)
    return Estimate(
        value=1.0,
        low=k * low / (1.0 + (k - 1) * low),
        high=1.0,
        level=level,
        method="every target repeated exactly; lower limit from the largest share of targets that could differ "
        "(Clopper and Pearson), each by the observed range",
        covers=COVERS,
        n=n_ratings,
        flags=("boundary", "approximate"),
    )


def _same(count: int, n: int, level: float) -> Estimate:
    return share_estimate(count, n, covers="targets", level=level)


def _covering(found: Estimate | Refusal, covers: str) -> Estimate | Refusal:
    return found if isinstance(found, Refusal) else replace(found, covers=covers)
