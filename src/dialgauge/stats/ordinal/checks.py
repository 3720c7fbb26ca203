"""What ratings and codes must satisfy before a model of this folder looks at them."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dialgauge.errors import CannotEstimateError, InputError, OffScaleError
from dialgauge.stats.arrays import Codes, Floats


def check_categories(category: Codes, n_categories: int) -> None:
    """Raise where there are no ratings, or a category lies outside 0 .. ``n_categories`` - 1."""
    if category.ndim != 1 or len(category) == 0:
        raise InputError(
            f"categories must be a vector that is not empty, got shape {category.shape}; pass one per rating"
        )
    if not np.issubdtype(category.dtype, np.integer):
        raise InputError(f"categories must be integers, got {category.dtype}; pass codes 0 .. {n_categories - 1}")
    off = np.flatnonzero((category < 0) | (category >= n_categories))
    if off.size:
        raise OffScaleError(
            f"rating {off[0]} has category {category[off[0]]} outside 0 .. {n_categories - 1}; "
            "correct it or declare the whole scale"
        )


def check_codes(name: str, codes: Codes, n: int) -> Codes:
    """Return the codes of a facet as platform integers; raise where they are not n codes 0, 1, 2, ... without gaps."""
    if codes.shape != (n,) or not np.issubdtype(codes.dtype, np.integer):
        raise InputError(
            f"{name} codes must be {n} integers, one per rating, got {codes.dtype} of shape {codes.shape}; "
            f"number the {name}s 0, 1, 2, ..."
        )
    if codes.min() < 0:
        raise InputError(f"{name} code {codes.min()} is negative; number the {name}s 0, 1, 2, ...")
    missing = np.flatnonzero(np.bincount(codes) == 0)
    if missing.size:
        raise InputError(f"{name} {missing[0]} has no rating; number the {name}s 0, 1, 2, ... without gaps")
    return codes.astype(np.intp, copy=False)


def check_replicated(name: str, codes: Codes) -> None:
    """Raise where a facet has one level only, or no level with two ratings: its variance is then not determined."""
    counts = np.bincount(codes)
    if len(counts) < 2:
        raise CannotEstimateError(
            f"there is one {name} only, so the variance of {name}s cannot be told",
            remedy=f"leave {name}s out of the model",
        )
    if counts.max() < 2:
        raise CannotEstimateError(
            f"no {name} has two ratings, so the variance of {name}s cannot be told from the residual",
            remedy=f"collect a second rating for each {name}, or leave {name}s out of the model",
        )


def check_distinct(target: Codes, rater: Codes) -> None:
    """Raise where targets and raters divide the ratings in the same way."""
    n_t, n_r = int(target.max()) + 1, int(rater.max()) + 1
    if n_t == n_r == len(np.unique(target * n_r + rater)):
        raise CannotEstimateError(
            "every target has a rater of its own and every rater a target of its own, so they cannot be told apart",
            remedy="let raters share targets, or leave raters out of the model",
        )


def check_predictors(X: Floats | None, n: int) -> Floats:
    """Return the predictors as an n x p matrix; raise where they are not finite or depend on one another."""
    if X is None:
        return np.zeros((n, 0))
    matrix = np.asarray(X, dtype=np.float64)
    if matrix.ndim != 2 or len(matrix) != n or not np.all(np.isfinite(matrix)):
        raise InputError(f"X must be a finite matrix of {n} rows, got shape {matrix.shape}; leave out rows with gaps")
    full = np.column_stack([np.ones(n), matrix])
    rank = int(np.linalg.matrix_rank(full / np.maximum(np.linalg.norm(full, axis=0), 1e-300)))
    if rank < full.shape[1]:
        raise CannotEstimateError(
            f"the {matrix.shape[1]} predictors and a constant have rank {rank}, not {full.shape[1]}",
            remedy="leave out predictors that are constant or follow from the others",
        )
    return matrix


def check_connected(target: Codes, rater: Codes, who: str) -> None:
    """Raise where targets and raters fall into subsets that share no ratings, with the number of subsets."""
    n_t, n_r = int(target.max()) + 1, int(rater.max()) + 1
    graph = coo_array((np.ones(len(target)), (target, n_t + rater)), shape=(n_t + n_r,) * 2)
    subsets = int(connected_components(graph, directed=False, return_labels=False))
    if subsets > 1:
        raise CannotEstimateError(
            f"{who} fall into {subsets} subsets that share no ratings, so their measures have no common origin",
            remedy="let some raters rate targets of every subset, or analyse the subsets one by one",
        )


def check_all_used(rater: Codes, category: Codes) -> None:
    """Raise where raters leave a category unused, with their number."""
    n_r, m = int(rater.max()) + 1, int(category.max()) + 1
    lacking = int(np.sum((np.bincount(rater * m + category, minlength=n_r * m).reshape(n_r, m) == 0).any(axis=1)))
    if lacking:
        raise CannotEstimateError(
            f"{lacking} of {n_r} raters leave a category unused, so they have no finite thresholds of their own",
            remedy="share the thresholds among raters (rating_scale), or collect more ratings from each",
        )
