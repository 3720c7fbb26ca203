"""Libraries of the extra ``web``."""

import importlib

from dialgauge.errors import StudyError, how_to_install

LIBRARIES = ("starlette", "uvicorn")


def check_extra() -> None:
    """Raise StudyError that names the extra where a library of it is not installed."""
    for library in LIBRARIES:
        try:
            importlib.import_module(library)
        except ModuleNotFoundError:
            msg = f"the page for raters needs {library}, which is not installed: {how_to_install('web')}"
            raise StudyError(msg) from None
