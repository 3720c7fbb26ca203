"""Tells which scores of a conversation can be trusted, and for what.

``reliability`` takes ratings from a file or a data frame and returns a ``ReliabilityReport``; ``plan`` takes what is
known and wanted of a study to come and returns a ``PlanReport``. The other names are the records that go in and come
out, and the errors.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dialgauge.analyse.results import DimensionReliability as DimensionReliability
    from dialgauge.analyse.results import RefusedDimension as RefusedDimension
    from dialgauge.analyse.results import Reliability as Reliability
    from dialgauge.analyse.results import VarianceComponents as VarianceComponents
    from dialgauge.errors import CannotEstimateError as CannotEstimateError
    from dialgauge.errors import ConsistencyError as ConsistencyError
    from dialgauge.errors import DialgaugeError as DialgaugeError
    from dialgauge.errors import DuplicateRatingsError as DuplicateRatingsError
    from dialgauge.errors import InputError as InputError
    from dialgauge.errors import InstrumentError as InstrumentError
    from dialgauge.errors import OffScaleError as OffScaleError
    from dialgauge.errors import TableError as TableError
    from dialgauge.instruments import available_instruments as available_instruments
    from dialgauge.instruments import load_instrument as load_instrument
    from dialgauge.io import from_frame as from_frame
    from dialgauge.io import read_ratings as read_ratings
    from dialgauge.model import Dimension as Dimension
    from dialgauge.model import Instrument as Instrument
    from dialgauge.model import Question as Question
    from dialgauge.model import Ratings as Ratings
    from dialgauge.model import Scale as Scale
    from dialgauge.report.planning.door import PlanReport as PlanReport
    from dialgauge.report.planning.door import plan as plan
    from dialgauge.report.reliability import ReliabilityReport as ReliabilityReport
    from dialgauge.report.reliability import reliability as reliability
    from dialgauge.stats.design import Design as Design
    from dialgauge.stats.estimate import Estimate as Estimate
    from dialgauge.stats.estimate import Refusal as Refusal

    __version__: str

_HOMES = {
    "analyse.results": ("DimensionReliability", "RefusedDimension", "Reliability", "VarianceComponents"),
    "errors": (
        "CannotEstimateError",
        "ConsistencyError",
        "DialgaugeError",
        "DuplicateRatingsError",
        "InputError",
        "InstrumentError",
        "OffScaleError",
        "TableError",
    ),
    "instruments": ("available_instruments", "load_instrument"),
    "io": ("from_frame", "read_ratings"),
    "model": ("Dimension", "Instrument", "Question", "Ratings", "Scale"),
    "report.planning.door": ("PlanReport", "plan"),
    "report.reliability": ("ReliabilityReport", "reliability"),
    "stats.design": ("Design",),
    "stats.estimate": ("Estimate", "Refusal"),
}
"""Where each public name lives; its module is imported when the name is first asked for."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME_OF]  # noqa: PLE0604 (texts, which the rule cannot see)

if not TYPE_CHECKING:  # a checker sees the imports above, and no others

    def __getattr__(name: str) -> Any:  # noqa: ANN401 (any public object)
        if name == "__version__":
            return import_module("importlib.metadata").version(__name__)
        if name not in _HOME_OF:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
