"""Studies on a disk, and models that do what a test says."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from dialgauge.collect.opening import register_study
from dialgauge.collect.plan import forecast, shares_of
from dialgauge.collect.rate import Collection, Outcome
from dialgauge.collect.tally import Tally
from dialgauge.io.dialogues import write_dialogues
from dialgauge.io.store import Store, open_store
from dialgauge.io.study import StudyFolder, read_study
from dialgauge.llm import Completion, Model, Request
from dialgauge.model import Dialogue, LlmRater, Turn

INSTRUMENT = """
name = "small"
version = "1"
title = "Small"
[scale]
level = "ordinal"
points = [1, 2, 3, 4, 5]
[[dimensions]]
name = "trust"
title = "Trust"
[[dimensions]]
name = "ease"
title = "Ease"
"""

RATER: Mapping[str, object] = {"name": "m", "kind": "llm", "model": "x", "endpoint": "http://127.0.0.1:9/v1"}


def write_study(
    root: Path, *, n_targets: int = 5, raters: Sequence[Mapping[str, object]] = (RATER,), **tables: object
) -> Path:
    """Write a study of ``n_targets`` dialogues on two dimensions; ``tables`` are further keys of study.toml."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "small.toml").write_text(INSTRUMENT, encoding="utf-8")
    dialogues = [
        Dialogue(id=f"d{i}", turns=(Turn(speaker="user", text=f"Request {i}"), Turn(speaker="system", text="Here.")))
        for i in range(n_targets)
    ]
    write_dialogues(dialogues, root / "targets.jsonl")
    study = {"name": "s", "instrument": "small.toml", "replicates": 2, **tables, "raters": list(raters)}
    (root / "study.toml").write_text(_toml(study), encoding="utf-8")
    return root


def _toml(content: Mapping[str, object]) -> str:
    """Write nested tables as inline tables, which JSON nearly is."""

    def inline(value: object) -> str:
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{key} = {inline(part)}" for key, part in value.items()) + "}"
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(map(inline, value)) + "]"
        return json.dumps(value)

    return "".join(f"{key} = {inline(value)}\n" for key, value in content.items())


class Scripted:
    """A model that answers what a function says; it keeps every request."""

    def __init__(self, answer: Callable[[Request], str | Completion]) -> None:
        self.answer, self.requests, self.in_flight, self.most_in_flight = answer, list[Request](), 0, 0

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(0)
            answer = self.answer(request)
        finally:
            self.in_flight -= 1
        return answer if isinstance(answer, Completion) else completion(answer)

    async def close(self) -> None:
        return


def completion(text: str, **known: object) -> Completion:
    """Return a completion as an endpoint gives it."""
    settings = {"finish_reason": "stop", "model": "x-1", "input_tokens": 100, "output_tokens": 5, "seconds": 0.01}
    return Completion(text=text, sent="{}", received=json.dumps(text), **{**settings, **known})  # type: ignore[arg-type]


class Desk:
    """A study that is collected by scripted models, again and again."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.collection: Collection | None = None

    @property
    def folder(self) -> StudyFolder:
        return read_study(self.root)

    def open(self) -> Store:
        return open_store(self.folder.store_url, create=True)

    def collect(
        self, models: Model | dict[str, Model], *, watch: Callable[[Collection], None] | None = None
    ) -> Outcome:
        """Collect what lacks under the lock; ``watch`` is told the collection before it runs."""
        folder = self.folder
        with self.open() as store, store.lock():
            register_study(folder, store)
            shares = shares_of(folder)
            plans = forecast(folder, store, shares)
            tally = Tally(planned=sum(p.planned for p in plans), there=sum(p.there for p in plans))

            def opener(rater: LlmRater, _: object) -> Model:
                return models[rater.name] if isinstance(models, dict) else models

            self.collection = Collection(folder, store, shares, tally, opener=opener)
            if watch is not None:
                watch(self.collection)
            return asyncio.run(self.collection.run())


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a study of five dialogues, two dimensions and two replicates by one model."""
    return Desk(write_study(tmp_path / "study"))
