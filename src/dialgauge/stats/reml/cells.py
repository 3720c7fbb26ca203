"""The cells of a panel at the cell ratio of each dimension: their weights, and what is summed over them."""

import numpy as np
from scipy.sparse import csr_array

from dialgauge.stats.arrays import Floats
from dialgauge.stats.reml.packed import pack, packed_size
from dialgauge.stats.reml.panel import Panel, Responses, around_big


class Cells:
    """The weights of the cells at the cell ratio g of each dimension: the table N and what is summed over it.

    Where all g are zero the weights are the counts, and the arrays of the design are one wide.
    """

    def __init__(self, panel: Panel, responses: Responses, g: Floats) -> None:
        self.panel = panel
        self.log_det: Floats | float = 0.0
        self.tables: list[csr_array] | None = None
        self.plain = not g.any()
        self.weight, self.omega = panel.cell_count[:, None], np.ones(1)
        self.big_total, self.small_total = panel.big_total[:, None], panel.small_total[:, None]
        self.big_mean, self.apart, self.small_apart = responses.big_mean, responses.apart, responses.small_apart
        if self.plain:
            return
        if panel.uniform:
            self.omega = 1.0 / (1.0 + g * panel.cell_count[0])
            self.weight = self.weight * self.omega
            self.big_total, self.small_total = self.big_total * self.omega, self.small_total * self.omega
            self.apart, self.small_apart = self.apart * self.omega, self.small_apart * self.omega
            self.log_det = -panel.n_cells * np.log(self.omega)
            return
        shrunk = 1.0 / (1.0 + g * panel.cell_count[:, None])
        self.weight = panel.cell_count[:, None] * shrunk
        self.log_det = -np.log(shrunk).sum(axis=0)
        self.tables = [panel.weighted(column) for column in self.weight.T]
        self.big_total = np.stack([np.asarray(table.sum(axis=1)) for table in self.tables], axis=1)
        self.small_total = np.stack([np.asarray(table.sum(axis=0)) for table in self.tables], axis=1)
        self.big_mean, self.apart, self.small_apart = around_big(
            panel, self.weight, self.big_total, responses.cell_mean
        )

    def down(self, big: Floats) -> Floats:
        """Return N' x of each dimension, from (n_big, j, m) to (n_small, j, m)."""
        if self.tables is None:
            return self._times(self.panel.turned, big)
        return np.stack([table.T @ big[..., i] for i, table in enumerate(self.tables)], axis=2)

    def up(self, small: Floats) -> Floats:
        """Return N x of each dimension, from (n_small, j, m) to (n_big, j, m)."""
        if self.tables is None:
            return self._times(self.panel.table, small)
        return np.stack([table @ small[..., i] for i, table in enumerate(self.tables)], axis=2)

    def _times(self, table: csr_array | Floats, x: Floats) -> Floats:
        found = np.asarray((table @ x.reshape(len(x), -1)).reshape(-1, *x.shape[1:]))
        return found if self.plain else found * self.omega

    def table(self, i: int) -> csr_array:
        """Return N of the dimension numbered ``i``."""
        return (
            self.panel.weighted(columns(self.weight, slice(i, i + 1))[:, 0]) if self.tables is None else self.tables[i]
        )

    def between(self, big_weight: Floats, some: slice) -> Floats:
        """Return N' diag(big_weight) N of the dimensions ``some``, packed, shape (n_some, packed).

        ``big_weight`` has shape (n_big, n_some).
        """
        stack = self.panel.stack
        if self.tables is None and stack is not None:
            weights = self._per_class(big_weight, some)
            return np.asarray(weights * stack if len(stack) == 1 else weights @ stack)
        found = np.empty((big_weight.shape[1], packed_size(self.panel.n_small)))
        for i, weight, row in zip(range(some.start, some.stop), big_weight.T, found, strict=True):
            table = self.table(i)
            row[:] = pack((table.T @ table.multiply(weight[:, None]).tocsr()).toarray())
        return found

    def inner(self, big_weight: Floats, some: slice, packed: Floats) -> Floats:
        """Return the trace of X N' diag(big_weight) N of the dimensions ``some`` from their packed symmetric X."""
        stack, at = self.panel.stack, self.panel.diagonal
        diagonal = packed[:, at]
        if self.tables is None and stack is not None:
            traces = 2.0 * (packed @ stack.T) - diagonal @ stack[:, at].T
            return np.asarray((self._per_class(big_weight, some) * traces).sum(axis=1))
        between = self.between(big_weight, some)
        return np.asarray(2.0 * (packed * between).sum(axis=1) - (diagonal * between[:, at]).sum(axis=1))

    def _per_class(self, big_weight: Floats, some: slice) -> Floats:
        """Return the weight of each class of big levels (all of a class have the same), shape (n_some, n_classes)."""
        weight = big_weight[self.panel.class_first].T
        return weight if self.plain else weight * self.omega[some, None] ** 2


def columns(x: Floats, some: slice) -> Floats:
    """Return the dimensions ``some`` of what is m wide, or one wide for all."""
    return x if x.shape[1] == 1 else x[:, some]
