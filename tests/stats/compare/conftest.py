"""Panels of systems made by fixed formulae (peers.R has the same ones)."""

from collections.abc import Callable

import numpy as np
import pytest

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.compare import SystemPanel

Draw = Callable[..., SystemPanel]


def noise(i: Codes, k: int) -> Floats:
    """Return numbers with mean about 0 and variance about 1 that look random."""
    residues = ((i + 1) * 7919 + (k + 1) * 104729 + (i + 1) ** 2 * 31) % 1009
    return np.asarray(np.sqrt(12.0) * (residues / 1009.0 - 0.5))


def draw(
    sizes: tuple[int, int, int, int, int], sd: tuple[float, ...], drop: int = 0, *, rated: bool = True
) -> SystemPanel:
    """Return a panel of ``sizes`` systems, personas, preferences, raters and replicates, without some rows.

    ``sd`` are those of persona, preference, persona x system, preference x system, dialogue, rater, rater x system and
    residual.
    """
    s, p, q, r, _ = (axis.ravel() for axis in np.meshgrid(*map(np.arange, sizes), indexing="ij"))
    d = (s * sizes[1] + p) * sizes[2] + q
    i = np.arange(s.size)
    levels = (p, q, s * sizes[1] + p, s * sizes[2] + q, d, r, s * sizes[3] + r, i)
    y = 0.4 * s + sum(one * noise(codes, k) for k, (one, codes) in enumerate(zip(sd, levels, strict=True), start=1))
    kept = (i * 17) % 10 >= drop
    return SystemPanel(np.round(y, 4)[kept], s[kept], p[kept], q[kept], d[kept], r[kept] if rated else None)


@pytest.fixture
def rated() -> SystemPanel:
    """Three systems, six personas, three preferences, three raters, two replicates; three rows of ten are missing."""
    return draw((3, 6, 3, 3, 2), (0.6, 0.5, 0.5, 0.4, 0.5, 0.5, 0.4, 0.8), 3)


@pytest.fixture
def unbalanced() -> SystemPanel:
    """Four systems, eight personas, four preferences, one value a dialogue; three dialogues of ten are missing."""
    return draw((4, 8, 4, 1, 1), (0.6, 0.5, 0.5, 0.4, 0.0, 0.0, 0.0, 0.8), 3, rated=False)


@pytest.fixture
def edge() -> SystemPanel:
    """Three systems, eight personas, four preferences; nothing but personas and noise, two dialogues of ten missing."""
    return draw((3, 8, 4, 1, 1), (0.6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), 2, rated=False)


@pytest.fixture
def balanced() -> SystemPanel:
    """Three systems, ten personas, four preferences, one value a dialogue, none missing."""
    return draw((3, 10, 4, 1, 1), (0.6, 0.5, 0.7, 0.6, 0.0, 0.0, 0.0, 0.8), rated=False)
