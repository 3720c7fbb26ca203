"""Libraries of the extra ``text``, which some measures need."""

import importlib
from types import ModuleType

from dialgauge.errors import StudyError, how_to_install


def require(module: str) -> ModuleType:
    """Import ``module``; StudyError that names the extra where it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        library = module.partition(".")[0]
        msg = f"readability and sentiment need {library}, which is not installed: {how_to_install('text')}"
        raise StudyError(msg) from None
