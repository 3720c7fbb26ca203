"""One dimension on its way through the analysis of agreement."""

from dataclasses import dataclass

import numpy as np

from dialgauge.analyse.agreement.records import Metric, RaterScope, WeightsChoice
from dialgauge.analyse.tables import Block
from dialgauge.errors import CannotEstimateError, InputError
from dialgauge.model import Scale
from dialgauge.stats.agreement.counts import MISSING, Counts, tabulate
from dialgauge.stats.agreement.expected import category_midranks
from dialgauge.stats.agreement.weights import Kind, rating_weights
from dialgauge.stats.arrays import Codes, Floats
from dialgauge.stats.design import Design

MOST_PAIRED_RATERS = 10
"""Up to so many raters are compared pair by pair, and each with a distribution of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One dimension with the options that apply to it; arrays have shape (n,), one entry a rating."""

    name: str
    block: Block
    values: Floats
    scale: Scale
    raters: tuple[str, ...]
    asked: WeightsChoice
    scope: RaterScope
    level: float

    @property
    def design(self) -> Design:
        """Who rated what."""
        return self.block.design

    @property
    def metric(self) -> Metric:
        """The difference function of alpha that belongs to the declared level of measurement."""
        return "nominal" if self.scale.level == "binary" else self.scale.level

    @property
    def weights(self) -> Kind:
        """The agreement weights: what was asked for, or what the declared level carries. Two points leave no choice."""
        if self.scale.points is None or len(self.scale.points) == 2 or self.metric == "nominal":
            return "identity"
        if self.asked != "auto":
            return self.asked
        return "ordinal" if self.metric == "ordinal" else "quadratic"

    @property
    def W(self) -> Floats:  # noqa: N802 (the textbook's letter)
        """The weights as a matrix (points, points)."""
        return rating_weights(self.weights, self.points)

    @property
    def points(self) -> Floats:
        """The declared points of the scale."""
        return np.asarray(self.scale.points or (), dtype=np.float64)

    @property
    def too_few(self) -> str:
        """Say why these raters can tell nothing about others, "" where they can: it takes three to leave one out."""
        n = self.design.n_raters
        return "" if n > 2 else "there are two raters" if n == 2 else "there is one rater"

    @property
    def few(self) -> bool:
        """Whether raters are few enough to be compared pair by pair."""
        return 2 <= self.design.n_raters <= MOST_PAIRED_RATERS

    def check_options(self) -> None:
        """Raise ``InputError`` where weights were asked for that the declared level does not carry."""
        if self.metric == "nominal" and self.asked not in {"auto", "identity"}:
            raise InputError(
                f"{self.name} is declared as {self.scale.level}: its categories have no distances, so {self.asked} "
                "weights mean nothing there; use the weights auto or identity, or declare an order if there is one"
            )

    def count(self) -> Counts:
        """Return the ratings counted by target and declared point; ``CannotEstimateError`` where they are no points."""
        if self.scale.points is None:
            raise CannotEstimateError(
                "the scale is continuous, and this coefficient needs categories",
                remedy="read alpha, or dialgauge reliability",
            )
        codes = np.minimum(np.searchsorted(self.points, self.values), len(self.points) - 1)
        between = int(np.sum(self.points[codes] != self.values))
        if between:
            raise CannotEstimateError(
                f"{between} ratings lie between the points of the scale, as means of repeated ratings do",
                remedy="keep the first or the last of repeated ratings, or all as replicates",
            )
        return tabulate(
            self.block.target, codes, n_categories=len(self.points), rater_codes=np.asarray(self.block.rater)
        )

    def distances(self, counts: Counts, metric: Metric) -> Floats:
        """Return the squared differences (points, points) of alpha between the declared points."""
        if metric == "nominal":
            return 1.0 - np.eye(len(self.points))
        x = category_midranks(counts) if metric == "ordinal" else self.points
        gap = (x[:, None] - x) ** 2
        if metric != "ratio":
            return np.asarray(gap)
        both = (x[:, None] + x) ** 2
        return np.asarray(np.divide(gap, both, out=np.zeros_like(gap), where=both > 0))

    def table(self, counts: Counts) -> Codes:
        """Return category codes (targets, raters), -1 for empty; for few raters without replicates only."""
        if self.design.replicates_max > 1:
            raise CannotEstimateError(
                "raters rated some targets several times, and pairs of raters need one rating each",
                remedy="keep the first or the last of repeated ratings",
            )
        found = np.full((counts.n_targets, self.design.n_raters), MISSING)
        found[counts.target, counts.rater] = counts.category
        return found
