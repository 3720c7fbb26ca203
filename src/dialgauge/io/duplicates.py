"""What to do when a rater rated the same dimension of the same target more than once."""

from collections.abc import Sequence

import polars as pl

from dialgauge.errors import DuplicateRatingsError, TableError
from dialgauge.io.request import DuplicatePolicy
from dialgauge.io.words import clip, count, shorten

KEY = ("target", "rater", "dimension", "replicate")
_CELL = KEY[:3]
_SHOWN = 3


def settle_duplicates(
    frame: pl.DataFrame, policy: DuplicatePolicy, *, nominal: bool, unread: Sequence[str] = ()
) -> tuple[pl.DataFrame, str | None]:
    """Apply ``policy`` to ratings with the same target, rater, dimension and replicate; return a note on what was done.

    ``error`` raises DuplicateRatingsError, naming the first pairs and the ``unread`` columns that may tell them apart.
    ``first`` and ``last`` keep the first or last rating that has a value. ``mean`` keeps the mean of the values, also
    where it lies between two points of the scale, in the row of the first of them; ``nominal`` says that there are
    dimensions whose values have no mean, and then it raises TableError. ``replicate`` numbers them 1, 2, ... in the
    order of their rows.
    """
    doubled = frame.select(KEY).is_duplicated()
    if not doubled.any():
        return frame, None
    clash = frame.filter(doubled)
    n_pairs = clash.select("target", "rater").n_unique()
    pairs = count(n_pairs, "rater x target pair")
    if policy == "error":
        raise DuplicateRatingsError(_explain(clash, pairs, unread))
    if policy == "replicate":
        note = f"The repeated ratings of {pairs} were numbered as replicates, in the order of their rows."
        return _renumber(frame, doubled), note
    if policy == "mean":
        if nominal:
            msg = "repeated ratings on a nominal or binary scale have no mean; keep the first or last, or replicates"
            raise TableError(msg)
        settled, done = _average(clash), "replaced by their mean (which may lie between two points of the scale)"
    else:
        settled = _keep(clash, policy)
        done = f"replaced by the {policy} one that has a value"
    n_left_out = clash.height - settled.height
    note = f"The repeated ratings of {pairs} were {done}; left out: {count(n_left_out, 'rating')}."
    return pl.concat([frame.filter(~doubled), settled.select(frame.columns)]), note


def _explain(clash: pl.DataFrame, n_pairs: str, unread: Sequence[str]) -> str:
    pairs = clash.group_by("target", "rater").agg(pl.col("row").unique().sort()).sort(pl.col("row").list.first())
    shown = []
    for pair in pairs.head(_SHOWN).iter_rows(named=True):
        rows = ", ".join(str(row) for row in pair["row"][:6])
        shown.append(f"target {clip(pair['target'])!r} by rater {clip(pair['rater'])!r} in rows {rows}")
    more = " and more" if pairs.height > _SHOWN else ""
    hint = f" ({shorten(unread)} {'was' if len(unread) == 1 else 'were'} not read)" if unread else ""
    return (
        f"more than one rating of the same dimension for {n_pairs}: {'; '.join(shown)}{more}; if a column tells them "
        f"apart{hint}, name it with --dimension or --replicate, else say what they are with "
        "--duplicates first|last|mean|replicate"
    )


def _keep(clash: pl.DataFrame, policy: DuplicatePolicy) -> pl.DataFrame:
    """Keep the first or last rating of each key, one with a value if there is one."""
    empty_goes = policy == "first"
    ordered = clash.sort("row", maintain_order=True).sort(
        pl.col("value").is_null(), descending=not empty_goes, maintain_order=True
    )
    return ordered.unique(subset=KEY, keep="first" if policy == "first" else "last", maintain_order=True)


def _average(clash: pl.DataFrame) -> pl.DataFrame:
    """Average the values of each key."""
    value, missing, row = pl.col("value").mean(), pl.col("missing").first(), pl.col("row").min()
    merged = clash.group_by(KEY, maintain_order=True).agg(value, missing, row)
    return merged.with_columns(missing=pl.when(pl.col("value").is_null()).then("missing"))


def _renumber(frame: pl.DataFrame, doubled: pl.Series) -> pl.DataFrame:
    """Give new replicate numbers to each target, rater and dimension that has duplicates."""
    order = pl.struct("replicate", "row").rank("ordinal").over(_CELL).cast(pl.Int64)
    clashes = pl.col("doubled").any().over(_CELL)
    marked = frame.with_columns(doubled.alias("doubled"))
    return marked.with_columns(replicate=pl.when(clashes).then(order).otherwise("replicate")).drop("doubled")
