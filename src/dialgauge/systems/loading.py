"""Functions and classes of the user's own, found by name."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dialgauge.errors import RecommenderError
from dialgauge.io.words import clip


def load_callable(spec: str, *, folder: Path | None = None) -> Any:  # noqa: ANN401 (whatever has that name)
    """Return what ``spec`` names, ``module:name``; modules in ``folder`` are found, too, before others.

    Raises RecommenderError where there is no such module or name, the import fails, or what is found cannot be called.
    """
    module, _, path = spec.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), *path.split("."))):
        msg = f"a recommender in Python is written module:function, such as my_system:reply, got {clip(spec)!r}"
        raise RecommenderError(f"{msg}; correct it")
    with _first_on_path(folder):
        found = _import(spec, module)
    for name in path.split("."):
        if not hasattr(found, name):
            msg = f"the recommender {spec!r} cannot be loaded: {module} has no {path!r}; check the name after the colon"
            raise RecommenderError(msg)
        found = getattr(found, name)
    if not callable(found):
        msg = f"{spec!r} is no function but {type(found).__name__}; name a function of the dialogue so far"
        raise RecommenderError(msg)
    return found


def _import(spec: str, module: str) -> Any:  # noqa: ANN401
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:  # the module is the user's: anything may go wrong in it
        said = " ".join(f"{type(error).__name__}: {error}".split())
        why, remedy = f"importing {module} fails with {clip(said, 200)}", "correct the module"
        if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
            why, remedy = f"there is no module {error.name!r}", "put it beside study.toml, or install it"
        msg = f"the recommender {spec!r} cannot be loaded: {why}; {remedy}"
        raise RecommenderError(msg) from error


@contextmanager
def _first_on_path(folder: Path | None) -> Iterator[None]:
    """Let modules in ``folder`` be found while something is imported."""
    place = str((folder or Path()).resolve())
    sys.path.insert(0, place)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(place)
