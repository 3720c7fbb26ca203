"""From the name of a recommender, as it is written on the command line, to a `System`."""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from dialgauge.errors import RecommenderError
from dialgauge.io.loading import load_named
from dialgauge.io.words import clip
from dialgauge.model.item import Catalogue
from dialgauge.systems.arena import ArenaSystem
from dialgauge.systems.attributes import AttributeSystem
from dialgauge.systems.callable import CallableSystem
from dialgauge.systems.chat import ChatSystem
from dialgauge.systems.http import HttpSystem
from dialgauge.systems.items import ItemFinder
from dialgauge.systems.models import open_model, runs_here
from dialgauge.systems.popularity import PopularitySystem
from dialgauge.systems.protocol import System
from dialgauge.systems.retrieval import RetrievalSystem
from dialgauge.systems.retrieval_chat import chat_with_retrieval

FORMS = (
    "popularity",
    "attributes",
    "retrieval",
    "retrieval-chat:MODEL",
    "module:function",
    "http://HOST",
    "json+http://HOST",
    "arena+http://HOST",
    "chat+http://HOST/v1#MODEL",
)
"""How recommenders are named; MODEL after ``retrieval-chat:`` and ``chat+`` is what `open_model` takes."""


_SCHEMES = ("http://", "https://")
_PREFIXES = ("http://", "json+http://", "arena+http://", "chat+http://", "retrieval-chat:")
_PYTHON = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")

_BASELINES: Mapping[str, Callable[[ItemFinder, str, int], System]] = {
    "popularity": lambda finder, name, seed: PopularitySystem(finder.catalogue, name=name, seed=seed),
    "attributes": lambda finder, name, seed: AttributeSystem(finder, name=name, seed=seed),
    "retrieval": lambda finder, name, seed: RetrievalSystem(finder, name=name, seed=seed),
}


def open_system(
    spec: str,
    catalogue: Catalogue | ItemFinder,
    *,
    name: str | None = None,
    folder: Path | None = None,
    timeout: float = 60.0,
    seed: int = 0,
    key_env: str | None = None,
    parallel: int = 1,
) -> System:
    """Return the recommender that ``spec`` names, one of `FORMS`, to be wrapped in `CheckedSystem`.

    ``catalogue`` may be given by its finder, which several systems share. ``name`` is what results call it (default:
    the spec), ``folder`` where modules are found before others (default: the current folder), ``timeout`` the seconds
    of one reply, ``seed`` that of wording and of models that run here, ``key_env`` the environment variable with the
    key of a language model, ``parallel`` the number of dialogues at a time. No address is called yet. Raises
    RecommenderError, and ModelError for a language model that cannot be used.
    """
    finder = catalogue if isinstance(catalogue, ItemFinder) else ItemFinder(catalogue)
    if not len(finder.catalogue):
        raise RecommenderError(f"the catalogue {finder.catalogue.name!r} has no item to recommend; give one that has")
    label = name or spec
    if spec in _BASELINES:
        return _BASELINES[spec](finder, label, seed)
    address = spec.removeprefix("json+")
    if address.startswith(_SCHEMES):
        return HttpSystem(address, finder, name=label, timeout=timeout)
    address = spec.removeprefix("arena+")
    if address.startswith(_SCHEMES):
        return ArenaSystem(address, finder, name=label, timeout=timeout)
    for prefix in ("chat+", "retrieval-chat:"):
        model_spec = spec.removeprefix(prefix)
        if model_spec != spec:
            model = open_model(model_spec, timeout=timeout, key_env=key_env, parallel=parallel, seed=seed)
            own_seed = seed if runs_here(model_spec) else None
            if prefix == "chat+":
                return ChatSystem(model, finder, name=label, timeout=timeout, seed=own_seed)
            return chat_with_retrieval(model, finder, name=label, timeout=timeout, seed=own_seed)
    if _PYTHON.fullmatch(spec):
        return CallableSystem(_load(spec, folder), finder, name=label, timeout=timeout)
    raise RecommenderError(_say_unknown(spec))


def _load(spec: str, folder: Path | None) -> Callable[..., Any]:
    found = load_named(spec, what="recommender", error=RecommenderError, folder=folder)
    if not callable(found):
        msg = f"{spec!r} is no function but {type(found).__name__}; name a function of the dialogue so far"
        raise RecommenderError(msg)
    return cast("Callable[..., Any]", found)


def _say_unknown(spec: str) -> str:
    near = get_close_matches(spec, [*_BASELINES, *_PREFIXES], n=2) or get_close_matches(
        re.split("[:+/]", spec, maxsplit=1)[0], [*_BASELINES, *(form.rstrip(":+/") for form in _PREFIXES)], n=2
    )
    meant = f" (did you mean {' or '.join(near)}?)" if near else ""
    return f"{clip(spec)!r} is no recommender{meant}; give one of {', '.join(FORMS)}"
