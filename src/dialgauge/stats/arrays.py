"""The array types of this folder, and the one sum that all of it needs."""

from contextlib import AbstractContextManager
from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
"""Levels of a factor as whole numbers 0, 1, 2, ..., one entry a rating."""


def sum_by(codes: Codes, weights: Floats, n_levels: int = 0) -> Floats:
    """Sum ``weights`` of shape (n,) per level of ``codes``; returns at least ``n_levels`` sums."""
    return np.bincount(codes, weights, minlength=n_levels).astype(np.float64, copy=False)


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Keep linear algebra on one thread: on many small matrices more threads only wait for each other."""
    context: AbstractContextManager[object] = _threads().limit(limits=1, user_api="blas")
    return context
