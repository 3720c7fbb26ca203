"""The cells of a panel at the cell ratio of each dimension: their weights, and what is summed over them."""

import numpy as np
from scipy.sparse import csr_array

from dialgauge.stats.arrays import Floats
from dialgauge.stats.reml.panel import Panel, Responses, around_big


class Cells:
    """The weights of the cells at the cell ratio g of each dimension: the table N and what is summed over it."""

    def __init__(self, panel: Panel, responses: Responses, g: Floats) -> None:
        self.panel = panel
        self.log_det: Floats | float = 0.0
        self.tables: list[csr_array] | None = None
        if panel.uniform or not g.any():
            shrink = 1.0 / (1.0 + g * panel.cell_count[0])  # where counts differ g is zero here
            self.omega = shrink
            self.weight = panel.cell_count[:, None] * shrink
            self.big_total, self.small_total = panel.big_total[:, None] * shrink, panel.small_total[:, None] * shrink
            self.big_mean = responses.big_mean
            self.apart, self.small_apart = responses.apart * shrink, responses.small_apart * shrink
            if g.any():
                self.log_det = -panel.n_cells * np.log(shrink)
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
        """Return N' x of each dimension, from (n_big, m) to (n_small, m)."""
        if self.tables is None:
            return np.asarray((self.panel.turned @ big) * self.omega)
        return np.stack([table.T @ x for table, x in zip(self.tables, big.T, strict=True)], axis=1)

    def up(self, small: Floats) -> Floats:
        """Return N x of each dimension, from (n_small, m) to (n_big, m)."""
        if self.tables is None:
            return np.asarray((self.panel.table @ small) * self.omega)
        return np.stack([table @ x for table, x in zip(self.tables, small.T, strict=True)], axis=1)

    def table(self, i: int) -> csr_array:
        """Return N of the dimension numbered ``i``."""
        return self.panel.weighted(self.weight[:, i]) if self.tables is None else self.tables[i]

    def between(self, big_weight: Floats) -> Floats:
        """Return N' diag(big_weight) N of each dimension, shape (m, n_small, n_small)."""
        panel, m = self.panel, big_weight.shape[1]
        if self.tables is None and panel.stack is not None:
            return (self._per_class(big_weight) @ panel.stack).reshape(m, panel.n_small, panel.n_small)
        found = np.empty((m, panel.n_small, panel.n_small))
        for i in range(m):
            table = self.table(i)
            found[i] = (table.T @ table.multiply(big_weight[:, i, None]).tocsr()).toarray()
        return found

    def _per_class(self, big_weight: Floats) -> Floats:
        """Return the weight of each class of big levels (all of a class have the same), shape (m, n_classes)."""
        per_class = np.empty((len(self.panel.stack) if self.panel.stack is not None else 0, big_weight.shape[1]))
        per_class[self.panel.big_class] = big_weight
        return np.asarray((per_class * self.omega**2).T)

    def inner(self, big_weight: Floats, upper: Floats) -> Floats:
        """Return the trace of X N' diag(big_weight) N of each dimension.

        The symmetric X are given as ``upper`` triangles, shape (m, n_small, n_small).
        """
        panel, m = self.panel, len(upper)
        diagonal = np.einsum("mii->mi", upper)
        if self.tables is None and panel.stack is not None:
            twice = 2.0 * (upper.reshape(m, -1) @ panel.stack.T) - diagonal @ panel.stack[:, :: panel.n_small + 1].T
            return np.asarray((self._per_class(big_weight) * twice).sum(axis=1))
        between = self.between(big_weight)
        return np.asarray(2.0 * np.einsum("mij,mij->m", upper, between) - np.einsum("mi,mii->m", diagonal, between))
