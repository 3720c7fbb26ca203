"""One root seed, named child streams: the same name under the same seed always gives the same numbers."""

import hashlib

import numpy as np


def child_rng(seed: int, *names: str | int) -> np.random.Generator:
    """Return the random stream that belongs to ``names`` under ``seed``.

    Streams of different names are independent; adding a new one never disturbs the others.
    """
    digest = hashlib.sha256("\x1f".join(str(name) for name in names).encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))
