"""Symmetric matrices in rectangular full packed format: half the memory, and LAPACK works on it in large blocks.

Gustavson, Wasniewski, Dongarra and Langou (2010), format "N", lower: a matrix of n rows is a vector of n (n + 1) / 2.
"""

import numpy as np
from scipy.linalg.lapack import dtfttr, dtrttf

from dialgauge.stats.arrays import Codes, Floats


def pack(matrix: Floats) -> Floats:
    """Pack the symmetric ``matrix``, shape (n, n)."""
    return np.asarray(dtrttf(matrix.T, uplo="L")[0])


def unpack(packed: Floats, n: int) -> Floats:
    """Return the symmetric matrix of ``n`` rows, both triangles filled."""
    lower = np.tril(dtfttr(n, packed, uplo="L")[0])
    return np.asarray(lower + np.tril(lower, -1).T)


def packed_size(n: int) -> int:
    """Return how many numbers a packed matrix of ``n`` rows has."""
    return n * (n + 1) // 2


def diagonal_positions(n: int) -> Codes:
    """Return where the diagonal of a matrix of ``n`` rows is packed.

    The last half of the rows lies turned over the first one, in columns of n or n + 1 numbers, whichever is odd.
    """
    odd, half, rows = n % 2, n - n // 2, np.arange(n)
    length = n + 1 - odd
    last = rows - half
    return np.where(rows < half, rows + 1 - odd + rows * length, last + (last + odd) * length)
