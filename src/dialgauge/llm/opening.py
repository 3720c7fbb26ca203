"""From the address of a language model to a `Model`."""

from dialgauge.llm.local import LocalModel
from dialgauge.llm.openai import OpenAICompatible, key_from
from dialgauge.llm.protocol import Model
from dialgauge.llm.vendors import VendorModel


def open_endpoint(
    endpoint: str, model: str, *, key_env: str | None = None, timeout: float = 60.0, parallel: int = 1, threads: int = 1
) -> Model:
    """Return the ``model`` at ``endpoint``: "local", "vendor" or the base URL of an OpenAI-compatible interface.

    ``key_env`` is the environment variable with the key of a URL, ``timeout`` the seconds of a call, ``parallel`` the
    calls at a time, ``threads`` those that a local model computes with. Raises ModelError where a key, weights or an
    extra is missing.
    """
    if endpoint == "local":
        return LocalModel(model, threads=threads, parallel=parallel)
    if endpoint == "vendor":
        return VendorModel(model, timeout=timeout)
    key = None if key_env is None else key_from(key_env)
    return OpenAICompatible(endpoint, model, key=key, key_env=key_env, timeout=timeout, connections=parallel)
