r"""What is exchanged between occasions: the means of targets, and what a reliability is made of.

ICC(1) rises with F = MS_B / MS_W alone. To first order log F changes with the sum over targets of b_i / MS_B - w_i /
MS_W, where w_i is the variance within target i and b_i the squared distance of its mean from that of all, times the
number of replicates. With mean squares and centre from baseline and later occasion together, which the order of the two
leaves alone, the loss of a target, w_i / MS_W - b_i / MS_B, can be exchanged as its mean can.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from dialgauge.errors import InputError
from dialgauge.stats.arrays import Floats
from dialgauge.stats.monitor.exchange import Sides, exchange_evidence

FEWEST = 2
"""Targets from which a window has any evidence."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The log of an e-value, and how many of the latest occasions the strongest part of it rests on."""

    log_e: float
    window: int


def shift_evidence(cube: Floats) -> Evidence:
    """Return the evidence that means have shifted by the last occasion of ``cube`` (targets, occasions, replicates).

    Column 0 is the baseline; NaN stands for a rating that is not there. The last 1, 2, 4, ... occasions together are
    compared with the baseline, each window with the targets that are complete in it. Raises ``InputError`` for a shape
    that is none.
    """
    means = _check(cube).mean(axis=2)
    return _mix([(w, _window(means, w, "both")) for w in _windows(cube.shape[1] - 1)])


def reliability_evidence(cube: Floats) -> Evidence:
    """Return the evidence that reliability is lower by the last occasion of ``cube``, as in `shift_evidence`.

    Two parts: more variance within targets in the last 1, 2, 4, ... occasions, which shifts leave alone, and a lower F
    on the last occasion. Needs two replicates.
    """
    y = _check(cube)
    if y.shape[2] < 2:
        raise InputError("the reliability of an occasion needs two replicates")
    within = y.var(axis=2, ddof=1)
    found = [(w, _window(within, w, "up")) for w in _windows(y.shape[1] - 1)]
    ends = y[:, [0, -1], :]
    found.append((1, _window(_losses(ends[np.isfinite(ends).all(axis=(1, 2))]), 1, "up")))
    return _mix(found)


def _check(cube: Floats) -> Floats:
    y = np.asarray(cube, dtype=np.float64)
    if y.ndim != 3 or y.shape[1] < 2 or y.shape[2] < 1:
        raise InputError(f"evidence needs (targets, occasions, replicates) with two occasions, got shape {y.shape}")
    return y


def _windows(n: int) -> list[int]:
    return [w for w in (2**p for p in range(31)) if w <= n]


def _window(table: Floats, width: int, sides: Sides) -> float:
    """Return the evidence of the last ``width`` occasions of a table (targets, occasions)."""
    chosen = table[:, [0, *range(table.shape[1] - width, table.shape[1])]]
    chosen = chosen[np.isfinite(chosen).all(axis=1)]
    return exchange_evidence(chosen, sides=sides) if len(chosen) >= FEWEST else 0.0


def _losses(pair: Floats) -> Floats:
    """Return the loss of each target on two occasions, shape (targets, 2)."""
    if not pair.size:
        return np.empty((0, 2))
    within = pair.var(axis=2, ddof=1)
    between = pair.shape[2] * (pair.mean(axis=2) - pair.mean()) ** 2
    parts = [part / part.mean() if part.mean() > 0.0 else np.zeros_like(part) for part in (within, between)]
    return np.asarray(parts[0] - parts[1])


def _mix(found: Sequence[tuple[int, float]]) -> Evidence:
    logs = np.array([log for _, log in found])
    return Evidence(float(logsumexp(logs) - np.log(len(logs))), found[int(np.argmax(logs))][0])
