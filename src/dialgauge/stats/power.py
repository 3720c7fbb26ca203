r"""Power and precision by formula: one-way intraclass correlations and Pearson correlations.

Intraclass correlations (n targets, k ratings each, a test of :math:`\rho > \rho_0`) after Walter, Eliasziw and Donner
(1998):

.. math::
    n = 1 + \frac{2 (z_\alpha + z_\beta)^2 k}{(k - 1) \ln^2 C}, \qquad
    C = \frac{1 + k \rho / (1 - \rho)}{1 + k \rho_0 / (1 - \rho_0)}

This approximates the exact F test of Donner and Eliasziw (1987), and its inverse in every argument is closed.
Precision rests on the large-sample variance (Fisher 1925; Donner and Eliasziw 1987)

.. math:: \mathrm{Var}(\hat\rho) = \frac{2 (1 - \rho)^2 (1 + (k - 1) \rho)^2}{k (k - 1) (n - 1)}

Correlations use Fisher's z with standard error :math:`1 / \sqrt{n - 3}`.

Everywhere ``alpha`` is the level of the whole test: with ``sides=2`` each tail has half of it, and only rejections in
the right direction count as power. Designs with shared raters need `dialgauge.stats.plan`.
"""

import math
from collections.abc import Iterable
from typing import Literal

from scipy.special import ndtr, ndtri

from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.stats.ranges import require_above, require_open, require_share

Sides = Literal[1, 2]


def icc_sample_size(
    rho: float, rho0: float = 0.0, *, k: float, alpha: float = 0.05, power: float = 0.8, sides: Sides = 1
) -> int:
    """Return the least number of targets with which an ICC of ``rho`` is shown to exceed ``rho0``.

    ``rho`` and ``rho0`` lie in [0, 1), ``rho`` above; ``k`` > 1 is the number of ratings per target. Raises
    ``InputError``. Source: Walter, Eliasziw and Donner (1998).
    """
    gain = _log_c(rho, rho0, k)
    if not gain > 0.0:
        raise InputError(f"the expected ICC must exceed the one to be ruled out, got {rho} and {rho0}")
    z = _quantile(alpha, power, sides)
    return _ceil(1.0 + 2.0 * z**2 * k / (k - 1.0) / gain / gain, f"an ICC of {rho} so close to {rho0}")


def icc_power(rho: float, rho0: float = 0.0, *, n: float, k: float, alpha: float = 0.05, sides: Sides = 1) -> float:
    """Return the probability (0 to 1) that an ICC of ``rho`` is shown to exceed ``rho0`` with ``n`` > 1 targets.

    ``rho`` may lie below ``rho0``: the power is then below the level. Raises ``InputError``. Source: Walter, Eliasziw
    and Donner (1998), solved for the power.
    """
    require_above("the number of targets", n, 1.0)
    gain = _log_c(rho, rho0, k)
    return float(ndtr(gain * math.sqrt((n - 1.0) * (k - 1.0) / (2.0 * k)) - _critical(alpha, sides)))


def least_detectable_icc(
    n: float,
    k: float,
    *,
    rho0: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 1,
    grid: Iterable[float] | None = None,
) -> float:
    """Return the least ICC (0 to 1) that ``n`` > 1 targets with ``k`` > 1 ratings each show to exceed ``rho0``.

    With a ``grid`` of ICCs in [0, 1) it is the least of those that does: a study that searched a grid printed that
    number, which is up to one step too high. Raises ``InputError``, and ``CannotEstimateError`` where no value of the
    grid suffices. Source: Walter, Eliasziw and Donner (1998), solved for rho.
    """
    require_above("the number of targets", n, 1.0)
    _check_ratings(k)
    require_share("the ICC to be ruled out", rho0)
    log_c = _quantile(alpha, power, sides) * math.sqrt(2.0 * k / ((k - 1.0) * (n - 1.0)))
    log_base = math.log1p(k * rho0 / (1.0 - rho0))
    # theta = expm1(log_base + log_c) / k, and rho = theta / (1 + theta) written so that a huge C gives 1
    shrunk = math.exp(-log_base - log_c)
    least = (1.0 - shrunk) / (1.0 + (k - 1.0) * shrunk)
    return least if grid is None else _first_on(grid, least)


def icc_width(rho: float, *, n: float, k: float, level: float = 0.95) -> float:
    """Return the width of the large-sample interval of an ICC of ``rho`` with ``n`` > 1 targets of ``k`` > 1 ratings.

    ``level`` is the confidence level. Raises ``InputError``. Source: Donner and Eliasziw (1987).
    """
    require_above("the number of targets", n, 1.0)
    return 2.0 * _two_sided(level) * math.sqrt(_unit_variance(rho, k) / (n - 1.0))


