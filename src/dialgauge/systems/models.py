"""From the name of a language model, as it is written on the command line, to a `Model`."""

from dialgauge.errors import ModelError
from dialgauge.io.words import clip
from dialgauge.llm import Model
from dialgauge.llm.opening import open_endpoint
from dialgauge.systems.writer import FakeWriter

FORMS = "http://HOST/v1#MODEL, local:NAME, vendor:NAME or fake"


def open_model(
    spec: str, *, timeout: float = 60.0, key_env: str | None = None, parallel: int = 1, seed: int = 0
) -> Model:
    """Return the model that ``spec`` names: ``http://HOST/v1#MODEL``, ``local:NAME``, ``vendor:NAME`` or ``fake``.

    ``timeout`` is the seconds of a call, ``key_env`` the environment variable with the key of an endpoint, ``parallel``
    the number of calls at a time, ``seed`` that of the fake one. Raises ModelError where it cannot be used.
    """
    if spec == "fake":
        return FakeWriter(seed=seed)
    kind, _, name = spec.partition(":")
    if kind in {"http", "https"}:
        endpoint, _, name = spec.partition("#")
    elif kind in {"local", "vendor"}:
        endpoint = kind
    else:
        name = ""
    if not name:
        raise ModelError(f"{clip(spec)!r} is no language model; give {FORMS}")
    return open_endpoint(endpoint, name, key_env=key_env, timeout=timeout, parallel=parallel)


def runs_here(spec: str) -> bool:
    """Tell whether the model that ``spec`` names runs in this process, where seeds and repeated answers go together."""
    return spec.partition(":")[0] in {"fake", "local"}
