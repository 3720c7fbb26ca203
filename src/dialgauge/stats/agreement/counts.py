"""Ratings on a declared scale, counted: targets x categories."""

from dataclasses import dataclass

import numpy as np

from dialgauge.errors import CannotEstimateError, InputError, OffScaleError
from dialgauge.stats.arrays import Codes

MISSING = -1
"""The code of an empty cell in a table targets x raters."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often each category was given: ``table`` to each target, ``rater_table`` by each rater.

    Shapes: ``table`` (targets, categories) and ``rater_table`` (raters, categories); ``target``, ``category`` and
    ``rater`` (n,) are the ratings themselves with codes from 0 without gaps (categories keep their declared code).
    """

    table: Codes
    rater_table: Codes
    target: Codes
    category: Codes
    rater: Codes

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return len(self.category)

    @property
    def n_targets(self) -> int:
        """Number of targets with at least one rating."""
        return len(self.table)

    @property
    def n_categories(self) -> int:
        """Number of declared categories, used or not."""
        return int(self.table.shape[1])

    @property
    def per_target(self) -> Codes:
        """Number of ratings of each target, shape (targets,)."""
        total: Codes = self.table.sum(axis=1)
        return total

    @property
    def constant(self) -> bool:
        """Whether all ratings fall into one category."""
        return int(np.count_nonzero(self.table.sum(axis=0))) == 1


def tabulate(target_codes: Codes, category_codes: Codes, *, n_categories: int, rater_codes: Codes) -> Counts:
    """Count ratings in long form, one entry a rating, all arrays of shape (n,).

    Codes of targets and raters are any integers; codes of categories lie in 0 .. ``n_categories`` - 1, where
    ``n_categories`` is the number of points of the declared scale. Leave missing ratings out before. Several ratings of
    one target by one rater count as so many ratings. Memory grows with targets x categories, never with targets x
    raters. Raises ``OffScaleError`` for a category outside the scale, ``InputError`` for arrays that do not match, and
    ``CannotEstimateError`` where there is no rating.
    """
    if not len(target_codes) == len(category_codes) == len(rater_codes):
        lengths = f"{len(target_codes)}, {len(category_codes)} and {len(rater_codes)}"
        raise InputError(f"targets, categories and raters have {lengths} entries; give one entry of each for a rating")
    _check_codes(category_codes, n_categories)
    if len(category_codes) == 0:
        raise CannotEstimateError("there is no rating", remedy="give ratings of at least two targets by two raters")
    targets, target = np.unique(target_codes, return_inverse=True)
    raters, rater = np.unique(rater_codes, return_inverse=True)
    category = np.asarray(category_codes, dtype=np.intp)
    return Counts(
        table=_cross(target, category, (len(targets), n_categories)),
        rater_table=_cross(rater, category, (len(raters), n_categories)),
        target=target,
        category=category,
        rater=rater,
    )


def tabulate_dense(ratings: Codes, n_categories: int) -> Counts:
    """Count a table of category codes, shape (targets, raters), in which -1 marks an empty cell; for small tables."""
    target, rater = np.nonzero(ratings != MISSING)
    return tabulate(target, ratings[target, rater], n_categories=n_categories, rater_codes=rater)


def _cross(row: Codes, column: Codes, shape: tuple[int, int]) -> Codes:
    return np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape)


def _check_codes(codes: Codes, n_categories: int) -> None:
    if n_categories < 2:
        raise InputError(f"a scale of {n_categories} categories leaves nothing to agree on; declare at least 2")
    off = np.flatnonzero((codes < 0) | (codes >= n_categories))
    if off.size:
        raise OffScaleError(
            f"rating {off[0]} has category code {codes[off[0]]}, outside 0 .. {n_categories - 1}; "
            "declare the scale with all its points, and leave missing ratings out"
        )
