r"""The random effects of a comparison, and which of them the design can tell apart.

With M the projection that takes the systems out of the values, the variance components are known exactly where the
matrices :math:`M Z_k Z_k' M` and M itself are linearly independent (Rao and Kleffe 1988, ch. 4). Their inner products

.. math:: \langle k, l \rangle = \lVert Z_k' M Z_l \rVert^2

are sums over counts. Effects are taken in a fixed order, and one that those before it make up is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array

from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.compare.records import SystemPanel

RESIDUAL, DIALOGUE = "residual", "dialogue"
PERSONA, PREFERENCE, RATER = "persona", "preference", "rater"
BY_SYSTEM = " x system"

INDEPENDENT = 1e-7
"""Least share of a matrix, in squares, that those before it must leave over."""

_BEFORE, _AFTER = "cannot be told from ", " in these data"


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A random effect: its name, and the level of each value, 0 to ``n_levels`` - 1, each with a value."""

    name: str
    codes: Codes
    n_levels: int


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The effects that the data tell apart, and why the others are left out; ``n_levels`` counts those of each."""

    kept: tuple[Term, ...]
    left_out: Mapping[str, str]
    n_levels: Mapping[str, int]

    @property
    def raters_given(self) -> bool:
        """Whether raters were too few to speak for others."""
        return self.left_out.get(RATER + BY_SYSTEM) == as_given(self.n_levels.get(RATER, 0))


def choose_terms(panel: SystemPanel, *, fewest_raters: int = 0) -> Terms:
    """Return the random effects that the design of ``panel`` tells apart, and the reasons why others are left out.

    Fewer than ``fewest_raters`` raters are taken as given: what they make of a system belongs to the difference.
    """
    n_systems = int(panel.system.max()) + 1
    kept: list[Term] = []
    left_out: dict[str, str] = {}
    basis = _Basis(panel.system, n_systems)
    candidates = _candidates(panel)
    n_raters = next((term.n_levels for term in candidates if term.name == RATER), 0)
    for term in candidates:
        if term.name == RATER + BY_SYSTEM and 1 < n_raters < fewest_raters:
            left_out[term.name] = as_given(n_raters)
            continue
        taken = basis.add(term)
        if taken is None:
            kept.append(term)
        else:
            left_out[term.name] = _explain(term, candidates, taken)
    return Terms(tuple(kept), left_out, {term.name: term.n_levels for term in candidates})


def absorbers(reason: str) -> tuple[str, ...]:
    """Return the components that may hold one that is left out for ``reason``; none where it has a single level."""
    if not reason.startswith(_BEFORE):
        return ()
    return tuple(reason.removeprefix(_BEFORE).removesuffix(_AFTER).split(" and "))


def as_given(n_raters: int) -> str:
    """Return why what raters make of systems is left out where there are few."""
    return f"{n_raters} raters are taken as given"


def only_one(name: str) -> str:
    """Return why a factor with a single level is left out."""
    return f"there is only one {name}"


def _join(first: Codes, second: Codes) -> Codes:
    """Return the codes of two groupings together, without gaps."""
    pairs = first * (int(second.max(initial=0)) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1], dtype=np.intp)


def _candidates(panel: SystemPanel) -> list[Term]:
    """Return all effects that the panel names, in the order in which they are taken."""
    factors = {PERSONA: panel.persona, PREFERENCE: panel.preference}
    if panel.rater is not None:
        factors[RATER] = panel.rater
    found = [_term(name, codes) for name, codes in factors.items()]
    found += [_term(name + BY_SYSTEM, _join(codes, panel.system)) for name, codes in factors.items()]
    return [*found, _term(DIALOGUE, panel.dialogue)]


def _term(name: str, codes: Codes) -> Term:
    levels, dense = np.unique(codes, return_inverse=True)
    return Term(name, np.asarray(dense, dtype=np.intp), int(levels.size))


def _explain(term: Term, candidates: Sequence[Term], taken: Sequence[str]) -> str:
    factor = next((one for one in candidates if one.name == term.name.removesuffix(BY_SYSTEM)), term)
    if factor.n_levels == 1:
        return only_one(factor.name)
    return f"{_BEFORE}{' and '.join(taken)}{_AFTER}"


class _Basis:
    """The matrices taken so far, with their inner products."""

    def __init__(self, system: Codes, n_systems: int) -> None:
        self.system = Term("system", system, n_systems)
        self.per_system = np.bincount(system, minlength=n_systems).astype(np.float64)
        self.terms: list[Term] = []
        self.gram = np.array([[float(system.size - n_systems)]])

    def add(self, term: Term) -> tuple[str, ...] | None:
        """Take ``term`` in; where those before make it up return their names instead."""
        by_system = _counts(term, self.system)
        size = self._inner(term, term, by_system)
        total = float((np.bincount(term.codes).astype(np.float64) ** 2).sum())
        if size <= INDEPENDENT * total:
            return ("system",)
        inner = np.array([self._trace(by_system, term), *(self._inner(term, one, by_system) for one in self.terms)])
        weights = np.linalg.lstsq(self.gram, inner, rcond=1e-12)[0]
        if size - float(inner @ weights) > INDEPENDENT * size:
            self.terms.append(term)
            self.gram = np.block([[self.gram, inner[:, None]], [inner[None], np.array([[size]])]])
            return None
        shares = np.abs(weights) * np.sqrt(np.diag(self.gram) / size)
        names = [RESIDUAL, *(one.name for one in self.terms)]
        return tuple(name for name, share in zip(names, shares, strict=True) if share > 1e-4)

    def _trace(self, by_system: csr_array, term: Term) -> float:
        """Return the trace of Z'MZ."""
        squares = np.asarray(by_system.power(2).sum(axis=0)).ravel()
        return float(term.codes.size - (squares / self.per_system).sum())

    def _inner(self, term: Term, other: Term, by_system: csr_array) -> float:
        """Return the sum of the squares of Z_k'MZ_l = N - A D^-1 B' with the counts N, A and B and D = X'X."""
        others = _counts(other, self.system)
        both = _counts(term, other)
        crossed = np.asarray(((by_system.T @ both) @ others).todense()) / self.per_system
        one, two = (np.asarray((x.T @ x).todense()) / self.per_system for x in (by_system, others))
        return float(both.power(2).sum() - 2.0 * np.trace(crossed) + np.trace(one @ two))


def _counts(first: Term, second: Term) -> csr_array:
    """Return how many values each pair of levels has."""
    ones: Floats = np.ones(first.codes.size)
    return coo_array((ones, (first.codes, second.codes)), shape=(first.n_levels, second.n_levels)).tocsr()
