"""Functions and classes of the user's own, found by name: ``module:name``."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from dialgauge.errors import DialgaugeError
from dialgauge.io.words import clip

LONGEST_SAID = 200
"""Characters of what a module says when its import fails."""


def load_named(spec: str, *, what: str, error: type[DialgaugeError], folder: Path | None = None) -> Any:  # noqa: ANN401
    """Return what ``spec`` names, ``module:name``; modules in ``folder`` are found, too, before others.

    They are found after others from then on, so that what is imported later, in a call, is found as well. ``what`` says
    in messages what it is for. Raises ``error`` where there is no such module or name, and where the import fails.
    """
    module, _, path = spec.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), *path.split("."))):
        msg = f"a {what} in Python is written module:function, such as my_module:reply, got {clip(spec)!r}; correct it"
        raise error(msg)
    with first_on_path(folder):
        _forget_other(module.partition(".")[0], (folder or Path()).resolve())
        found = _import(module, f"the {what} {spec!r} cannot be loaded", error)
    for name in path.split("."):
        if not hasattr(found, name):
            msg = f"the {what} {spec!r} cannot be loaded: {module} has no {path!r}; check the name after the colon"
            raise error(msg)
        found = getattr(found, name)
    return found


def _forget_other(name: str, folder: Path) -> None:
    """Forget a module of this name that came from elsewhere, where ``folder`` has its own.

    Two studies in one process may each have a module of the same name; without this the second would get the first's.
    """
    known, own = sys.modules.get(name), PathFinder.find_spec(name, [str(folder)])
    before = getattr(known, "__file__", None)
    if before is None or own is None or own.origin is None or Path(own.origin) == Path(before).resolve():
        return
    for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[loaded]


def _import(module: str, failing: str, error: type[DialgaugeError]) -> Any:  # noqa: ANN401
    try:
        return importlib.import_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as reason:  # the module is the user's: anything may go wrong in it
        why, remedy = f"importing {module} fails with {say(reason)}", "correct the module"
        if isinstance(reason, ModuleNotFoundError) and reason.name and f"{module}.".startswith(f"{reason.name}."):
            why, remedy = (
                f"there is no module {reason.name!r}",
                "put it beside study.toml or into this folder, or install it",
            )
        raise error(f"{failing}: {why}; {remedy}") from reason


@contextmanager
def first_on_path(folder: Path | None) -> Iterator[None]:
    """Let modules in ``folder`` (None: the current one) be found while something is imported, and in later calls.

    They come before others in the block, and after them from then on, so that they never stand in the way of what
    Dialgauge itself imports later.
    """
    place = str((folder or Path()).resolve())
    sys.path.insert(0, place)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(place)
        if place not in sys.path:
            sys.path.append(place)


def say(reason: BaseException) -> str:
    """Return an error with its kind, in one line."""
    try:
        said = str(reason)
    except BaseException:  # noqa: BLE001 (the error is of the user's making, too)
        said = ""
    return clip(" ".join(f"{type(reason).__name__}: {said}".rstrip(": ").split()), LONGEST_SAID)
