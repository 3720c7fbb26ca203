"""What a study wants from each rater, and a forecast of what getting the rest will take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from dialgauge.collect.asking import Asker
from dialgauge.collect.forms import Form, make_form
from dialgauge.collect.opening import prompt_of
from dialgauge.collect.tasks import Layout, Task, lacking_tasks
from dialgauge.errors import StudyError
from dialgauge.io.store import RaterCounts, Store
from dialgauge.io.store.writing import TERMINAL
from dialgauge.io.study import StudyFolder
from dialgauge.llm.meter import bytes_of
from dialgauge.llm.purse import Reckoner, Usage
from dialgauge.model import CodeRater, Dialogue, LlmRater, Purpose

SAMPLED = 200
"""Calls of each rater whose prompts are written out for the forecast."""


@dataclass(frozen=True, slots=True)
class Share:
    """The part of one rater: these dimensions of the targets of one purpose, in these replicates.

    ``targets`` are the only ones meant, None means all of the purpose. ``order`` of the dimensions in a call is the
    study's where it is None. With ``backwards`` the answers of each scale are listed from the last to the first.
    """

    rater: LlmRater | CodeRater
    dimensions: tuple[str, ...]
    replicates: tuple[int, ...]
    purpose: Purpose = "study"
    occasion: int = 0
    targets: tuple[str, ...] | None = None
    order: Literal["fixed", "shuffled"] | None = None
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Forecast:
    """What one rater's part will take: ratings planned and there, calls to make, and tokens and money at most."""

    rater: str
    kind: str
    planned: int
    there: int
    calls: int
    use: Usage


def shares_of(
    folder: StudyFolder, *, only: Sequence[str] = (), targets: tuple[str, ...] | None = None
) -> tuple[Share, ...]:
    """Return the parts of the study's raters, or of those named in ``only``, on ``targets`` (all with None).

    Raises StudyError for an unknown name.
    """
    study = folder.study
    if not study.raters:
        msg = f"the study {study.name!r} has no models and no code to rate; people rate it with dialgauge serve"
        raise StudyError(msg)
    unknown = [name for name in only if name not in {rater.name for rater in study.raters}]
    if unknown:
        names = ", ".join(rater.name for rater in study.raters)
        msg = f"the study has no rater {unknown[0]!r}; it has {names}"
        raise StudyError(msg)
    return tuple(
        Share(
            rater=rater,
            dimensions=folder.dimensions_of(rater),
            replicates=replicates_of(rater, study.replicates),
            targets=targets,
        )
        for rater in study.raters
        if not only or rater.name in only
    )


def replicates_of(rater: LlmRater | CodeRater, of_study: int) -> tuple[int, ...]:
    """Return the numbers of the replicates of ``rater``: its own, or those of the study; code gives one."""
    n = 1 if isinstance(rater, CodeRater) else rater.replicates or of_study
    return tuple(range(1, n + 1))


def asker_of(folder: StudyFolder, rater: LlmRater, *, backwards: bool = False) -> Asker:
    """Return what makes the requests of ``rater``; ``backwards`` lists the answers of each scale in reverse."""
    forms = forms_of(folder, rater, backwards=backwards)
    return Asker(rater, forms, prompt_of(folder), root=folder.root, seed=folder.study.seed)


def forms_of(folder: StudyFolder, rater: LlmRater, *, backwards: bool = False) -> dict[str, Form]:
    """Return the dimensions of ``rater`` as they are put to it."""
    coded = rater.scoring == "expected"
    if coded and folder.study.prompt.dimensions_per_call != "one":
        msg = f"the rater {rater.name!r} gives expected scores, which take one dimension a call; set it in [prompt]"
        raise StudyError(msg)
    instrument = folder.instrument
    return {
        name: make_form(instrument, instrument.dimension(name), coded=coded, backwards=backwards)
        for name in folder.dimensions_of(rater)
    }


def tasks_of(folder: StudyFolder, store: Store, share: Share) -> Iterator[Task]:
    """Yield the tasks of ``share`` that the store has no ratings for."""
    study = folder.study
    code = isinstance(share.rater, CodeRater)
    layout = Layout(
        rater=share.rater.name,
        dimensions=share.dimensions,
        replicates=share.replicates,
        per_call="all" if code else study.prompt.dimensions_per_call,
        order="fixed" if code else share.order or study.prompt.order,
        seed=study.seed,
    )
    return lacking_tasks(layout, _targets_of(store, share), store)


def _targets_of(store: Store, share: Share) -> Iterator[Dialogue]:
    only = None if share.targets is None else frozenset(share.targets)
    return (one for one in store.targets(purpose=share.purpose) if only is None or one.id in only)


def forecast(folder: StudyFolder, store: Store, shares: Sequence[Share]) -> tuple[Forecast, ...]:
    """Return for each share what it will take, from all tasks that lack and the prompts of some of them."""
    return tuple(_forecast_of(folder, store, share) for share in shares)


def _forecast_of(folder: StudyFolder, store: Store, share: Share) -> Forecast:
    rater = share.rater
    n_targets = store.count_targets(purpose=share.purpose) if share.targets is None else len(share.targets)
    planned = n_targets * len(share.dimensions) * len(share.replicates)
    asker = asker_of(folder, rater, backwards=share.backwards) if isinstance(rater, LlmRater) else None
    calls, lacking, sampled = 0, 0, 0
    for task in tasks_of(folder, store, share):
        if asker is not None and calls < SAMPLED:
            sampled += bytes_of(asker.request(task))
        calls += 1
        lacking += len(task.dimensions)
    use = Usage(0, 0, 0.0)
    if asker is not None and isinstance(rater, LlmRater) and calls:
        one = Reckoner(rater.known_price, asker.max_tokens).about(round(sampled / min(calls, SAMPLED)))
        cost = None if one.cost is None else one.cost * calls
        use = Usage(one.input_tokens * calls, one.output_tokens * calls, cost)
    return Forecast(rater.name, rater.kind, planned, planned - lacking, calls, use)


def count_planned(store: Store, shares: Sequence[Share]) -> tuple[RaterCounts, ...]:
    """Return for each of ``shares`` of the study what there is of its own, and how much beyond what it asks for.

    Beyond are ratings of replicates, dimensions and targets that the study asked for before.
    """
    frame = store.ratings(purpose="study").frame
    return tuple(_count_of(frame.filter(pl.col("rater") == share.rater.name), share) for share in shares)


def _count_of(frame: pl.DataFrame, share: Share) -> RaterCounts:
    asked_for = pl.col("dimension").is_in(share.dimensions) & pl.col("replicate").is_in(share.replicates)
    if share.targets is not None:
        asked_for &= pl.col("target").is_in(share.targets)
    own = frame.filter(asked_for)
    reasons = dict(own.drop_nulls("missing").group_by("missing").len().iter_rows())
    others = frame.filter(~asked_for & ~pl.col("missing").is_in(TERMINAL).fill_null(value=False))
    with_value = own.height - own["value"].null_count()
    return RaterCounts(rater=share.rater.name, with_value=with_value, missing=reasons, beyond=others.height)