def icc_sample_size_for_width(rho: float, width: float, *, k: float, level: float = 0.95) -> int:
    """Return the least number of targets with which the interval of an ICC of ``rho`` is at most ``width`` wide.

    ``width`` lies in (0, 1). Raises ``InputError``. Source: the variance of Donner and Eliasziw (1987), solved for n.
    """
    require_open("the width of the interval", width, 0.0, 1.0)
    n = 1.0 + _unit_variance(rho, k) * (2.0 * _two_sided(level) / width) ** 2
    return max(2, _ceil(n, f"an interval {width} wide"))


def correlation_power(r: float, n: float, *, alpha: float = 0.05, sides: Sides = 2) -> float:
    """Return the probability (0 to 1) that a correlation of ``r`` in (-1, 1) is shown not to be 0 with ``n`` > 3 pairs.

    Raises ``InputError``. Source: Fisher (1921).
    """
    require_above("the number of pairs", n, 3.0)
    require_open("the correlation", r, -1.0, 1.0)
    return float(ndtr(abs(math.atanh(r)) * math.sqrt(n - 3.0) - _critical(alpha, sides)))


def correlation_sample_size(r: float, *, alpha: float = 0.05, power: float = 0.8, sides: Sides = 2) -> int:
    """Return the least number of pairs with which a correlation of ``r`` in (-1, 1), not 0, is shown not to be zero.

    Raises ``InputError``. Source: Fisher (1921), solved for n.
    """
    require_open("the correlation", abs(r), 0.0, 1.0)
    z = _quantile(alpha, power, sides) / math.atanh(abs(r))
    return max(4, _ceil(3.0 + z * z, f"a correlation of {r}"))


def least_detectable_correlation(n: float, *, alpha: float = 0.05, power: float = 0.8, sides: Sides = 2) -> float:
    """Return the least correlation (0 to 1) that ``n`` > 3 pairs show not to be zero.

    Raises ``InputError``. Source: Fisher (1921), solved for r.
    """
    require_above("the number of pairs", n, 3.0)
    return math.tanh(_quantile(alpha, power, sides) / math.sqrt(n - 3.0))


def _first_on(grid: Iterable[float], least: float) -> float:
    """Return the least value of ``grid`` that is not below ``least``."""
    values = [float(rho) for rho in grid]
    for rho in values:
        require_share("an ICC of the grid", rho)
    enough = [rho for rho in values if rho >= least]
    if not enough:
        raise CannotEstimateError(
            f"no value of the grid reaches the least detectable ICC of {least:.4f}", remedy="extend the grid upwards"
        )
    return min(enough)


def _log_c(rho: float, rho0: float, k: float) -> float:
    _check_ratings(k)
    require_share("the expected ICC", rho)
    require_share("the ICC to be ruled out", rho0)
    return math.log1p(k * rho / (1.0 - rho)) - math.log1p(k * rho0 / (1.0 - rho0))


def _unit_variance(rho: float, k: float) -> float:
    """Variance of the ICC times n - 1."""
    _check_ratings(k)
    require_share("the expected ICC", rho)
    return 2.0 * (1.0 - rho) ** 2 * (1.0 + (k - 1.0) * rho) ** 2 / (k * (k - 1.0))


def _check_ratings(k: float) -> None:
    require_above("the number of ratings per target", k, 1.0)


def _critical(alpha: float, sides: Sides) -> float:
    require_open("alpha", alpha, 0.0, 1.0)
    if sides not in (1, 2):
        raise InputError(f"a test has 1 or 2 sides, got {sides}")
    return float(ndtri(1.0 - alpha / sides))


def _quantile(alpha: float, power: float, sides: Sides) -> float:
    """Return z_alpha + z_beta; it is positive where the power exceeds what chance gives."""
    critical = _critical(alpha, sides)
    require_open("the power", power, alpha / sides, 1.0)
    return critical + float(ndtri(power))


def _two_sided(level: float) -> float:
    require_open("the confidence level", level, 0.0, 1.0)
    return float(ndtri(0.5 + level / 2.0))


def _ceil(n: float, what: str) -> int:
    """Round up; an n that is whole but for rounding stays."""
    if not math.isfinite(n):
        raise InputError(f"{what} needs more targets than can be counted; ask for less")
    return math.ceil(n - 1e-9 * n)
