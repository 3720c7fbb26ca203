"""Functions of the user's own as raters, found by name."""

import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias, cast

from dialgauge.errors import StudyError
from dialgauge.io.loading import first_on_path, load_named, say
from dialgauge.model import Dialogue, Dimension

GROUP = "dialgauge.raters"
"""The group of entry points in which packages announce their raters."""

RaterFunction: TypeAlias = Callable[[Dialogue, Dimension], float | None]


def callable_rater(spec: str, *, folder: Path | None = None) -> RaterFunction:
    """Return the function that ``spec`` names: ``module:name``, or an entry point of the group ``dialgauge.raters``.

    Modules in ``folder`` are found, too, before others. What the function returns is for the caller to check. Raises
    StudyError when there is no such module, function or entry point, when the import fails, and when what is found
    cannot be called with a dialogue and a dimension, or is asynchronous.
    """
    if ":" in spec:
        found = load_named(spec, what="rater", error=StudyError, folder=folder)
    else:
        with first_on_path(folder):
            found = _load_entry_point(spec)
    _check(found, spec)
    return cast("RaterFunction", found)


def _load_entry_point(name: str) -> object:
    points = {point.value: point for point in entry_points(group=GROUP) if point.name == name}
    if not points:
        known = ", ".join(sorted({point.name for point in entry_points(group=GROUP)})) or "none"
        msg = f"no installed package has a rater {name!r} (known: {known}); give module:name for a function of your own"
        raise StudyError(msg)
    if len(points) > 1:
        msg = f"more than one package has a rater {name!r}; write which is meant: {' or '.join(sorted(points))}"
        raise StudyError(msg)
    try:
        return next(iter(points.values())).load()
    except Exception as error:
        msg = f"the rater {name!r} ({next(iter(points))}) cannot be loaded: {say(error)}; install its package anew"
        raise StudyError(msg) from error


def _check(found: object, spec: str) -> None:
    if not callable(found):
        msg = f"{spec!r} is no function but {type(found).__name__}; name a function of a dialogue and a dimension"
        raise StudyError(msg)
    if inspect.iscoroutinefunction(found):
        msg = f"{spec!r} is asynchronous; name a plain function of a dialogue and a dimension"
        raise StudyError(msg)
    try:
        signature = inspect.signature(found)
    except ValueError:  # some functions in C do not tell
        return
    try:
        signature.bind(None, None)
    except TypeError:
        msg = f"{spec!r} cannot be called with a dialogue and a dimension: it takes {signature}; give it these two"
        raise StudyError(msg) from None
