"""Means of values that come in clusters, such as several answers on one target, with intervals over the clusters."""

import math
from itertools import product

import numpy as np
from scipy.special import stdtrit

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.estimate import Estimate
from dialgauge.stats.ranges import require_open

MOST_EXACT = 16
"""Clusters up to which all changes of sign are gone through; beyond it so many are drawn."""

DRAWS = 20_000


def mean_of_clusters(
    values: Floats,
    cluster: Codes,
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    covers: str,
    level: float = 0.95,
) -> Estimate:
    """Return the mean of ``values`` (shape (n,)) with an interval that resamples whole clusters.

    ``cluster`` holds the code of the cluster of each value, 0 to G - 1, each code used. ``bounds`` are the least and
    the greatest that a value can be. The standard error is the linearised one of a ratio, sqrt(G / (G - 1) sum_g
    (sum_i (y_gi - m))^2) / n (Liang and Zeger 1986, with the factor for few clusters), the interval Student's t with
    G - 1 degrees of freedom, cut to ``bounds``. With one value in each cluster that is the t interval of a mean.

    Where all clusters have one and the same mean, that interval would have no width: instead the share of clusters
    that might differ is bounded by Clopper and Pearson (1934), 1 - ((1 - level) / 2)^(1 / G), and these are put at the
    end of ``bounds``. Without finite ``bounds``, and with one cluster, there is no interval.

    Raises CannotEstimateError without values, InputError for a level outside (0, 1).
    """
    require_open("level", level, 0.0, 1.0)
    n = values.size
    if n == 0:
        raise CannotEstimateError("there is no value to take a mean of", remedy="collect the ratings that lack")
    mean = float(np.mean(values))
    n_clusters = int(np.max(cluster)) + 1
    means = np.bincount(cluster, values) / np.bincount(cluster)
    method, low, high = "mean over clusters, t interval", -math.inf, math.inf
    if n_clusters > 1 and np.ptp(means) > 1e-12:
        sums = np.bincount(cluster, values - mean)
        error = math.sqrt(n_clusters / (n_clusters - 1) * float(sums @ sums)) / n
        margin = float(stdtrit(n_clusters - 1, (1.0 + level) / 2.0)) * error
        low, high = max(mean - margin, bounds[0]), min(mean + margin, bounds[1])
    elif n_clusters > 1:
        method = "mean over clusters that are all alike, exact bound on the share that may differ (Clopper and Pearson)"
        share = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / n_clusters)
        low, high = mean - share * (mean - bounds[0]), mean + share * (bounds[1] - mean)
    if math.isfinite(low) and math.isfinite(high):
        return Estimate(mean, min(low, mean), max(high, mean), level, method, covers, n)
    return Estimate(mean, None, None, level, "mean", covers, n, ("no_interval",))


def sign_flip_p(sums: Floats, *, rng: np.random.Generator) -> tuple[float, bool]:
    """Return the one-sided p of a positive sum of ``sums`` (shape (G,)), and whether it is exact.

    Under the null hypothesis each cluster's sum is as likely with the other sign (Fisher 1935). All 2^G changes of
    sign up to 16 clusters, else 20,000 drawn ones, the observed one counted among them.
    """
    if sums.size == 0:
        raise InputError("a test needs at least one cluster; collect the ratings that lack")
    observed, room = float(sums.sum()), 1e-9 * max(1.0, float(np.abs(sums).sum()))
    if sums.size <= MOST_EXACT:
        signs = np.array(list(product((1.0, -1.0), repeat=sums.size)))
        return float(np.mean(signs @ sums >= observed - room)), True
    drawn = rng.choice((-1.0, 1.0), size=(DRAWS, sums.size)) @ sums
    return float((1 + np.count_nonzero(drawn >= observed - room)) / (DRAWS + 1)), False


def jackknife_margin(left_out: Floats, *, level: float) -> float:
    """Return half the width of the interval of the delete-one jackknife (Tukey 1958), t with G - 1 degrees of freedom.

    ``left_out`` holds the statistic without each of G > 1 clusters in turn, ``level`` is the confidence level.
    """
    n = left_out.size
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    return float(stdtrit(n - 1, (1.0 + level) / 2.0)) * error


def jackknife_mean(
    full: float, left_out: Floats, *, bounds: tuple[float, float], covers: str, level: float
) -> Estimate:
    """Return ``full`` with the interval of the delete-one jackknife (Tukey 1958), t with G - 1 degrees of freedom.

    ``left_out`` holds the statistic without each of the G clusters in turn. Raises CannotEstimateError below three.
    """
    n = left_out.size
    if n < 3:
        raise CannotEstimateError(f"{n} clusters are too few to leave one out", remedy="rate three targets or more")
    margin = jackknife_margin(left_out, level=level)
    low, high = max(full - margin, bounds[0]), min(full + margin, bounds[1])
    return Estimate(full, low, high, level, "delete-one jackknife over targets, t interval", covers, n)
