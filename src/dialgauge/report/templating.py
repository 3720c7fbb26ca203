"""Templates of pages: everything that is put into them is escaped."""

from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup


@lru_cache(maxsize=8)
def load_template(name: str) -> Template:
    """Return the template called ``name`` of the folder ``templates``."""
    environment = Environment(
        loader=PackageLoader("dialgauge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _allow_breaks
    return environment.get_template(name)


def _allow_breaks(name: str) -> Markup:
    """Let the browser break an identifier after its underscores."""
    return Markup("_<wbr>").join(name.split("_"))
