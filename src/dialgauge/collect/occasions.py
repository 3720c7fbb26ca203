"""Rating an anchor set again: which occasion is due, and which replicates belong to it."""

import polars as pl

from dialgauge.collect.plan import Share, replicates_of, shares_of, tasks_of
from dialgauge.errors import StudyError
from dialgauge.io.store import Store
from dialgauge.io.study import StudyFolder


def due_occasion(folder: StudyFolder, store: Store) -> tuple[int, tuple[Share, ...]]:
    """Return the number of the occasion that is due (1, 2, ...) and the parts of its raters.

    An occasion that was begun and not finished is due before a new one. Replicates go on counting from occasion to
    occasion, for each rater by itself. Raises StudyError where the study has no anchor set.
    """
    if not store.count_targets(purpose="anchor"):
        msg = f"the study {folder.study.name!r} has no anchor set; declare one with dialgauge anchor"
        raise StudyError(msg)
    details = store.rating_details(purpose="anchor")
    last = _last(details)
    if last:
        shares = _shares(folder, details, last)
        if any(next(tasks_of(folder, store, share), None) is not None for share in shares):
            return last, shares
    return last + 1, _shares(folder, details, last + 1)


def _last(details: pl.DataFrame) -> int:
    return int(details["occasion"].max() or 0)  # type: ignore[arg-type]


def _shares(folder: StudyFolder, details: pl.DataFrame, occasion: int) -> tuple[Share, ...]:
    before = details.filter(pl.col("occasion") < occasion).group_by("rater").agg(pl.col("replicate").max())
    used: dict[str, int] = dict(before.iter_rows())
    return tuple(
        Share(
            rater=share.rater,
            dimensions=share.dimensions,
            replicates=tuple(
                used.get(share.rater.name, 0) + number for number in replicates_of(share.rater, folder.study.replicates)
            ),
            purpose="anchor",
            occasion=occasion,
        )
        for share in shares_of(folder)
    )
