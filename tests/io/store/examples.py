"""A small study to write into stores."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dialgauge.io.store import Store
from dialgauge.model import Attempt, Dialogue, Dimension, Instrument, LlmRater, Missing, Rating, Scale, Study, Turn

TEMPLATE = "Rate {{ dialogue }}."
WHEN = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)

INSTRUMENT = Instrument(
    name="small",
    version="1",
    title="Small",
    scale=Scale.parse("1:5"),
    dimensions=(Dimension(name="tone", title="Tone"), Dimension(name="pace", title="Pace")),
)


def dialogue(name: str, text: str = "Hello.") -> Dialogue:
    return Dialogue(id=name, turns=(Turn(speaker="user", text=text),))


def study(*names: str, **settings: Any) -> Study:  # noqa: ANN401 (settings of a rater)
    raters = tuple(LlmRater(name=name, kind="llm", model="m", endpoint="fake", **settings) for name in names)
    return Study(name="example", instrument="small", raters=raters)


def fill(store: Store, targets: Sequence[str] = ("a", "b"), raters: Sequence[str] = ("m",)) -> int:
    """Register raters and targets, and return the number of a new run."""
    store.register(study(*raters), INSTRUMENT, template=TEMPLATE)
    store.add_targets(dialogue(name) for name in targets)
    return store.begin_run({"replicates": 2}, seed=1)


def attempt(target: str = "a", *dimensions: str, **fields: Any) -> Attempt:  # noqa: ANN401 (any field)
    rest = {"rater": "m", "replicate": 1, "number": 1, "started": WHEN, "seconds": 0.5, "state": "ok", "request": "{}"}
    return Attempt(target=target, dimensions=dimensions or ("tone",), **{**rest, **fields})


def item(
    target: str = "a",
    dimension: str = "tone",
    value: float | None = 3.0,
    *,
    missing: Missing | None = None,
    occasion: int = 0,
    **fields: Any,  # noqa: ANN401 (fields of the attempt)
) -> tuple[Attempt, list[Rating]]:
    """Return an attempt with the rating that came of it."""
    call = attempt(target, dimension, **fields)
    rating = Rating(
        target=target,
        dimension=dimension,
        rater=call.rater,
        replicate=call.replicate,
        value=None if missing else value,
        missing=missing,
        occasion=occasion,
    )
    return call, [rating]


def failed(target: str = "a", *dimensions: str, state: str = "error", **fields: Any) -> tuple[Attempt, list[Rating]]:  # noqa: ANN401
    """Return an attempt that brought nothing."""
    return attempt(target, *dimensions, state=state, **fields), []
