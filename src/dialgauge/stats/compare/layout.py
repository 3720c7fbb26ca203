"""The design and the values of a comparison, summed once: what the criterion needs instead of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from scipy.sparse import csr_array, hstack

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.compare.terms import BY_SYSTEM, DIALOGUE, PERSONA, PREFERENCE, Term


@dataclass(frozen=True, slots=True, eq=False)
class Parent:
    """In which level of the next effect of the chain each level lies, (q,), and the matrix that sums over them."""

    codes: Codes
    sums: csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Sums over the values, the effects in the order of ``names``: first the chain, finest first, then all others.

    T has the columns of the others, then of the systems, then the values, standardised: less ``centre``, over
    ``scale``. ``gram`` is T'T. ``first_count`` (q,) and ``first_sum`` (q, r) are the number of values and the sum of
    the rows of T in each level of the first effect of the chain; ``parents`` tells for each effect of the chain in
    which level of the next its levels lie, None for the last. ``blocks`` are the numbers of levels of the others.
    """

    names: tuple[str, ...]
    n: int
    n_systems: int
    n_chain: int
    parents: tuple[Parent | None, ...]
    first_count: Floats
    first_sum: Floats
    gram: Floats
    blocks: tuple[int, ...]
    centre: float
    scale: float

    @property
    def n_dense(self) -> int:
        """Levels of the effects outside the chain."""
        return sum(self.blocks)

    @property
    def total(self) -> float:
        """The sum of the squares of the standardised values."""
        return float(self.gram[-1, -1])

    @classmethod
    def of(cls, values: Floats, system: Codes, terms: Sequence[Term]) -> Self:
        """Sum ``values`` (n,) of the ``system`` codes (n,) by the levels of ``terms``."""
        chain, others = _split(terms)
        n, n_systems = values.size, int(system.max()) + 1
        centre, scale = float(values.mean()), float(values.std())
        columns = [_indicator(term.codes, term.n_levels) for term in others]
        y = csr_array(((values - centre) / scale)[:, None])
        table = hstack([*columns, _indicator(system, n_systems), y], format="csr")
        gram = np.asarray((table.T @ table).todense())
        count, total = np.zeros(0), np.zeros((0, table.shape[1]))
        if chain:
            first = _indicator(chain[0].codes, chain[0].n_levels)
            count, total = np.asarray(first.sum(axis=0)).ravel(), np.asarray((first.T @ table).todense())
        parents = [*(_parent(inner, outer) for inner, outer in pairwise(chain)), None]
        return cls(
            names=tuple(term.name for term in (*chain, *others)),
            n=n,
            n_systems=n_systems,
            n_chain=len(chain),
            parents=tuple(parents[: len(chain)]),
            first_count=count,
            first_sum=total,
            gram=gram,
            blocks=tuple(term.n_levels for term in others),
            centre=centre,
            scale=scale,
        )


def _split(terms: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """Return the chain of effects within each other that has most levels, and all other effects."""
    named = {term.name: term for term in terms}
    chains = [(DIALOGUE, factor + BY_SYSTEM, factor) for factor in (PERSONA, PREFERENCE)]
    sizes = [sum(named[name].n_levels for name in chain if name in named) for chain in chains]
    names = chains[int(np.argmax(sizes))]
    return [named[name] for name in names if name in named], [term for term in terms if term.name not in names]


def _indicator(codes: Codes, n_levels: int) -> csr_array:
    n = codes.size
    return csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_levels))


def _parent(inner: Term, outer: Term) -> Parent:
    codes = np.empty(inner.n_levels, dtype=np.intp)
    codes[inner.codes] = outer.codes
    return Parent(codes, _indicator(codes, outer.n_levels).T.tocsr())
