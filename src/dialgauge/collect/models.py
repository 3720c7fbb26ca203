"""From a rater in ``study.toml`` to a model that can be called."""

from dialgauge.collect.line import width_of
from dialgauge.llm import Model
from dialgauge.llm.fake import FakeModel
from dialgauge.llm.local import LocalModel
from dialgauge.llm.openai import OpenAICompatible, key_from
from dialgauge.llm.vendors import VendorModel
from dialgauge.model import FakeSettings, Limits, LlmRater


def open_model(rater: LlmRater, limits: Limits) -> Model:
    """Return the model of ``rater``; ModelError when its key, its weights or an extra is missing."""
    if rater.endpoint == "fake":
        return FakeModel(**(rater.fake or FakeSettings()).model_dump())
    if rater.endpoint == "local":
        return LocalModel(rater.model, parallel=width_of(rater, limits))
    if rater.endpoint == "vendor":
        return VendorModel(rater.model, timeout=limits.timeout)
    return OpenAICompatible(
        rater.endpoint,
        rater.model,
        key=None if rater.key_env is None else key_from(rater.key_env),
        key_env=rater.key_env,
        timeout=limits.timeout,
        connections=width_of(rater, limits),
    )
