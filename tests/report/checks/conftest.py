"""A study whose raters are fake models of known properties, checked from beginning to end."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.collect.conftest import RATER, write_study

from dialgauge.analyse.checking import RaterChecks
from dialgauge.collect.checking import open_checks
from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import Share, shares_of
from dialgauge.collect.planted import planted
from dialgauge.collect.rounds import Rounds
from dialgauge.collect.tally import Tally
from dialgauge.io.store import Store, open_store
from dialgauge.io.study import StudyFolder, read_study
from dialgauge.llm import Model
from dialgauge.llm.fake import FakeModel
from dialgauge.report.checks.loading import check_study


def see_quality(instrument: str, *, step: float = 0.35) -> dict[str, float]:
    """Return what a fake model needs to see the quality of planted dialogues: a turn of each, and what it adds."""
    every = planted(instrument)
    texts = [turn.text for one in every for turn in one.dialogue.turns]
    seen = {}
    for one in every:
        own = next(t.text for t in one.dialogue.turns if '"' not in t.text and texts.count(t.text) == 1)
        seen[own] = (one.quality - 1) * step
    return seen


def model_of(**settings: object) -> FakeModel:
    return FakeModel(**{"spread": 0.08, "noise": 0.08, **settings})  # type: ignore[arg-type]


def collect(folder: StudyFolder, store: Store, rounds: Sequence[Sequence[Share]], models: Mapping[str, Model]) -> int:
    """Collect by the model of each rater (of its base, for a variant), and return how many calls were made."""
    bases = {one.name: one.base or one.name for one in store.raters()}
    collection = Rounds(folder, store, rounds, Tally(), opener=lambda rater, _: models[bases[rater.name]])
    return asyncio.run(collection.run()).tally.attempts


def check(root: Path, models: Mapping[str, Model], *, rate: bool = False, **tables: object) -> RaterChecks:
    """Return the checks of a study by ``models``; with ``rate`` the study itself is rated first."""
    raters = [{**RATER, **dict(tables.pop("rater", {}) or {}), "name": name} for name in models]  # type: ignore[call-overload]
    folder = read_study(write_study(root, **{"raters": raters, "instrument": "concept", **tables}))  # type: ignore[arg-type]
    with open_store(folder.store_url, create=True) as store:
        if rate:
            register_study(folder, store)
            collect(folder, store, [shares_of(folder)], models)
        collect(folder, store, open_checks(folder, store), models)
        return check_study(store)
