"""From a rater in ``study.toml`` to a model that can be called."""

from dialgauge.collect.line import width_of
from dialgauge.llm import Model
from dialgauge.llm.fake import FakeModel
from dialgauge.llm.opening import open_endpoint
from dialgauge.model import FakeSettings, Limits, LlmRater


def open_model(rater: LlmRater, limits: Limits) -> Model:
    """Return the model of ``rater``; ModelError when its key, its weights or an extra is missing."""
    if rater.endpoint == "fake":
        return FakeModel(**(rater.fake or FakeSettings()).model_dump(exclude={"shift_by_occasion"}))
    return open_endpoint(
        rater.endpoint,
        rater.model,
        key_env=rater.key_env,
        timeout=limits.timeout,
        parallel=width_of(rater, limits),
        threads=rater.threads,
    )


def on_occasion(rater: LlmRater, occasion: int) -> LlmRater:
    """Return ``rater`` as it answers on this occasion (1, 2, ...): only the fake model has a shift of its own there."""
    if rater.fake is None or not rater.fake.shift_by_occasion or occasion < 1:
        return rater
    shifts = rater.fake.shift_by_occasion
    bias = rater.fake.bias + shifts[min(occasion, len(shifts)) - 1]
    return rater.model_copy(update={"fake": rater.fake.model_copy(update={"bias": bias})})
